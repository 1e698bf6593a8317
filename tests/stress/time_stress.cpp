// Delayed tasks while the clock jumps and cancellers are at work.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "support/conservation.hpp"
#include "support/seed.hpp"
#include "support/time_box.hpp"
#include "support/watchdog.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;

TEST(stress, delayed_tasks_against_cancel_and_clock) {
  const testing::watchdog dog("delayed tasks against cancel and clock");
  const auto seed = testing::test_seed();
  SCOPED_TRACE(testing::replay(seed));
  manual_clock clock;
  pool_options options{.core = 1, .max = 3, .keep_alive = 5ms, .capacity = 64};
  options.clock = &clock;
  thread_pool pool(options);
  std::atomic<bool> over{false};
  std::atomic<int> early{0};
  std::thread mover([&] {
    std::mt19937_64 random(seed);
    while (!over) {
      if (random() % 4 == 0) {
        (void)clock.advance_to_next_due();
      } else {
        clock.advance(std::chrono::microseconds(testing::pick(random, 0, 700)));
      }
    }
  });
  const auto produce = [&](std::uint64_t mine) {
    std::mt19937_64 random(mine);
    std::vector<future<void>> tasks;
    for (testing::time_box box; !box.over();) {
      const auto due = clock.now() + std::chrono::microseconds(testing::pick(random, 0, 3'000));
      try {
        tasks.push_back(pool.submit_at(due, [&clock, &early, due] {
          if (clock.now() < due) ++early;
        }));
      } catch (const rejected&) {
        if (!tasks.empty()) tasks.front().wait();
      }
      if (random() % 3 == 0 && !tasks.empty()) {
        (void)tasks[testing::pick(random, 0, tasks.size() - 1)].cancel();
      }
      if (tasks.size() > 200) tasks.erase(tasks.begin(), tasks.begin() + 100);
    }
  };
  std::thread one([&] { produce(seed + 1); });
  std::thread two([&] { produce(seed + 2); });
  one.join();
  two.join();
  pool.close();
  pool.join();  // the clock still moves, so all that is left becomes due
  over = true;
  mover.join();
  EXPECT_EQ(early, 0);
  testing::expect_conserved(pool.stats());
}

// C1, C2 in real time: what is due soon is never late because of what is due later, and never
// early.
TEST(stress, real_timers_in_any_order) {
  const testing::watchdog dog("real timers in any order");
  const auto seed = testing::test_seed();
  SCOPED_TRACE(testing::replay(seed));
  std::mt19937_64 random(seed);
  thread_pool pool({.core = 2, .max = 2, .capacity = 64});
  auto far = pool.submit_after(1h, [] {});
  std::atomic<int> early{0};
  for (testing::time_box box; !box.over();) {
    std::vector<future<void>> all;
    for (int task = 0; task < 16; ++task) {
      const auto due = std::chrono::steady_clock::now() +
                       std::chrono::microseconds(testing::pick(random, 0, 2'000));
      all.push_back(pool.submit_at(due, [&early, due] {
        if (std::chrono::steady_clock::now() < due) ++early;
      }));
    }
    for (auto& each : all) each.get();
  }
  EXPECT_EQ(early, 0);
  EXPECT_EQ(far.cancel(), cancel_result::cancelled);
}

// B8 under fire: with one worker the order is (due, id), whoever submits and whenever the clock
// moves.
TEST(stress, one_worker_keeps_the_order) {
  const testing::watchdog dog("one worker keeps the order");
  const auto seed = testing::test_seed();
  SCOPED_TRACE(testing::replay(seed));
  std::mt19937_64 random(seed);
  for (testing::time_box box; !box.over();) {
    manual_clock clock;
    pool_options options{.core = 1, .max = 1, .capacity = unbounded};
    options.clock = &clock;
    thread_pool pool(options);
    std::atomic<bool> release{false};
    pool.execute([&] { release.wait(false); });
    struct expected {
      clock::time_point due;
      std::uint64_t id;
    };
    std::mutex mutex;
    std::vector<expected> submitted;
    std::vector<std::uint64_t> started;
    std::vector<std::thread> producers;
    for (int producer = 0; producer < 3; ++producer) {
      producers.emplace_back([&, own = random()] {
        std::mt19937_64 mine(own);
        for (int task = 0; task < 20; ++task) {
          const auto due = clock::time_point(std::chrono::milliseconds(testing::pick(mine, 1, 8)));
          const auto handle = std::make_shared<std::atomic<std::uint64_t>>(0);
          auto made = pool.submit_at(due, [&started, handle] {
            handle->wait(0);
            started.push_back(*handle);
          });
          handle->store(made.id());
          handle->notify_all();
          const std::lock_guard lock(mutex);
          submitted.push_back({due, made.id()});
        }
      });
    }
    for (auto& each : producers) each.join();
    clock.advance(10ms);
    release = true;
    release.notify_all();
    pool.wait_idle();
    std::sort(submitted.begin(), submitted.end(), [](const expected& left, const expected& right) {
      return left.due != right.due ? left.due < right.due : left.id < right.id;
    });
    ASSERT_EQ(started.size(), submitted.size());
    for (std::size_t at = 0; at < started.size(); ++at) ASSERT_EQ(started[at], submitted[at].id);
  }
}

}  // namespace
}  // namespace weir
