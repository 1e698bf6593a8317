#include <gtest/gtest.h>

#include <stop_token>

#include "model/explorer.hpp"
#include "pool/guard.hpp"
#include "sync/event.hpp"
#include "sync/futex.hpp"
#include "sync/mutex.hpp"
#include "sync/thread.hpp"
#include "task/extras.hpp"
#include "task/run_body.hpp"
#include "task/state_word.hpp"
#include "weir/clock.hpp"
#include "weir/detail/task_node.hpp"

/// docs/design/guard.md: time limits and watches, with a guard of each execution's own.
namespace weir::model {
namespace {

using namespace detail;
using std::chrono::milliseconds;
using std::chrono::seconds;
using sync::thread;

constexpr options k_guard{.bound = 3, .views_bound = 2};

/// Sleeps until the task is asked to stop, without a deadline: a request that never comes is a
/// deadlock.
void sleep_until_stopped(task_base& task) {
  using namespace state_word;
  for (;;) {
    const std::uint32_t seen = task.word.fetch_or(k_waited, sync::relaxed) | k_waited;
    if (phase_of(seen) == phase::cancel_requested) return;
    (void)sync::futex_wait(task.word, seen, {});
  }
}

/// A guard, a clock that is moved by hand, and its alarms.
struct yard {
  yard() { watch.start(); }
  ~yard() { watch.stop(); }
  void advance(seconds step) {
    clock.advance(step);
    watch.clock_moved(alarms, clock.now());
  }

