// Limits that change while the pool runs: B7, E6, R31.

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>
#include <vector>

#include "support/conservation.hpp"
#include "support/eventually.hpp"
#include "support/gate.hpp"
#include "support/pool_shape.hpp"
#include "support/watchdog.hpp"
#include "weir/this_task.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;
using testing::eventually;
using testing::gate;
using testing::held_worker;
using testing::sized;

// tck 8, 11 … 19, 22: the object keeps what it had.
TEST(resizing, B7_a_setter_refuses_what_the_constructor_would) {
  thread_pool pool(sized(2, 4, 3));
  EXPECT_THROW(pool.set_core(5), std::invalid_argument);
  EXPECT_THROW(pool.set_max(0), std::invalid_argument);
  EXPECT_THROW(pool.set_max(1), std::invalid_argument);
  EXPECT_THROW(pool.set_max(thread_pool::max_workers + 1), std::invalid_argument);
  EXPECT_THROW(pool.set_keep_alive(-1ns), std::invalid_argument);
  EXPECT_THROW(pool.set_capacity_weight(0), std::invalid_argument);
  EXPECT_THROW(pool.set_saturation(saturation_function()), std::invalid_argument);
  EXPECT_EQ(pool.core(), 2u);
  EXPECT_EQ(pool.max(), 4u);
  EXPECT_EQ(pool.keep_alive(), 60s);
  EXPECT_EQ(pool.capacity(), 3u);
  EXPECT_EQ(pool.capacity_weight(), unbounded);
  EXPECT_FALSE(pool.core_may_time_out());
}

// Case 10: both orders.
TEST(resizing, B7_zero_keep_alive_and_core_time_out_exclude_each_other) {
  thread_pool pool(sized(1, 1, 1));
  pool.set_keep_alive(0ns);
  EXPECT_THROW(pool.set_core_may_time_out(true), std::invalid_argument);
  pool.set_keep_alive(1s);
  pool.set_core_may_time_out(true);
  EXPECT_THROW(pool.set_keep_alive(0ns), std::invalid_argument);
  EXPECT_EQ(pool.keep_alive(), 1s);
}

TEST(resizing, E6_a_raised_core_starts_workers_for_what_waits_and_no_more) {
  const testing::watchdog guard("resizing");
  thread_pool pool(sized(1, 8, 10));
  gate release;
  const testing::opens_at_exit opens(release);
  std::vector<future<void>> tasks;
  for (int i = 0; i < 4; ++i) tasks.push_back(pool.submit([&] { release.wait(); }));
  EXPECT_EQ(pool.size(), 1u);
  pool.set_core(8);
  EXPECT_TRUE(eventually([&] { return pool.stats().running == 4; }));
  EXPECT_EQ(pool.size(), 4u) << "one for each that waited";
}

// tck 79, 88: idle workers go, a running body notices nothing.
TEST(resizing, E6_a_lowered_core_lets_idle_workers_leave) {
  const testing::watchdog guard("resizing");
  pool_options options = sized(3, 3, 4);
  options.keep_alive = 0ns;
  thread_pool pool(std::move(options));
  EXPECT_EQ(pool.prestart_core(), 3u);
  gate release;
  const testing::opens_at_exit opens(release);
  std::atomic<bool> disturbed{false};
  auto running = pool.submit([&] {
    release.wait();
    disturbed = this_task::stop_requested();
  });
  EXPECT_TRUE(eventually([&] { return pool.stats().running == 1; }));
  pool.set_core(1);
  EXPECT_TRUE(eventually([&] { return pool.size() == 1; }));
  release.open();
  running.get();
  EXPECT_FALSE(disturbed);
}

// tck 81, 82, 90.
TEST(resizing, R31_a_lowered_max_lets_workers_leave_after_their_task) {
  const testing::watchdog guard("resizing");
  thread_pool pool(sized(4, 4, unbounded));
  gate release;
  const testing::opens_at_exit opens(release);
  std::vector<future<void>> tasks;
  for (int i = 0; i < 4; ++i) tasks.push_back(pool.submit([&] { release.wait(); }));
  EXPECT_TRUE(eventually([&] { return pool.stats().running == 4; }));
  std::atomic<int> together{0};
  std::atomic<int> most{0};
  for (int i = 0; i < 50; ++i) {
    pool.execute([&] {
      most = std::max(most.load(), ++together);
      --together;
    });
  }
  pool.set_sizes(1, 1);
  EXPECT_EQ(pool.size(), 4u);
  release.open();
  pool.wait_idle();
  EXPECT_TRUE(eventually([&] { return pool.size() == 1; }));
  EXPECT_EQ(most.load(), 1) << "those beyond the limit have taken another task";
  testing::expect_conserved(pool.stats());
}

TEST(resizing, R31_the_bound_follows_the_limits) {
  const testing::watchdog guard("resizing");
  thread_pool pool(sized(1, 1, 1));
  held_worker busy(pool);
  auto first = pool.submit([] {});
  EXPECT_FALSE(pool.try_submit([] {}));
  pool.set_capacity(2);
  auto second = pool.try_submit([] {});
  EXPECT_TRUE(second);
  EXPECT_FALSE(pool.try_submit([] {}));
  pool.set_max(2);
  auto third = pool.try_submit([] {});
  EXPECT_TRUE(third) << "another worker takes one of them";
  pool.set_capacity(0);
  EXPECT_EQ(second->state() == task_state::cancelled, false) << "nothing is evicted";
}

