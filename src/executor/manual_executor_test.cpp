#include "weir/manual_executor.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/seed.hpp"
#include "sync/thread.hpp"
#include "weir/this_task.hpp"

namespace {

using namespace weir;
using namespace std::chrono_literals;

TEST(manual_executor, runs_in_order_and_only_when_cranked) {
  manual_executor tasks;
  std::vector<int> order;
  for (int at = 1; at <= 3; ++at) tasks.execute([&order, at] { order.push_back(at); });
  EXPECT_TRUE(order.empty());
  EXPECT_EQ(tasks.pending(), 3u);
  EXPECT_TRUE(tasks.run_one());
  EXPECT_EQ(order, std::vector{1});
  EXPECT_EQ(tasks.run_all(), 2u);
  EXPECT_EQ(order, (std::vector{1, 2, 3}));
  EXPECT_FALSE(tasks.run_one());
}

TEST(manual_executor, run_ready_leaves_what_comes_meanwhile) {
  manual_executor tasks;
  int runs = 0;
  tasks.execute([&] {
    ++runs;
    tasks.execute([&] { ++runs; });
  });
  EXPECT_EQ(tasks.run_ready(), 1u);
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(tasks.ready(), 1u);
  EXPECT_EQ(tasks.run_all(), 1u);
  EXPECT_EQ(runs, 2);
}

TEST(manual_executor, B3_a_cancelled_task_gives_its_place_back) {
  manual_executor tasks(1);
  const auto held = std::make_shared<int>(0);
  auto first = tasks.submit([held] {});
  EXPECT_EQ(tasks.try_submit([] {}).why(), reject_reason::saturated);
  EXPECT_EQ(first.cancel(), cancel_result::cancelled);
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_EQ(tasks.pending(), 0u);
  auto second = tasks.submit([] { return 2; });
  EXPECT_EQ(tasks.run_all(), 1u);
  EXPECT_EQ(second.get(), 2);
}

TEST(manual_executor, refuses_as_often_as_it_is_told) {
  manual_executor tasks;
  tasks.refuse_next(2, reject_reason::no_thread);
  auto task = [held = std::make_unique<int>(5)] { return *held; };
  EXPECT_EQ(tasks.try_submit(std::move(task)).why(), reject_reason::no_thread);
  EXPECT_THROW(tasks.submit(std::move(task)), rejected);
  auto third = tasks.submit(std::move(task));
  tasks.run_all();
  EXPECT_EQ(third.get(), 5);
}

TEST(manual_executor, E1_closed_it_refuses_and_still_runs_what_it_has) {
  manual_executor tasks;
  auto accepted = tasks.submit([] {});
  tasks.close();
  EXPECT_EQ(tasks.try_submit([] {}).why(), reject_reason::closed);
  EXPECT_EQ(tasks.run_all(), 1u);
  EXPECT_EQ(accepted.state(), task_state::succeeded);
}

TEST(manual_executor, A1_dropped_it_cancels_what_waits) {
  future<void> waiting;
  {
    manual_executor tasks;
    waiting = tasks.submit([] {});
  }
  EXPECT_EQ(waiting.state(), task_state::cancelled);
  try {
    waiting.get();
    FAIL();
  } catch (const task_cancelled& error) {
    EXPECT_EQ(error.reason(), cancel_reason::aborted);
  }
}

TEST(manual_executor, R20_cancel_pending_leaves_the_running_task_alone) {
  manual_executor tasks;
  auto running = tasks.submit([&tasks] {
    EXPECT_EQ(tasks.cancel_pending(), 2u);
    EXPECT_FALSE(this_task::stop_requested());
  });
  auto first = tasks.submit([] {});
  auto second = tasks.submit([] {});
  EXPECT_EQ(tasks.run_all(), 1u);
  EXPECT_EQ(running.state(), task_state::succeeded);
  EXPECT_EQ(first.cancellation(), cancellation::never_started);
  EXPECT_EQ(second.state(), task_state::cancelled);
}

TEST(manual_executor, A3_a_running_task_hears_cancel) {
  manual_executor tasks;
  future<int> task;
  task = tasks.submit([&task](std::stop_token stop) {
    EXPECT_EQ(task.ref().cancel(), cancel_result::requested);
    EXPECT_TRUE(stop.stop_requested());
    return 1;
  });
  tasks.run_all();
  EXPECT_EQ(task.cancellation(), cancellation::returned);
}

TEST(manual_executor, C1_delayed_tasks_wait_for_the_clock) {
  manual_clock clock;
  manual_executor tasks(clock);
  std::vector<std::string> order;
  (void)tasks.submit_after(2s, [&] { order.push_back("late"); });
  (void)tasks.submit_after(1s, [&] { order.push_back("soon"); });
  tasks.execute([&] { order.push_back("now"); });
  EXPECT_EQ(tasks.ready(), 1u);
  EXPECT_EQ(tasks.pending(), 3u);
  EXPECT_EQ(tasks.run_all(), 1u);
  clock.advance(1s);
  EXPECT_EQ(tasks.ready(), 1u);
  EXPECT_EQ(tasks.run_for(1s), 2u);
  EXPECT_EQ(order, (std::vector<std::string>{"now", "soon", "late"}));
}

TEST(manual_executor, C3_run_for_stops_at_every_due_time) {
  manual_clock clock;
  manual_executor tasks(clock);
  const auto start = clock.now();
  std::vector<clock::duration> seen;
  (void)tasks.submit_after(10ms, [&] {
    seen.push_back(clock.now() - start);
    (void)tasks.submit_after(10ms, [&] { seen.push_back(clock.now() - start); });
  });
  (void)tasks.submit_after(1h, [&] { seen.push_back(1h); });
  EXPECT_EQ(tasks.run_for(50ms), 2u);
  EXPECT_EQ(seen, (std::vector<clock::duration>{10ms, 20ms}));
  EXPECT_EQ(clock.now() - start, 50ms);
  EXPECT_EQ(tasks.pending(), 1u);
}

TEST(manual_executor, B7_a_delay_needs_a_clock_and_a_future) {
  manual_executor without;
  EXPECT_THROW((void)without.submit_after(1s, [] {}), std::invalid_argument);
  EXPECT_THROW((void)without.run_for(1s), std::invalid_argument);
  manual_clock clock;
  manual_executor tasks(clock);
  EXPECT_THROW((void)tasks.submit_after(-1s, [] {}), std::invalid_argument);
  EXPECT_THROW((void)tasks.run_for(-1s), std::invalid_argument);
}

TEST(manual_executor, A1_others_may_submit_and_cancel_while_one_cranks) {
  constexpr int k_rounds = 2000;
  manual_executor tasks;
  std::vector<future<void>> made;
  made.reserve(k_rounds);
  sync::thread other([&] {
    for (int at = 0; at < k_rounds; ++at) {
      made.push_back(tasks.submit([] {}));
      if (at % 3 == 0) made.back().cancel();
    }
    tasks.close();
  });
  std::size_t ran = 0;
  while (tasks.try_submit([] {}).accepted()) ran += tasks.run_ready() - 1;
  other.join();
  ran += tasks.run_all();
  std::size_t returned = 0;
  for (const auto& one : made) {
    EXPECT_TRUE(is_terminal(one.state()));
    const bool late = one.cancellation() == cancellation::returned;  // asked to stop while it ran
    returned += one.state() == task_state::succeeded || late ? 1 : 0;
  }
  EXPECT_EQ(returned, ran);
}

}  // namespace
