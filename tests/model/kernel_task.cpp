#include <gtest/gtest.h>

#include <memory>
#include <stop_token>

#include "model/explorer.hpp"
#include "sync/futex.hpp"
#include "sync/thread.hpp"
#include "task/extras.hpp"
#include "task/run_body.hpp"
#include "task/run_context.hpp"
#include "task/state_word.hpp"
#include "weir/detail/task_node.hpp"

/// docs/design/task-state.md: the state word of a single task, without a pool.
namespace weir::model {
namespace {

using namespace detail;
using sync::thread;

constexpr auto k_soon = std::chrono::milliseconds(1);

/// What a body has done; its captures count themselves.
struct witness {
  int ran = 0;
  int captures = 0;
};
struct capture {
  explicit capture(witness& told) noexcept : seen(&told) { ++seen->captures; }
  capture(capture&& other) noexcept : seen(other.seen) { ++seen->captures; }
  ~capture() { --seen->captures; }
  witness* seen;
};

auto* make_task(witness& seen) {
  return make_node<true>([held = capture(seen)] { return ++held.seen->ran; });
}

// The worker's part: claims, runs, publishes, gives its reference back.
void work(task_base& task) {
  if (!try_start(task)) return;
  body_end end{};
  {
    const run_context scope(task, nullptr);
    end = run_body(task).end;
  }
  if (publish(task, end)) tell_end(task);
  release(&task);
}

// The canceller's part, as a pool does it.
void cancel(task_base& task) {
  bool was_detached = false;
  if (!try_cancel_unstarted(task, cancel_reason::cancelled, was_detached)) {
    (void)request_stop(task, cancel_reason::cancelled);
    return;
  }
  task.ops->drop_callable(task);
  if (publish(task, body_end::cancelled)) tell_end(task);
  if (!was_detached) release(&task);
}

TEST(kernel_task, has_one_owner_and_one_end) {
  expect_holds("task: claim × cancel × wait × last handle", {.bound = 3, .views_bound = 2}, [] {
    witness seen;
    auto* task = make_task(seen);
    retain(*task);
    retain(*task);
    thread worker([&] {
      work(*task);
      release(task);
    });
    thread canceller([&] {
      cancel(*task);
      release(task);
    });
    wait_terminal(*task);
    MODEL_CHECK(seen.captures == 0);
    const task_state end = state_of(*task);
    MODEL_CHECK(seen.ran == 1 || end == task_state::cancelled);
    if (end == task_state::succeeded) MODEL_CHECK(task->take() == 1);
    release(task);
    worker.join();
    canceller.join();
    MODEL_CHECK(seen.ran <= 1);
  });
}

TEST(kernel_task, is_started_drained_or_cancelled) {
  expect_holds("task: claim × drain × cancel", {.bound = 4, .views_bound = 3}, [] {
    witness seen;
    auto* task = make_task(seen);
    bool drained = false;
    thread worker([&] { work(*task); });
    thread drainer([&] {
      if (!try_detach(*task)) return;
      drained = true;
      if (try_start_detached(*task)) {
        const run_context scope(*task, nullptr);
        if (publish(*task, run_body(*task).end)) tell_end(*task);
      }
      release(task);
    });
    cancel(*task);
    wait_terminal(*task);
    MODEL_CHECK(seen.captures == 0);
    worker.join();
    drainer.join();
    MODEL_CHECK(is_terminal(state_of(*task)));
    MODEL_CHECK(seen.ran <= 1);
    release(task);
  });
}

TEST(kernel_task, wakes_whoever_waits) {
  expect_holds("task: wait × timed wait × complete",
               {.bound = 3, .views_bound = 2, .spurious = true}, [] {
                 witness seen;
                 auto* task = make_task(seen);
                 retain(*task);
                 thread worker([&] { work(*task); });
                 thread timed([&] {
                   if (wait_terminal(*task, sync::real_now() + k_soon)) {
                     MODEL_CHECK(seen.ran == 1);
                   }
                   release(task);
                 });
                 wait_terminal(*task);
                 MODEL_CHECK(seen.ran == 1 && task->take() == 1);
                 release(task);
                 worker.join();
                 timed.join();
               });
}

// Whoever sees the end by looking sees what the body did as well.
TEST(kernel_task, shows_its_end_to_whoever_looks) {
  expect_holds("task: state × complete", {.bound = 4, .views_bound = 3}, [] {
    witness seen;
    auto* task = make_task(seen);
    thread worker([&] { work(*task); });
    while (!is_terminal(state_of(*task))) sync::spin_pause();
    MODEL_CHECK(seen.ran == 1 && seen.captures == 0);
    release(task);
    worker.join();
  });
}

// Either the canceller finds the source or the body finds the request.
TEST(kernel_task, a_stop_request_reaches_the_token) {
  expect_holds("task: stop source × cancel", {.bound = 5, .views_bound = 4}, [] {
    auto* task = make_node<true>([](std::stop_token) {});
    std::stop_token token;
    MODEL_CHECK(try_start(*task));
    thread canceller([&] { MODEL_CHECK(request_stop(*task, cancel_reason::cancelled)); });
    token = make_stop_token(*task);
    canceller.join();
    MODEL_CHECK(token.stop_requested());
    const body_end end = fix_outcome(*task, false);
    MODEL_CHECK(end == body_end::cancelled);
    task->ops->drop_callable(*task);
    MODEL_CHECK(!publish(*task, end));
    release(task);
    release(task);
  });
}

// The callback's destructor would wait for a callback that runs elsewhere: it never has to.
void request_in_one_step(std::stop_source& stop) {
  call_elsewhere([](void* source) { static_cast<std::stop_source*>(source)->request_stop(); },
                 &stop);
}

TEST(kernel_task, a_stop_of_the_waiter_wakes_it) {
  expect_holds("task: wait × stop", {.bound = 5, .views_bound = 4}, [] {
    witness seen;
    auto* task = make_task(seen);
    std::stop_source stop;
    thread stopper([&stop] { request_in_one_step(stop); });
    MODEL_CHECK(!wait_terminal_or_stop(*task, stop.get_token()));
    stopper.join();
    work(*task);
    MODEL_CHECK(wait_terminal_or_stop(*task, stop.get_token()));
    release(task);
  });
}

TEST(kernel_task, the_end_wakes_the_waiter_whose_stop_is_requested_meanwhile) {
  expect_holds("task: wait × stop × complete", {.bound = 3, .views_bound = 2}, [] {
    witness seen;
    auto* task = make_task(seen);
    std::stop_source stop;
    thread worker([task] { work(*task); });
    thread stopper([&stop] { request_in_one_step(stop); });
    if (wait_terminal_or_stop(*task, stop.get_token())) MODEL_CHECK(seen.ran == 1);
    MODEL_CHECK(wait_terminal(*task));
    release(task);
    worker.join();
    stopper.join();
  });
}

}  // namespace
}  // namespace weir::model
