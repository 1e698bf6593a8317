// What Java's rules say of counts (rules 117 to 127, 227, 252), beyond what keep_alive_test.cpp
// holds. Where Java's counts are estimates, weir's are exact.

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <vector>

#include "support/conservation.hpp"
#include "support/eventually.hpp"
#include "support/gate.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;
using testing::gate;
using testing::held_worker;

// tck 106, 117, 122: a running task is not among the waiting, and each is counted once.
TEST(statistics, G1_running_and_waiting_are_exact) {
  thread_pool pool = thread_pool::fixed(2, 4);
  EXPECT_EQ(pool.stats().running, 0u);
  held_worker one(pool);
  EXPECT_EQ(pool.stats().running, 1u);
  EXPECT_EQ(pool.stats().queued, 0u);
  held_worker two(pool);
  auto waits = pool.submit([] {});
  const pool_stats now = pool.stats();
  EXPECT_EQ(now.running, 2u);
  EXPECT_EQ(now.queued, 1u);
  EXPECT_EQ(now.accepted, 3u);
  testing::expect_accounted(now);
}

// tck 120, where Java's count may lag behind the future: whoever has seen the end finds it counted.
TEST(statistics, R6_a_count_is_never_behind_a_future) {
  thread_pool pool = thread_pool::fixed(2, 8);
  for (std::uint64_t done = 0; done < 2'000; done += 2) {
    auto one = pool.submit([] {});
    auto two = pool.submit([] {});
    one.get();
    two.get();
    ASSERT_EQ(pool.stats().succeeded, done + 2);
  }
}

// tck 120: not counted while it runs.
TEST(statistics, G1_a_running_task_is_not_completed) {
  thread_pool pool = thread_pool::fixed(1, 1);
  held_worker busy(pool);
  EXPECT_EQ(pool.stats().succeeded, 0u);
  busy.release();
  EXPECT_EQ(pool.stats().succeeded, 1u);
}

// tck 111, 121, 124, where Java's task count falls: the waiting fall, the totals never do.
TEST(statistics, A1_two_of_five_are_cancelled) {
  thread_pool pool = thread_pool::fixed(1, 5);
  held_worker busy(pool);
  std::vector<future<void>> all;
  for (int task = 0; task < 5; ++task) all.push_back(pool.submit([] {}));
  all[1].cancel();
  all[3].cancel();
  const pool_stats now = pool.stats();
  EXPECT_EQ(now.accepted, 6u);
  EXPECT_EQ(now.queued, 3u);
  EXPECT_EQ(now.cancelled, 2u);
  testing::expect_accounted(now);
}

// tck 125.
TEST(statistics, A1_after_termination_all_that_was_accepted_has_succeeded) {
  thread_pool pool = thread_pool::fixed(2, unbounded);
  for (int task = 0; task < 500; ++task) pool.execute([] {});
  pool.close();
  pool.join();
  EXPECT_EQ(pool.stats().accepted, 500u);
  EXPECT_EQ(pool.stats().succeeded, 500u);
  testing::expect_conserved(pool.stats());
}

// tck 91, 119: the most there ever were stays, the size does not.
TEST(statistics, G1_high_water_marks_never_fall) {
  manual_clock clock;
  pool_options options{.core = 0, .max = 3, .keep_alive = 1s, .capacity = 2, .clock = &clock};
  thread_pool pool(options);
  gate release;
  for (int task = 0; task < 5; ++task) pool.execute([&] { release.wait(); });
  EXPECT_EQ(pool.size(), 3u);
  release.open();
  pool.wait_idle();
  ASSERT_TRUE(testing::eventually([&] {
    clock.advance(1s);
    return pool.size() == 0;
  }));
  EXPECT_EQ(pool.stats().workers_max, 3u);
  pool.submit([] {}).get();
  pool.close();
  pool.join();
  EXPECT_EQ(pool.stats().workers, 0u);
  EXPECT_EQ(pool.stats().workers_max, 3u);
  EXPECT_EQ(pool.stats().waiting_max, 2u);
}

// tck 227, 252: delayed tasks are counted from their admission, apart from those that are due.
TEST(statistics, G1_delayed_tasks_are_counted_apart) {
  manual_clock clock;
  thread_pool pool({.core = 1, .max = 1, .capacity = 8, .clock = &clock});
  std::vector<future<void>> all;
  for (int task = 1; task <= 5; ++task) {
    all.push_back(pool.submit_after(std::chrono::seconds(task), [] {}));
  }
  EXPECT_EQ(pool.stats().accepted, 5u);
  EXPECT_EQ(pool.stats().delayed, 5u);
  EXPECT_EQ(pool.stats().queued, 0u);
  all[4].cancel();
  EXPECT_EQ(pool.stats().delayed, 4u);
  clock.advance(2s);
  all[1].get();
  const pool_stats now = pool.stats();
  EXPECT_EQ(now.succeeded, 2u);
  EXPECT_EQ(now.delayed, 2u);
  EXPECT_EQ(now.workers_max, 1u);
  testing::expect_accounted(now);
}

// tck 127: asking never waits for a body, whoever holds which worker.
TEST(statistics, G1_asking_waits_for_nobody) {
  thread_pool pool = thread_pool::fixed(1, 1);
  held_worker busy(pool);
  auto waits = pool.submit([] {});
  for (int look = 0; look < 1'000; ++look) ASSERT_EQ(pool.stats().running, 1u);
}

}  // namespace
}  // namespace weir
