// What Java's rules say of many tasks at once (rules 190 to 209), beyond what batch_test.cpp holds.

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <thread>
#include <vector>

#include "support/conservation.hpp"
#include "support/eventually.hpp"
#include "support/gate.hpp"
#include "support/watchdog.hpp"
#include "weir/this_task.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;
using testing::held_worker;
using work = std::function<int()>;

// tck 196: a task that somebody cancels meanwhile ends the wait for it and no more.
TEST(bulk, invoke_all_waits_through_cancelled_tasks) {
  const testing::watchdog dog("invoke_all and cancelled tasks");
  thread_pool pool = thread_pool::fixed(1, 4);
  held_worker busy(pool);
  std::thread canceller([&] {
    EXPECT_TRUE(testing::eventually([&] { return pool.stats().queued == 3; }));
    EXPECT_EQ(pool.cancel_pending(), 3u);
  });
  auto all = pool.invoke_all(std::vector<work>(3, [] { return 1; }));
  canceller.join();
  ASSERT_EQ(all.size(), 3u);
  for (auto& each : all) EXPECT_THROW((void)each.get(), task_cancelled);
}

// tck 201, 203: all of them are let in before one is awaited; where that fails none goes on.
TEST(bulk, R12_invoke_any_that_is_refused_leaves_nobody_at_work) {
  thread_pool pool = thread_pool::fixed(1, 2);
  held_worker busy(pool);
  const auto never = [] {
    ADD_FAILURE() << "it runs";
    return 0;
  };
  EXPECT_THROW((void)pool.invoke_any(std::vector<work>(3, never)), rejected);
  const pool_stats now = pool.stats();
  EXPECT_EQ(now.queued, 0u);
  EXPECT_EQ(now.refused, 3u);
  busy.release();
  pool.wait_idle();
  testing::expect_conserved(pool.stats());
}

// tck 193, 201: the same where a policy lets some of them in first.
TEST(bulk, R12_invoke_any_cancels_what_was_let_in_before_the_refusal) {
  pool_options options{.core = 1, .max = 1, .capacity = 2};
  options.on_saturation = [](const pool_stats&) { return saturation::reject; };
  thread_pool pool(options);
  held_worker busy(pool);
  const auto never = [] {
    ADD_FAILURE() << "it runs";
    return 0;
  };
  EXPECT_THROW((void)pool.invoke_any(std::vector<work>(3, never)), rejected);
  EXPECT_EQ(pool.stats().queued, 0u);
  EXPECT_EQ(pool.stats().cancelled, 2u);
}

// tck 197, 198: the list is whole, and what has not started by then never does.
TEST(bulk, B5_a_limit_cuts_off_and_leaves_no_future_out) {
  const testing::watchdog dog("invoke_all_for");
  thread_pool pool = thread_pool::fixed(1, 8);
  held_worker busy(pool);
  const auto before = std::chrono::steady_clock::now();
  auto futures = pool.invoke_all_for(20ms, std::vector<work>(4, [] { return 1; }));
  EXPECT_GE(std::chrono::steady_clock::now() - before, 20ms) << "tck 199";
  ASSERT_EQ(futures.size(), 4u);
  for (const auto& each : futures) EXPECT_EQ(each.cancellation(), cancellation::never_started);
}

// tck 197: what was over in time keeps its result, and what runs is asked to stop.
TEST(bulk, B5_a_limit_takes_no_result_away) {
  const testing::watchdog dog("results before the limit");
  thread_pool pool = thread_pool::fixed(1, 8);
  testing::gate first_is_over;
  const std::vector<work> all{[] { return 1; },
                              [&] {
                                first_is_over.open();
                                (void)this_task::sleep_for(1h);
                                return 2;
                              }};
  // Only the time until the first one has run is the machine's affair; try again with more of it.
  for (auto limit = 10ms; limit < 100s; limit *= 10) {
    auto futures = pool.invoke_all_for(limit, all);
    pool.wait_idle();
    if (!first_is_over.is_open()) continue;
    EXPECT_EQ(futures[0].get(), 1);
    EXPECT_THROW((void)futures[1].get(), task_cancelled);
    return;
  }
  ADD_FAILURE() << "a body that returns at once did not run within a limit of 10 s";
}

TEST(bulk, B5_within_its_limit_it_is_as_without) {
  thread_pool pool = thread_pool::fixed(2, 8);
  for (const auto limit : {std::chrono::nanoseconds(1h), std::chrono::nanoseconds::max()}) {
    auto futures = pool.invoke_all_for(limit, std::vector<work>(5, [] { return 3; }));
    ASSERT_EQ(futures.size(), 5u);
    for (auto& each : futures) EXPECT_EQ(each.get(), 3);
    EXPECT_EQ(pool.invoke_any_for(limit, std::vector<work>(5, [] { return 4; })), 4);
  }
}

// tck 179, 198, 204: no time at all is a legal limit.
TEST(bulk, B5_no_time_at_all_is_a_legal_limit) {
  const testing::watchdog dog("no time at all");
  for (const auto limit : {0ns, -1ns, std::chrono::nanoseconds::min()}) {
    thread_pool pool = thread_pool::fixed(1, 8);
    held_worker busy(pool);
    auto futures = pool.invoke_all_for(limit, std::vector<work>(3, [] { return 1; }));
    ASSERT_EQ(futures.size(), 3u);
    for (auto& each : futures) EXPECT_EQ(each.state(), task_state::cancelled);
    EXPECT_THROW((void)pool.invoke_any_for(limit, std::vector<work>(3, [] { return 1; })),
                 timed_out);
    EXPECT_EQ(pool.stats().queued, 0u);
    EXPECT_EQ(pool.stats().cancelled, 6u);
  }
}

}  // namespace
}  // namespace weir
