// D4's time limits: R5, R19, R28 for bodies that are asked to stop.

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <vector>

#include "support/conservation.hpp"
#include "support/eventually.hpp"
#include "support/gate.hpp"
#include "support/watchdog.hpp"
#include "weir/drained_task.hpp"
#include "weir/this_task.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;
using testing::eventually;
using testing::gate;

pool_options on(clock& source, std::size_t workers = 1) {
  return {.core = workers, .max = workers, .capacity = 16, .clock = &source};
}

/// Runs until it is asked to stop.
void until_stopped() {
  while (!this_task::stop_requested()) std::this_thread::yield();
}

cancel_reason reason_of(future<void>& task) {
  try {
    task.get();
  } catch (const task_cancelled& end) {
    return end.reason();
  }
  ADD_FAILURE() << "it was not cancelled";
  return cancel_reason::closed;
}

TEST(time_limit, D4_a_body_over_its_time_is_asked_to_stop_and_ends_as_timed_out) {
  const testing::watchdog dog("time limit");
  manual_clock clock;
  thread_pool pool(on(clock));
  gate started;
  auto task = pool.submit({.timeout = 5s}, [&] {
    started.open();
    until_stopped();
  });
  started.wait();
  clock.advance(5s - 1ns);
  EXPECT_EQ(task.state(), task_state::running);
  clock.advance(1ns);
  // The request is there when `advance` returns (R28).
  EXPECT_NE(task.state(), task_state::running);
  task.wait();
  EXPECT_EQ(task.cancellation(), cancellation::returned);
  EXPECT_EQ(reason_of(task), cancel_reason::timed_out);
  pool.wait_idle();
  testing::expect_conserved(pool.stats());
  EXPECT_EQ(pool.stats().cancelled, 1u);
}

TEST(time_limit, D4_counts_from_the_start_of_the_body) {
  const testing::watchdog dog("time limit, from the start");
  manual_clock clock;
  thread_pool pool(on(clock));
  testing::held_worker held(pool);
  gate started;
  auto task = pool.submit({.timeout = 5s}, [&] {
    started.open();
    until_stopped();
  });
  clock.advance(1h);  // it waits in the queue
  held.release();
  started.wait();
  EXPECT_EQ(task.state(), task_state::running);
  clock.advance(5s);
  EXPECT_EQ(reason_of(task), cancel_reason::timed_out);
}

TEST(time_limit, D4_a_body_that_ends_in_time_has_its_result_and_costs_nothing_later) {
  const testing::watchdog dog("time limit, in time");
  manual_clock clock;
  thread_pool pool(on(clock));
  auto task = pool.submit({.timeout = 5s}, [] { return 7; });
  task.wait();
  clock.advance(1h);
  EXPECT_EQ(task.get(), 7);
  EXPECT_FALSE(pool.submit([] { return this_task::stop_requested(); }).get());
}

// It is never ended by force (E5): what it does with the request is its own affair.
TEST(time_limit, D4_a_body_that_ignores_the_request_runs_on) {
  const testing::watchdog dog("time limit, ignored");
  manual_clock clock;
  thread_pool pool(on(clock));
  gate started;
  gate release;
  auto task = pool.submit({.timeout = 1s}, [&] {
    started.open();
    release.wait();
    return 1;
  });
  const testing::opens_at_exit opener(release);
  started.wait();
  clock.advance(1h);
  EXPECT_EQ(task.state(), task_state::cancel_requested);
  EXPECT_FALSE(task.wait_for(0s));
  release.open();
  EXPECT_THROW(task.get(), task_cancelled);
}

TEST(time_limit, D4_a_throw_after_the_request_is_cancelled_too) {
  const testing::watchdog dog("time limit, throws");
  manual_clock clock;
  thread_pool pool(on(clock));
  gate started;
  auto task = pool.submit({.timeout = 1s}, [&] {
    started.open();
    until_stopped();
    throw std::runtime_error("stopped");
  });
  started.wait();
  clock.advance(1s);
  task.wait();
  EXPECT_EQ(task.cancellation(), cancellation::threw);
  EXPECT_EQ(reason_of(task), cancel_reason::timed_out);
}

TEST(time_limit, R18_whoever_asked_first_is_the_reason) {
  const testing::watchdog dog("time limit × cancel");
  manual_clock clock;
  thread_pool pool(on(clock));
  gate started;
  gate release;
  auto task = pool.submit({.timeout = 1s}, [&] {
    started.open();
    release.wait();
  });
  const testing::opens_at_exit opener(release);
  started.wait();
  EXPECT_EQ(task.cancel(), cancel_result::requested);
  clock.advance(1h);
  release.open();
  EXPECT_EQ(reason_of(task), cancel_reason::cancelled);
}

