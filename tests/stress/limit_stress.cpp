// Time limits and watchdogs against the ends of bodies, cancellers and a moving clock.

#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <stop_token>
#include <thread>
#include <vector>

#include "support/conservation.hpp"
#include "support/seed.hpp"
#include "support/time_box.hpp"
#include "support/watchdog.hpp"
#include "weir/this_task.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

struct tally {
  std::atomic<int> early{0};    // asked to stop before their time
  std::atomic<int> unasked{0};  // cancelled for a reason that nobody gave
};

/// Some bodies end by themselves, some when they are asked; some make a stop source.
future<void> submit_one(thread_pool& pool, clock& source, std::mt19937_64& random, tally& all,
                        bool cancels) {
  const auto limit = nanoseconds(testing::pick(random, 1, 400'000));
  const std::size_t kind = testing::pick(random, 0, 2);
  return pool.submit({.timeout = limit}, [&source, &all, kind, cancels] {
    if (kind == 0) return;
    if (kind == 1) {
      std::atomic<bool> asked{false};
      const std::stop_callback on_stop(this_task::stop_token(), [&] { asked = true; });
      while (!asked) std::this_thread::yield();
    }
    while (!this_task::stop_requested()) std::this_thread::yield();
    if (!cancels && source.now() < *this_task::deadline()) ++all.early;
  });
}

void judge(future<void>& task, tally& all, bool cancelled) {
  try {
    task.get();
  } catch (const task_cancelled& end) {
    const bool known = end.reason() == cancel_reason::timed_out ||
                       (cancelled && end.reason() == cancel_reason::cancelled);
    if (!known) ++all.unasked;
  }
}

void run_rounds(clock& source, std::uint64_t seed, tally& all) {
  std::mt19937_64 random(seed);
  std::atomic<int> reports{0};
  for (testing::time_box box; !box.over();) {
    pool_options options{.core = 2, .max = 2, .capacity = 64, .clock = &source};
    if (random() % 2 == 0) {
      options.watchdog.limit = nanoseconds(testing::pick(random, 1, 100'000));
      options.watchdog.report = [&](const auto&...) { ++reports; };
    }
    thread_pool pool(options);
    std::vector<future<void>> tasks;
    std::vector<bool> cancelled;
    for (int at = 0; at < 32; ++at) {
      const bool cancels = random() % 4 == 0;
      cancelled.push_back(cancels);
      tasks.push_back(submit_one(pool, source, random, all, cancels));
      if (cancels) (void)tasks.back().cancel();
    }
    for (std::size_t at = 0; at < tasks.size(); ++at) judge(tasks[at], all, cancelled[at]);
    pool.wait_idle();
    testing::expect_conserved(pool.stats());
  }
}

TEST(stress, limits_against_ends_and_cancellers_in_real_time) {
  const testing::watchdog dog("limits in real time");
  const auto seed = testing::test_seed();
  SCOPED_TRACE(testing::replay(seed));
  tally all;
  run_rounds(steady_clock::instance(), seed, all);
  EXPECT_EQ(all.unasked, 0);
  EXPECT_EQ(all.early, 0);
}

TEST(stress, limits_against_a_clock_that_is_moved) {
  const testing::watchdog dog("limits on a moved clock");
  const auto seed = testing::test_seed();
  SCOPED_TRACE(testing::replay(seed));
  manual_clock clock;
  std::atomic<bool> over{false};
  std::thread mover([&] {
    std::mt19937_64 random(seed + 1);
    while (!over) {
      clock.advance(nanoseconds(testing::pick(random, 0, 50'000)));
      std::this_thread::yield();
    }
  });
  tally all;
  run_rounds(clock, seed, all);
  over = true;
  mover.join();
  EXPECT_EQ(all.unasked, 0);
  EXPECT_EQ(all.early, 0);
}

}  // namespace
}  // namespace weir
