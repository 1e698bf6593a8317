// How long workers stay: keep-alive, core time-out, E6's counts, and the faults of other pools.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include "support/eventually.hpp"
#include "support/gate.hpp"
#include "support/watchdog.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;
using testing::eventually;
using testing::gate;
using testing::held_worker;

pool_options on(manual_clock& clock, std::size_t core, std::size_t max) {
  pool_options options{.core = core, .max = max, .keep_alive = 1s, .capacity = 0};
  options.clock = &clock;
  return options;
}

/// Makes the pool grow to its full size, every worker with a body of its own, and come to rest
/// again.
void fill_and_release(thread_pool& pool, std::size_t workers) {
  gate release;
  std::atomic<std::size_t> entered{0};
  std::vector<future<void>> all;
  for (std::size_t at = 0; at < workers; ++at) {
    all.push_back(pool.submit([&] {
      ++entered;
      release.wait();
    }));
  }
  EXPECT_TRUE(eventually([&] { return entered == workers; }));
  release.open();
  for (auto& each : all) each.get();
  ASSERT_TRUE(eventually([&] { return pool.stats().idle == workers; }));
}

// tck 20, 76, 78.
TEST(keep_alive, excess_workers_leave_after_it_and_core_workers_stay) {
  manual_clock clock;
  thread_pool pool(on(clock, 2, 5));
  fill_and_release(pool, 5);
  EXPECT_EQ(pool.size(), 5u);
  clock.advance(1s - 1ns);
  pool.submit([] {}).get();
  EXPECT_EQ(pool.size(), 5u);
  ASSERT_TRUE(eventually([&] {
    clock.advance(1s);
    return pool.size() == 2;
  }));
  clock.advance(1h);
  pool.submit([] {}).get();
  EXPECT_EQ(pool.size(), 2u);
}

// tck 77.
TEST(keep_alive, core_workers_leave_where_they_may) {
  manual_clock clock;
  auto options = on(clock, 2, 2);
  options.core_may_time_out = true;
  thread_pool pool(options);
  fill_and_release(pool, 2);
  ASSERT_TRUE(eventually([&] {
    clock.advance(1s);
    return pool.size() == 0;
  }));
  EXPECT_EQ(pool.submit([] { return 1; }).get(), 1) << "and come back for work";
}

// tck 4, 86.
TEST(keep_alive, zero_means_at_once) {
  pool_options options{.core = 1, .max = 3, .keep_alive = 0ns, .capacity = 0};
  thread_pool pool(options);
  gate release;
  std::vector<future<void>> all;
  for (int at = 0; at < 3; ++at) all.push_back(pool.submit([&] { release.wait(); }));
  EXPECT_EQ(pool.size(), 3u);
  release.open();
  for (auto& each : all) each.get();
  EXPECT_TRUE(eventually([&] { return pool.size() == 1; }));
}

// tck 87.
TEST(keep_alive, the_longest_one_is_legal) {
  auto pool = std::make_unique<thread_pool>(pool_options{
      .core = 0, .max = 1, .keep_alive = std::chrono::nanoseconds::max(), .capacity = 0});
  pool->submit([] {}).get();
  pool->submit([] {}).get();
  EXPECT_EQ(pool->size(), 1u);
  pool.reset();
}

TEST(keep_alive, work_renews_it) {
  manual_clock clock;
  thread_pool pool(on(clock, 0, 1));
  for (int round = 0; round < 20; ++round) {
    pool.submit([] {}).get();
    ASSERT_TRUE(eventually([&] { return pool.stats().idle == 1; }));
    clock.advance(999ms);
  }
  EXPECT_EQ(pool.stats().workers_max, 1u);
  ASSERT_TRUE(eventually([&] {
    clock.advance(1s);
    return pool.size() == 0;
  }));
}

// Case 8, tck 38: several time out at one instant and must not shrink the pool below core together.
TEST(keep_alive, B1_a_pool_never_shrinks_below_core) {
  const testing::watchdog dog("never below core");
  manual_clock clock;
  thread_pool pool(on(clock, 3, 6));
  for (int round = 0; round < 100; ++round) {
    fill_and_release(pool, 6);
    std::size_t least = 6;
    ASSERT_TRUE(eventually([&] {
      clock.advance(1s);
      const std::size_t now = pool.size();
      least = std::min(least, now);
      return now == 3;
    }));
    EXPECT_EQ(least, 3u);
  }
}

// A place is used again by another worker, with a keep-alive of its own.
TEST(keep_alive, a_new_worker_does_not_inherit_the_old_one_s_end) {
  manual_clock clock;
  thread_pool pool(on(clock, 0, 1));
  for (int round = 0; round < 20; ++round) {
    pool.submit([] {}).get();
    EXPECT_EQ(pool.size(), 1u);
    ASSERT_TRUE(eventually([&] {
      clock.advance(1s);
      return pool.size() == 0;
    }));
  }
}

// tck 117, 122, 123.
// G1.
TEST(stats, are_one_consistent_picture) {
  manual_clock clock;
  pool_options options{.core = 1, .max = 2, .capacity = 3};
  options.clock = &clock;
  thread_pool pool(options);
  EXPECT_EQ(pool.stats().accepted, 0u);
  held_worker busy(pool);
  auto queued = pool.submit([] {});
  auto delayed = pool.submit_after(1s, [] {});
  auto cancelled = pool.submit([] {});
  cancelled.cancel();
  const pool_stats now = pool.stats();
  EXPECT_EQ(now.accepted, 4u);
  EXPECT_EQ(now.running, 1u);
  EXPECT_EQ(now.queued, 1u);
  EXPECT_EQ(now.delayed, 1u);
  EXPECT_EQ(now.cancelled, 1u);
  EXPECT_EQ(now.workers, 1u);
  EXPECT_EQ(now.idle, 0u);
  EXPECT_EQ(now.waiting_max, 3u);
  EXPECT_EQ(now.workers_max, 1u);
  EXPECT_EQ(now.refused, 0u);
}

TEST(stats, names_are_given_or_made) {
  thread_pool named({.max = 1, .capacity = 1, .name = "mine"});
  EXPECT_EQ(named.name(), "mine");
  thread_pool one = thread_pool::fixed(1, 1), two = thread_pool::fixed(1, 1);
  EXPECT_EQ(one.name().rfind("pool-", 0), 0u);
  EXPECT_NE(one.name(), two.name());
}

}  // namespace
}  // namespace weir