TEST(time_limit, R19_stop_callbacks_run_on_another_thread_than_the_one_that_moves_the_clock) {
  const testing::watchdog dog("time limit, callbacks");
  manual_clock clock;
  thread_pool pool(on(clock));
  gate started;
  gate called;
  std::thread::id caller;
  std::thread::id worker;
  auto task = pool.submit({.timeout = 1s}, [&](std::stop_token stop) {
    worker = std::this_thread::get_id();
    const std::stop_callback on_stop(stop, [&] {
      caller = std::this_thread::get_id();
      EXPECT_EQ(pool.stats().running, 1u) << "no lock is held";
      called.open();
    });
    started.open();
    called.wait();
  });
  started.wait();
  clock.advance(1s);
  task.wait();
  EXPECT_NE(caller, std::this_thread::get_id());
  EXPECT_NE(caller, worker);
}

// R5: one callback that does not return holds up other callbacks, but no request that is due.
TEST(time_limit, R5_a_slow_callback_does_not_hold_up_requests_that_come_due) {
  const testing::watchdog dog("time limit, slow callback");
  manual_clock clock;
  thread_pool pool(on(clock, 2));
  gate started;
  gate called;
  gate release;
  auto slow = pool.submit({.timeout = 1s}, [&](std::stop_token stop) {
    const std::stop_callback on_stop(stop, [&] {
      called.open();
      release.wait();
    });
    started.open();
    called.wait();
  });
  const testing::opens_at_exit opener(release);
  started.wait();
  gate other_started;
  auto other = pool.submit({.timeout = 2s}, [&] {
    other_started.open();
    until_stopped();
  });
  other_started.wait();
  clock.advance(1s);
  called.wait();
  clock.advance(1s);  // the guard's thread is still inside the callback
  EXPECT_EQ(reason_of(other), cancel_reason::timed_out);
  release.open();
  EXPECT_EQ(reason_of(slow), cancel_reason::timed_out);
}

TEST(time_limit, several_deadlines_ring_by_due_time_then_by_id) {
  const testing::watchdog dog("time limit, order");
  manual_clock clock;
  thread_pool pool(on(clock, 3));
  std::vector<int> order;  // the guard's thread alone writes
  gate called[3];
  std::atomic<int> ready{0};
  std::vector<future<void>> tasks;
  for (const auto limit : {3s, 2s, 2s}) {
    const int name = static_cast<int>(tasks.size());
    tasks.push_back(pool.submit({.timeout = limit}, [&, name](std::stop_token stop) {
      const std::stop_callback on_stop(stop, [&, name] {
        order.push_back(name);
        called[name].open();
      });
      ++ready;
      called[name].wait();
    }));
  }
  ASSERT_TRUE(eventually([&] { return ready == 3; }));
  clock.advance(1h);
  for (auto& task : tasks) task.wait();
  EXPECT_EQ(order, (std::vector<int>{1, 2, 0}));
}

TEST(time_limit, works_for_a_body_on_its_caller) {
  const testing::watchdog dog("time limit, caller runs");
  manual_clock clock;
  auto options = on(clock);
  options.capacity = 0;
  options.on_saturation = saturation::caller_runs;
  thread_pool pool(options);
  testing::held_worker held(pool);
  auto task = pool.submit({.timeout = 1s}, [&] {
    clock.advance(1s);
    return this_task::stop_requested();
  });
  EXPECT_THROW(task.get(), task_cancelled);
}

// A drained body stands outside of its pool: real time.
TEST(time_limit, works_for_a_drained_body_in_real_time) {
  const testing::watchdog dog("time limit, drained");
  future<void> task;
  std::vector<drained_task> drained;
  {
    manual_clock clock;
    thread_pool pool(on(clock));
    testing::held_worker held(pool);
    task = pool.submit({.timeout = 1ms}, until_stopped);
    drained = pool.shutdown_now();
  }
  ASSERT_EQ(drained.size(), 1u);
  drained[0]();
  EXPECT_EQ(reason_of(task), cancel_reason::timed_out);
}

