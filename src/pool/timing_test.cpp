// What a pool measures: wait, run and lateness (G1, R4).

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "support/gate.hpp"
#include "support/watchdog.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;
using testing::held_worker;

pool_options measured(weir::timing what, weir::clock* clock = nullptr) {
  pool_options options;
  options.core = options.max = 1;
  options.capacity = unbounded;
  options.clock = clock;
  options.timing = what;
  return options;
}

TEST(timing, G1_wait_and_run_are_times_of_the_pools_clock) {
  manual_clock clock;
  thread_pool pool(measured(timing::all, &clock));
  held_worker busy(pool);
  auto task = pool.submit([&clock] { clock.advance(70ms); });
  clock.advance(3s);
  busy.release();
  task.get();
  const pool_stats now = pool.stats();
  EXPECT_EQ(now.wait.count, 2u);
  EXPECT_EQ(now.wait.max, 3s);
  EXPECT_EQ(now.wait.total, 3s);
  EXPECT_EQ(now.run.count, 2u);
  EXPECT_EQ(now.run.max, 3s) << "of the held body";
  EXPECT_EQ(now.run.total, 3s + 70ms);
  EXPECT_NEAR(static_cast<double>(now.run.p50 / 1us), 70'000, 70'000.0 / 16);
  EXPECT_EQ(pool.timings().run.count(), 2u);
}

TEST(timing, G1_a_delayed_task_waits_from_its_due_time_on) {
  manual_clock clock;
  thread_pool pool(measured(timing::all, &clock));
  held_worker busy(pool);
  auto later = pool.submit_after(1h, [] {});
  clock.advance(1h + 5s);
  busy.release();
  later.get();
  EXPECT_EQ(pool.stats().wait.max, 5s);
  EXPECT_EQ(pool.stats().lateness.max, 5s);
  EXPECT_EQ(pool.stats().lateness.count, 1u);
}

TEST(timing, R4_off_measures_lateness_alone) {
  manual_clock clock;
  thread_pool pool(measured(timing::off, &clock));
  auto later = pool.submit_after(1s, [] {});
  for (int at = 0; at < 200; ++at) pool.execute([] {});
  clock.advance(1s);
  later.get();
  pool.wait_idle();
  EXPECT_EQ(pool.stats().wait.count, 0u);
  EXPECT_EQ(pool.stats().run.count, 0u);
  EXPECT_EQ(pool.stats().lateness.count, 1u);
}

TEST(timing, R4_the_default_measures_one_in_64) {
  const testing::watchdog dog("sampled");
  thread_pool pool = thread_pool::fixed(2, unbounded);
  constexpr int k_tasks = 64'000;
  for (int at = 0; at < k_tasks; ++at) pool.execute([] {});
  pool.wait_idle();
  const pool_stats now = pool.stats();
  EXPECT_EQ(now.run.count, now.wait.count);
  EXPECT_GT(now.run.count, k_tasks / 64 * 8 / 10u);
  EXPECT_LT(now.run.count, k_tasks / 64 * 12 / 10u);
  EXPECT_GT(now.wait.max, 0ns);
  EXPECT_LE(now.wait.p50, now.wait.p999);
}

// No thread is too short-lived for its tasks to be measured now and then.
TEST(timing, R4_threads_that_submit_once_are_sampled_too) {
  const testing::watchdog dog("sampled once");
  thread_pool pool = thread_pool::fixed(1, unbounded);
  constexpr std::uint64_t k_threads = 2000;
  for (std::uint64_t at = 0; at < k_threads; ++at) {
    std::thread([&pool] { pool.execute([] {}); }).join();
  }
  pool.wait_idle();
  EXPECT_GT(pool.stats().run.count, 0u);
  EXPECT_LT(pool.stats().run.count, k_threads / 16);
}

TEST(timing, G1_every_verb_is_measured) {
  const testing::watchdog dog("every verb");
  pool_options options = measured(timing::all);
  options.capacity = 8;
  options.on_saturation = saturation::caller_runs;
  thread_pool pool(options);
  pool.submit([] {}).get();
  pool.submit(task_options{.name = "named"}, [] {}).get();
  (void)pool.submit_after(1ms, [] {}).get();
  pool.try_submit([] {})->get();
  std::vector<void (*)()> all{[] {}, [] {}};
  pool.invoke_all(all);
  EXPECT_THROW(pool.submit([] { throw 1; }).get(), int);
  EXPECT_EQ(pool.stats().run.count, 7u);
  EXPECT_EQ(pool.stats().wait.count, 7u);
}

TEST(timing, G1_a_task_that_never_runs_is_not_measured) {
  manual_clock clock;
  thread_pool pool(measured(timing::all, &clock));
  held_worker busy(pool);
  auto task = pool.submit([] {});
  task.cancel();
  busy.release();
  EXPECT_EQ(pool.stats().run.count, 1u);
}

TEST(timing, G1_wakes_are_counted) {
  const testing::watchdog dog("wakes");
  thread_pool pool = thread_pool::fixed(1, 8);
  pool.submit([] {}).get();
  const auto before = pool.stats().wakes;
  while (pool.stats().wakes == before) pool.submit([] {}).get();
}

}  // namespace
}  // namespace weir
