// What Java's rules say of the end (rules 128 to 153), beyond what shutdown_test.cpp holds.

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "support/conservation.hpp"
#include "support/gate.hpp"
#include "support/outcome.hpp"
#include "weir/this_task.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;
using testing::gate;
using testing::held_worker;
using testing::reason_of;

/// open, then closed, then terminated: where a pool stands.
std::string stage(const thread_pool& pool) {
  if (pool.terminated()) return pool.closed() ? "terminated" : "terminated and open";
  return pool.closed() ? "closed" : "open";
}

// tck 128, 129, 140: forward only, and closed lies between the first and the last.
TEST(termination, E1_stages_follow_one_another) {
  for (const bool abort : {false, true}) {
    thread_pool pool = thread_pool::fixed(1, 1);
    EXPECT_EQ(stage(pool), "open");
    held_worker busy(pool);
    EXPECT_EQ(stage(pool), "open");
    if (abort) {
      pool.abort();
    } else {
      pool.close();
    }
    EXPECT_EQ(stage(pool), "closed");
    busy.release();
    pool.join();
    EXPECT_EQ(stage(pool), "terminated");
    pool.close();
    (void)pool.abort();
    EXPECT_EQ(stage(pool), "terminated");
  }
}

// tck 132: who runs hears nothing of close.
TEST(termination, E1_close_asks_nobody_to_stop) {
  thread_pool pool = thread_pool::fixed(1, 1);
  gate entered, release;
  auto task = pool.submit([&](std::stop_token stop) {
    entered.open();
    release.wait();
    return stop.stop_requested() || this_task::stop_requested();
  });
  entered.wait();
  pool.close();
  EXPECT_EQ(task.state(), task_state::running);
  release.open();
  EXPECT_FALSE(task.get());
}

// tck 134, 136: exactly those that have not started, and then none waits any more.
TEST(termination, E2_of_five_with_two_running_three_come_back) {
  thread_pool pool = thread_pool::fixed(2, 3);
  held_worker one(pool), two(pool);
  std::set<std::uint64_t> waiting;
  for (int task = 0; task < 3; ++task) waiting.insert(pool.submit([] {}).id());
  const auto drained = pool.shutdown_now();
  std::set<std::uint64_t> back;
  for (const auto& each : drained) back.insert(each.id());
  EXPECT_EQ(back, waiting);
  EXPECT_EQ(pool.stats().queued, 0u);
  EXPECT_EQ(pool.stats().running, 2u);
}

// tck 139: close after abort changes nothing; shutdown_now after close still drains.
TEST(termination, E2_later_verbs_escalate_and_never_soften) {
  thread_pool pool = thread_pool::fixed(1, 2);
  held_worker busy(pool);
  auto waits = pool.submit([] { return 1; });
  pool.close();
  auto drained = pool.shutdown_now();
  ASSERT_EQ(drained.size(), 1u);
  EXPECT_TRUE(pool.stop_token().stop_requested());
  pool.close();
  EXPECT_TRUE(pool.stop_token().stop_requested());
  EXPECT_EQ(busy.done().state(), task_state::cancel_requested);
  EXPECT_EQ(pool.abort(), 0u);
  EXPECT_EQ(waits.state(), task_state::queued) << "it belongs to whoever drained it";
  drained[0]();
  EXPECT_EQ(waits.get(), 1);
}

// tck 142.
TEST(termination, E3_a_wait_on_an_open_pool_ends_with_its_limit_and_not_before) {
  thread_pool pool = thread_pool::fixed(1, 1);
  pool.submit([] {}).get();
  const auto before = std::chrono::steady_clock::now();
  EXPECT_FALSE(pool.join_for(20ms));
  EXPECT_GE(std::chrono::steady_clock::now() - before, 20ms);
  EXPECT_FALSE(pool.closed()) << "a wait ends nothing";
}

// tck 143, 144: at once, whatever the limit: false while open, true when terminated.
TEST(termination, E3_every_limit_is_legal) {
  const std::chrono::nanoseconds limits[] = {0ns, -1ns, std::chrono::nanoseconds::min(), 1h,
                                             std::chrono::nanoseconds::max()};
  thread_pool pool = thread_pool::fixed(1, 1);
  for (const auto limit : {limits[0], limits[1], limits[2]}) EXPECT_FALSE(pool.join_for(limit));
  pool.close();
  pool.join();
  for (const auto limit : limits) {
    EXPECT_TRUE(pool.join_for(limit));
    EXPECT_TRUE(pool.wait_idle_for(limit));
  }
}

// tck 150: a pool that has ended stays as it is, whoever ends it again.
TEST(termination, E1_ending_what_has_ended_does_nothing) {
  auto pool = std::make_unique<thread_pool>(pool_options{.core = 1, .max = 2, .capacity = 2});
  pool->submit([] {}).get();
  pool->close();
  pool->join();
  const pool_stats before = pool->stats();
  pool->close();
  EXPECT_EQ(pool->abort(), 0u);
  EXPECT_TRUE(pool->shutdown_now().empty());
  EXPECT_EQ(pool->cancel_pending(), 0u);
  EXPECT_TRUE(pool->shutdown(1h));
  pool->join();
  pool->wait_idle();
  EXPECT_EQ(pool->try_submit([] {}).why(), reject_reason::closed);
  EXPECT_TRUE(pool->terminated());
  EXPECT_EQ(pool->stats().accepted, before.accepted);
  EXPECT_EQ(pool->stats().cancelled, 0u);
  EXPECT_EQ(pool->size(), 0u);
  pool.reset();
}

// tck 230: there is no switch for it; what is not yet due is cancelled by asking for that.
TEST(termination, R20_what_is_not_yet_due_can_be_cancelled_after_close) {
  manual_clock clock;
  thread_pool pool({.core = 1, .max = 1, .capacity = 4, .clock = &clock});
  auto one = pool.submit_after(1s, [] {});
  auto two = pool.submit_after(1h, [] {});
  pool.close();
  EXPECT_EQ(pool.cancel_pending(), 2u);
  pool.join();
  EXPECT_EQ(reason_of(one), cancel_reason::cancelled);
  EXPECT_EQ(reason_of(two), cancel_reason::cancelled);
  testing::expect_conserved(pool.stats());
}

}  // namespace
}  // namespace weir
