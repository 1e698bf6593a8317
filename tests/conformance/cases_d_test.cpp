// Faults of other systems' timers: part D of the cases, those of single tasks that
// src/pool/delayed_test.cpp does not hold.

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "support/conservation.hpp"
#include "support/seed.hpp"
#include "support/watchdog.hpp"
#include "task/task_memory.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;

// Case 50: what has fired leaves no record, and its key is free again.
TEST(cases, A6_fired_timers_leave_nothing_behind) {
  manual_clock clock;
  thread_pool pool({.core = 1, .max = 1, .capacity = 1, .clock = &clock});
  const task_options named{.name = "k", .key = "k"};
  std::size_t early = 0;
  for (int round = 0; round < 20'000; ++round) {
    auto task = pool.submit_after(named, 1ms, [] {});
    clock.advance(1ms);
    task.get();
    if (round == 1'000) early = detail::task_memory_bytes();
  }
  EXPECT_EQ(pool.stats().delayed, 0u);
  EXPECT_EQ(pool.stats().succeeded, 20'000u);
  EXPECT_LE(detail::task_memory_bytes(), early + 64 * 1024) << "zero under a sanitizer";
}

/// One timer that several threads set anew: each setting is a task of its own, and replaces the one
/// before by cancelling it.
class rearmed {
 public:
  explicit rearmed(thread_pool& pool) : pool_(pool) {}

  void set(std::chrono::nanoseconds delay) {
    const std::lock_guard lock(mutex_);
    if (timer_.valid()) settle(timer_.cancel());
    timer_ = pool_.submit_after(delay, [this] { ++fired; });
    ++set_count;
  }
  void let_go() {
    const std::lock_guard lock(mutex_);
    if (timer_.valid()) settle(timer_.cancel());
  }

  std::uint64_t set_count = 0;
  std::uint64_t withdrawn = 0;
  std::atomic<std::uint64_t> fired{0};

 private:
  void settle(cancel_result answer) {
    if (answer == cancel_result::cancelled) ++withdrawn;
  }

  thread_pool& pool_;
  std::mutex mutex_;
  future<void> timer_;
};

// Case 65: the end of a setting that has been replaced is never taken for that of a newer one.
TEST(cases, R18_each_setting_of_a_timer_fires_once_or_is_withdrawn) {
  const testing::watchdog dog("a timer that is set anew");
  const auto seed = testing::test_seed();
  SCOPED_TRACE(testing::replay(seed));
  thread_pool pool({.core = 2, .max = 2, .capacity = unbounded});
  rearmed timer(pool);
  std::vector<std::thread> setters;
  for (std::uint64_t at = 0; at < 4; ++at) {
    setters.emplace_back([&timer, random = std::mt19937_64(seed + at)]() mutable {
      for (int round = 0; round < 2'000; ++round) {
        timer.set(round % 2 == 0 ? 1h : std::chrono::microseconds(testing::pick(random, 0, 30)));
      }
    });
  }
  for (auto& each : setters) each.join();
  timer.let_go();
  pool.wait_idle();
  EXPECT_EQ(timer.set_count, 8'000u);
  EXPECT_EQ(timer.fired + timer.withdrawn, timer.set_count);
  testing::expect_conserved(pool.stats());
}

}  // namespace
}  // namespace weir
