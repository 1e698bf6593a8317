// Somebody looks all the time, cancels by number and reads the history, while tasks of all kinds
// come, run, are cancelled and stolen: lists and counts agree at every look.

#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <set>
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

void expect_agreement(const pool_snapshot& shot) {
  const auto& at = shot.counts;
  EXPECT_EQ(
      at.queued + at.delayed + at.running,
      shot.running.size() + shot.queued.size() + shot.delayed.size() + shot.left_out + shot.ending);
  testing::expect_accounted(at);
  std::set<std::uint64_t> ids;
  for (const auto* list : {&shot.running, &shot.queued, &shot.delayed}) {
    for (const auto& task : *list) {
      EXPECT_TRUE(ids.insert(task.id).second) << task.id;
      EXPECT_FALSE(is_terminal(task.state));
    }
  }
}

void submit_and_cancel(thread_pool& pool, std::mt19937_64& random, const std::atomic<bool>& stop) {
  std::vector<future<void>> kept;
  while (!stop) {
    switch (testing::pick(random, 0, 5)) {
      case 0:
        (void)pool.try_submit_after(1us * testing::pick(random, 0, 300), [] {});
        break;
      case 1:
        if (auto named = pool.try_submit({.name = "named", .weight = 1}, [] {})) {
          kept.push_back(*std::move(named));
        }
        break;
      case 2:
        if (!kept.empty()) kept[testing::pick(random, 0, kept.size() - 1)].cancel();
        break;
      case 3:
        if (kept.size() > 50) kept.clear();
        break;
      default:
        for (int at = 0; at < 20; ++at) (void)pool.try_submit([] {});
    }
  }
}

TEST(stress, looking_while_everything_moves) {
  const testing::watchdog dog("looking while everything moves");
  const auto seed = testing::test_seed();
  SCOPED_TRACE(testing::replay(seed));
  for (const std::size_t history : {0, 100}) {
    thread_pool pool({.core = 2,
                      .max = 3,
                      .keep_alive = 1us,
                      .capacity = 500,
                      .capacity_weight = 300,
                      .timing = history > 0 ? timing::all : timing::sampled,
                      .history = history});
    std::atomic<bool> stop{false};
    std::vector<std::thread> producers;
    for (std::uint64_t at = 0; at < 2; ++at) {
      producers.emplace_back([&, at] {
        std::mt19937_64 random(seed + at);
        submit_and_cancel(pool, random, stop);
      });
    }
    std::mt19937_64 random(seed + 2);
    for (testing::time_box box; !box.over();) {
      const pool_snapshot shot = pool.snapshot(testing::pick(random, 0, 1) == 0 ? 10000 : 30);
      expect_agreement(shot);
      if (shot.queued.empty()) continue;
      const auto id = shot.queued[testing::pick(random, 0, shot.queued.size() - 1)].id;
      if (const task_ref found = pool.ref(id); found.valid() && id % 3 == 0) found.cancel();
      const auto later = pool.find(id);
      if (later) {
        EXPECT_EQ(later->id, id);
      }
    }
    stop = true;
    for (auto& each : producers) each.join();
    (void)pool.cancel_pending();
    pool.wait_idle();
    testing::expect_conserved(pool.stats());
    EXPECT_EQ(pool.stats().run.count, pool.stats().wait.count);
  }
}

}  // namespace
}  // namespace weir
