#include "sync/mutex.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <thread>
#include <vector>

#include "support/eventually.hpp"
#include "support/gate.hpp"
#include "support/watchdog.hpp"

namespace weir::sync {
namespace {

// The analysis cannot follow locks through lambdas, and what is tested here is the lock itself.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wthread-safety-analysis"
#endif

TEST(mutex, excludes) {
  const testing::watchdog dog("mutex, excludes");
  constexpr int k_threads = 4;
  constexpr int k_rounds = 20'000;
  mutex lock;
  int counted = 0;  // no atomic: two holders at once would lose counts, and TSan would see them
  bool held = false;
  std::atomic<int> intruders{0};
  std::barrier start(k_threads);
  std::vector<std::thread> threads;
  for (int at = 0; at < k_threads; ++at) {
    threads.emplace_back([&] {
      start.arrive_and_wait();
      for (int round = 0; round < k_rounds; ++round) {
        const lock_guard guard(lock);
        if (held) ++intruders;
        held = true;
        ++counted;
        held = false;
      }
    });
  }
  for (auto& each : threads) each.join();
  EXPECT_EQ(counted, k_threads * k_rounds);
  EXPECT_EQ(intruders, 0);
}

TEST(mutex, a_sleeper_is_woken) {
  const testing::watchdog dog("mutex, a sleeper is woken");
  for (int round = 0; round < 200; ++round) {
    mutex lock;
    testing::gate waiting;
    std::thread sleeper;
    {
      const lock_guard guard(lock);
      sleeper = std::thread([&] {
        waiting.open();
        const lock_guard inner(lock);
      });
      waiting.wait();
    }
    sleeper.join();
  }
}

TEST(mutex, several_sleepers_are_woken_one_after_the_other) {
  const testing::watchdog dog("mutex, several sleepers");
  mutex lock;
  int through = 0;
  std::atomic<int> arrived{0};
  std::vector<std::thread> sleepers;
  {
    const lock_guard guard(lock);
    for (int at = 0; at < 8; ++at) {
      sleepers.emplace_back([&] {
        ++arrived;
        const lock_guard inner(lock);
        ++through;
      });
    }
    ASSERT_TRUE(testing::eventually([&] { return arrived == 8; }));
  }
  for (auto& each : sleepers) each.join();
  EXPECT_EQ(through, 8);
}

TEST(unique_lock, lets_go_in_between) {
  mutex lock;
  unique_lock outer(lock);
  EXPECT_TRUE(outer.owns_lock());
  outer.unlock();
  EXPECT_FALSE(outer.owns_lock());
  { const lock_guard between(lock); }
  outer.lock();
  EXPECT_TRUE(outer.owns_lock());
}

TEST(unique_lock, unlocking_twice_is_a_broken_invariant) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  mutex lock;
  unique_lock held(lock);
  held.unlock();
  EXPECT_DEATH(held.unlock(), "assertion failed");
}

}  // namespace
}  // namespace weir::sync