TEST(time_limit, real_time_is_never_early) {
  const testing::watchdog dog("time limit, real time");
  thread_pool pool({.core = 2, .max = 2, .capacity = 16});
  auto late = pool.submit({.timeout = 1h}, [] { this_task::sleep_for(1h); });
  auto soon = pool.submit({.timeout = 20ms}, [] {
    EXPECT_FALSE(this_task::sleep_for(1h)) << "the request ends the sleep";
    EXPECT_GE(std::chrono::steady_clock::now(), *this_task::deadline());
  });
  EXPECT_EQ(reason_of(soon), cancel_reason::timed_out);
  EXPECT_EQ(late.cancel(), cancel_result::requested);
  EXPECT_EQ(reason_of(late), cancel_reason::cancelled);
}

TEST(time_limit, this_task_knows_its_deadline) {
  manual_clock clock(clock::time_point(100s));
  thread_pool pool(on(clock));
  using deadline = std::optional<clock::time_point>;
  const auto ask = [] { return this_task::deadline(); };
  EXPECT_EQ(pool.submit({.timeout = 7s}, ask).get(), deadline(clock::time_point(107s)));
  EXPECT_EQ(pool.submit({.name = "unlimited"}, ask).get(), deadline());
  EXPECT_EQ(pool.submit(ask).get(), deadline());
  EXPECT_EQ(this_task::deadline(), deadline());
}

// Case: max() must not overflow into the past.
TEST(time_limit, a_huge_limit_is_none) {
  const testing::watchdog dog("time limit, huge");
  thread_pool pool({.core = 1, .max = 1, .capacity = 16});
  EXPECT_EQ(pool.submit({.timeout = clock::duration::max() - 1ns}, [] { return 1; }).get(), 1);
  EXPECT_THROW(pool.submit({.timeout = 0s}, [] {}), std::invalid_argument);
  EXPECT_THROW(pool.submit({.timeout = -1s}, [] {}), std::invalid_argument);
}

// The pool's destructor waits for the body, and time must go on for it meanwhile.
TEST(time_limit, E4_goes_on_while_the_pool_is_being_destroyed) {
  const testing::watchdog dog("time limit × destruction");
  manual_clock clock;
  gate started;
  future<void> task;
  std::thread mover;
  {
    thread_pool pool(on(clock));
    task = pool.submit({.timeout = 1s}, [&] {
      started.open();
      until_stopped();
    });
    started.wait();
    pool.close();
    mover = std::thread([&] {
      while (task.state() == task_state::running) clock.advance(100ms);
    });
  }
  mover.join();
  EXPECT_EQ(reason_of(task), cancel_reason::timed_out);
}

/// Real time, as a clock of somebody else's; counts how often it is asked.
class foreign_clock final : public clock {
 public:
  time_point now() const noexcept override {
    ++asked;
    return std::chrono::steady_clock::now() + k_ahead;
  }
  std::optional<std::chrono::steady_clock::time_point> real_time_of(
      time_point due) const noexcept override {
    return due - k_ahead;
  }
  mutable std::atomic<int> asked{0};

 private:
  static constexpr auto k_ahead = 1000h;
};

TEST(time_limit, C4_works_on_a_clock_that_only_knows_when_to_look_again) {
  const testing::watchdog dog("time limit, foreign clock");
  foreign_clock clock;
  {
    thread_pool pool(on(clock, 2));
    auto first = pool.submit({.timeout = 30ms}, [] { this_task::sleep_for(1h); });
    auto second = pool.submit({.timeout = 10ms}, [] { this_task::sleep_for(1h); });
    EXPECT_EQ(reason_of(second), cancel_reason::timed_out);
    EXPECT_EQ(reason_of(first), cancel_reason::timed_out);
  }
  EXPECT_LT(clock.asked, 200) << "nobody polls";
}

TEST(time_limit, many_pools_and_clocks_share_one_guard) {
  const testing::watchdog dog("time limit, many clocks");
  for (int round = 0; round < 20; ++round) {
    manual_clock one;
    manual_clock two;
    thread_pool first(on(one));
    thread_pool second(on(two));
    thread_pool real({.core = 1, .max = 1, .capacity = 4});
    std::atomic<int> started{0};
    const auto body = [&] {
      ++started;
      until_stopped();
    };
    auto a = first.submit({.timeout = 1s}, body);
    auto b = second.submit({.timeout = 1s}, body);
    auto c = real.submit({.timeout = 1ms}, body);
    ASSERT_TRUE(eventually([&] { return started == 3; }));
    two.advance(1s);
    EXPECT_EQ(reason_of(b), cancel_reason::timed_out);
    EXPECT_EQ(reason_of(c), cancel_reason::timed_out);
    EXPECT_EQ(a.state(), task_state::running);
    one.advance(1s);
    EXPECT_EQ(reason_of(a), cancel_reason::timed_out);
  }
}

}  // namespace
}  // namespace weir