TEST(resizing, R10_a_raised_capacity_lets_the_blocked_in) {
  const testing::watchdog guard("resizing");
  pool_options options = sized(1, 1, 1);
  options.on_saturation = saturation::block;
  thread_pool pool(std::move(options));
  held_worker busy(pool);
  auto first = pool.submit([] {});
  future<void> second;
  std::thread blocked([&] { second = pool.submit([] {}); });
  EXPECT_TRUE(eventually([&] { return pool.stats().blocked == 1; }));
  pool.set_capacity(2);
  blocked.join();
  EXPECT_EQ(second.state(), task_state::queued);
}

// tck 68.
TEST(resizing, B4_another_policy_counts_from_the_next_submission_on) {
  const testing::watchdog guard("resizing");
  thread_pool pool(sized(1, 1, 1));
  held_worker busy(pool);
  auto first = pool.submit([] {});
  EXPECT_THROW((void)pool.submit([] {}), rejected);
  pool.set_saturation(saturation::discard);
  EXPECT_EQ(pool.submit([] {}).state(), task_state::cancelled);
  pool.set_saturation([](const pool_stats&) { return saturation::caller_runs; });
  EXPECT_EQ(pool.submit([] {}).state(), task_state::succeeded);
}

// tck 83, 87, 89.
TEST(resizing, E6_a_shorter_keep_alive_counts_at_once) {
  const testing::watchdog guard("resizing");
  manual_clock time;
  pool_options options = sized(0, 2, 2);
  options.keep_alive = std::chrono::nanoseconds::max();
  options.clock = &time;
  thread_pool pool(std::move(options));
  pool.submit([] {}).get();
  time.advance(100h);
  EXPECT_EQ(pool.size(), 1u);
  pool.set_keep_alive(1ms);
  EXPECT_TRUE(eventually([&] {
    time.advance(1ms);
    return pool.size() == 0;
  }));
}

// tck 25 … 28.
TEST(resizing, E6_prestart_fills_the_core) {
  thread_pool pool(sized(3, 5, 1));
  EXPECT_TRUE(pool.prestart_one());
  EXPECT_EQ(pool.size(), 1u);
  EXPECT_EQ(pool.prestart_core(), 2u);
  EXPECT_EQ(pool.prestart_core(), 0u);
  EXPECT_FALSE(pool.prestart_one());
  EXPECT_EQ(pool.size(), 3u);
  pool.set_core(5);
  EXPECT_EQ(pool.prestart_core(), 2u);
  pool.close();
  EXPECT_FALSE(pool.prestart_one());
}

// Case 2: the escape from "queue before growth".
TEST(resizing, E6_eager_growth_starts_a_worker_before_it_queues) {
  const testing::watchdog guard("resizing");
  pool_options options = sized(0, 8, 1000);
  options.growth = growth::eager;
  thread_pool pool(std::move(options));
  std::atomic<int> met{0};
  gate all;
  const testing::opens_at_exit opens(all);
  std::vector<future<void>> tasks;
  for (int i = 0; i < 8; ++i) {
    tasks.push_back(pool.submit([&] {
      if (++met == 8) all.open();
      all.wait();
    }));
  }
  for (auto& each : tasks) each.get();
  EXPECT_EQ(pool.size(), 8u);
  for (int i = 0; i < 100; ++i) pool.submit([] {}).get();
  EXPECT_EQ(pool.size(), 8u);
}

TEST(resizing, E6_eager_growth_starts_nobody_for_whom_an_idle_worker_waits) {
  const testing::watchdog guard("resizing");
  pool_options options = sized(0, 8, 1000);
  options.growth = growth::eager;
  thread_pool pool(std::move(options));
  for (int i = 0; i < 100; ++i) pool.submit([] {}).get();
  EXPECT_EQ(pool.stats().workers_max, 1u);
}

// tck 101, 102, 141: once, after the last worker, before the waiters; a throwing one ends as well.
TEST(resizing, E6_on_terminated_is_called_once_at_the_very_end) {
  const testing::watchdog guard("resizing");
  for (const bool throws : {false, true}) {
    for (const bool with_work : {false, true}) {
      std::atomic<int> calls{0};
      std::atomic<std::size_t> workers_seen{99};
      std::atomic<bool> terminated_seen{true};
      thread_pool* self = nullptr;
      pool_options options = sized(2, 2, 4);
      options.on_unhandled = [](std::exception_ptr, const task_info&) {};
      options.on_terminated = [&] {
        ++calls;
        workers_seen = self->size();
        terminated_seen = self->terminated();
        if (throws) throw 1;
      };
      thread_pool pool(std::move(options));
      self = &pool;
      if (with_work) pool.submit([] {}).get();
      pool.close();
      pool.join();
      EXPECT_EQ(calls, 1);
      EXPECT_EQ(workers_seen, 0u);
      EXPECT_FALSE(terminated_seen);
      EXPECT_TRUE(pool.terminated());
      pool.close();
      (void)pool.abort();
      EXPECT_EQ(calls, 1);
    }
  }
}

}  // namespace
}  // namespace weir
