// What Java's rules say of many tasks at once (rules 190 to 209), beyond what batch_test.cpp holds.

#include <gtest/gtest.h>

#include <functional>
#include <thread>
#include <vector>

#include "support/conservation.hpp"
#include "support/eventually.hpp"
#include "support/gate.hpp"
#include "support/watchdog.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

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

}  // namespace
}  // namespace weir