  guard watch;
  manual_clock clock;
  alarm_clock alarms{&clock, nullptr};
};

/// The worker's part with a limit around the body: as time_limit, run_reported and the pool's end
/// of a task do it. Gives one reference back.
task_state work(guard& watch, alarm_clock& alarms, task_base& task, std::chrono::nanoseconds limit,
                sync::event* armed = nullptr) {
  const bool started = try_start(task);
  MODEL_CHECK(started);
  body_end end{};
  {
    alarm mine;
    mine.task = &task;
    const time_point now = alarms.source != nullptr ? alarms.source->now() : sync::real_now();
    (void)watch.arm_limit(alarms, mine, now, limit);
    if (armed != nullptr) armed->set();
    end = run_body(task).end;
    watch.disarm(mine);
  }
  if (end == body_end::open) end = fix_late(task);
  if (publish(task, end)) wake_waiters(task);
  const task_state state = state_of(task);
  release(&task);
  return state;
}

template <class Node>
Node* with_extras(Node* task) {
  task->extras.store(new task_extras, sync::relaxed);
  return task;
}

/// A task whose body sleeps until it is asked to stop.
task_base* sleeper(task_base*& self) {
  self = with_extras(make_node<false>([&self] { sleep_until_stopped(*self); }));
  return self;
}

TEST(kernel_guard, R5_what_is_armed_while_the_guard_lies_down_wakes_it) {
  expect_holds("guard: arm × guard about to sleep", k_guard, [] {
    yard at;
    task_base* first = nullptr;
    MODEL_CHECK(work(at.watch, at.watch.real_time(), *sleeper(first), milliseconds(1)) ==
                task_state::cancelled);
    task_base* second = nullptr;
    MODEL_CHECK(work(at.watch, at.watch.real_time(), *sleeper(second), milliseconds(1)) ==
                task_state::cancelled);
  });
}

TEST(kernel_guard, R5_an_earlier_deadline_is_not_missed) {
  expect_holds("guard: arm earlier × arm later", k_guard, [] {
    yard at;
    sync::event over;
    thread late([&] {  // on a clock that stands still: it rings never
      auto* task = with_extras(make_node<false>([&] { over.wait(); }));
      MODEL_CHECK(work(at.watch, at.alarms, *task, seconds(1)) == task_state::succeeded);
    });
    task_base* soon = nullptr;
    MODEL_CHECK(work(at.watch, at.watch.real_time(), *sleeper(soon), milliseconds(1)) ==
                task_state::cancelled);
    over.set();
    late.join();
  });
}

TEST(kernel_guard, R28_a_clock_that_moves_while_a_body_starts_rings) {
  expect_holds("guard: clock moves × arm", k_guard, [] {
    yard at;
    sync::event armed;
    thread mover([&] {
      at.advance(seconds(1));
      armed.wait();
      at.advance(seconds(1));  // now the body has had its second, whenever it began
    });
    task_base* task = nullptr;
    MODEL_CHECK(work(at.watch, at.alarms, *sleeper(task), seconds(1), &armed) ==
                task_state::cancelled);
    mover.join();
  });
}

TEST(kernel_guard, D4_a_limit_that_races_with_the_end_has_one_outcome) {
  expect_holds("guard: expire × end", k_guard, [] {
    yard at;
    auto* task = with_extras(make_node<true>([] { return 1; }));
    thread mover([&] { at.advance(seconds(1)); });
    (void)work(at.watch, at.alarms, *task, seconds(1));
    const task_state end = state_of(*task);
    MODEL_CHECK(end == task_state::succeeded || reason_of(*task) == cancel_reason::timed_out);
    MODEL_CHECK((end == task_state::cancelled) == cancellation_of(*task).has_value());
    release(task);
    mover.join();
  });
}

// Nobody holds a handle: its word is changed without atomic steps wherever it has one owner.
TEST(kernel_guard, D4_the_same_for_a_task_without_a_handle) {
  expect_holds("guard: expire × end without a handle", k_guard, [] {
    yard at;
    auto* task = with_extras(make_node<false>([] {}));
    thread mover([&] { at.advance(seconds(1)); });
    MODEL_CHECK(is_terminal(work(at.watch, at.alarms, *task, seconds(1))));
    mover.join();
  });
}

TEST(kernel_guard, R18_a_limit_that_races_with_a_canceller_has_one_reason) {
  expect_holds("guard: expire × cancel", k_guard, [] {
    yard at;
    task_base* self = nullptr;
    auto* task = with_extras(make_node<true>([&self] { sleep_until_stopped(*self); }));
    self = task;
    retain(*task);
    bool asked = false;
    sync::event armed;
    thread canceller([&] {
      armed.wait();
      asked = request_stop(*task, cancel_reason::cancelled);
      release(task);
    });
    thread mover([&] {
      armed.wait();
      at.advance(seconds(1));
    });
    MODEL_CHECK(work(at.watch, at.alarms, *task, seconds(1), &armed) == task_state::cancelled);
    canceller.join();
    mover.join();
    const cancel_reason why = reason_of(*task);
    MODEL_CHECK(why == (asked ? cancel_reason::cancelled : cancel_reason::timed_out));
    release(task);
  });
}

// Body and guard both may be the one who asks the source; somebody is.
TEST(kernel_guard, R19_a_stop_source_that_is_made_meanwhile_hears_of_it) {
  expect_holds("guard: expire × stop source", k_guard, [] {
    std::stop_token stop;
    {
      yard at;
      task_base* self = nullptr;
      auto* task = with_extras(make_node<false>([&] {
        stop = make_stop_token(*self);
        sleep_until_stopped(*self);
      }));
      self = task;
      sync::event armed;
      thread mover([&] {
        armed.wait();
        at.advance(seconds(1));
      });
      MODEL_CHECK(work(at.watch, at.alarms, *task, seconds(1), &armed) == task_state::cancelled);
      mover.join();
    }
    MODEL_CHECK(stop.stop_requested());
  });
}

TEST(kernel_guard, G2_a_body_that_begins_while_the_guard_gives_up_is_watched) {
  expect_holds("watch: body begins × guard rests", k_guard, [] {
    body_watch watch;
    watch.watched.store(true, sync::relaxed);
    sync::mutex mutex;
    bool armed = true;
    thread guard([&] {
      const sync::lock_guard lock(mutex);
      if (watch.rests()) armed = false;
    });
    if (watch.begins(time_point{})) {
      const sync::lock_guard lock(mutex);
      armed = true;
      watch.watched.store(true, sync::relaxed);
    }
    guard.join();
    MODEL_CHECK(armed);
    MODEL_CHECK(watch.watched.load(sync::relaxed));
  });
}

}  // namespace
}  // namespace weir::model
