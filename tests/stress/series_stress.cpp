// Series under everything that may happen to them at once: runs, cancels, schedules that change, a
// civil clock that is set, pools that close, abort and die. C6, R15 and A1 hold throughout.

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "support/conservation.hpp"
#include "support/seed.hpp"
#include "support/watchdog.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

class each final : public schedule {
 public:
  [[nodiscard]] std::optional<std::chrono::system_clock::time_point> next(
      std::chrono::system_clock::time_point after) const override {
    return after + 1ms;
  }
};

/// A series and what is checked about it in its own body.
struct watched {
  std::atomic<int> inside{0};
  std::atomic<bool> over{false};
  series handle;
};

series_options random_options(std::mt19937_64& random) {
  series_options options;
  options.catch_up = static_cast<catch_up>(random() % 3);
  options.on_failure = static_cast<on_failure>(random() % 2);
  options.mode = static_cast<recurrence>(random() % 2);
  if (options.mode == recurrence::fixed_rate) options.overlap = static_cast<overlap>(random() % 2);
  options.limit = 1 + random() % 50;
  options.first = nanoseconds(random() % 1000);
  return options;
}

std::shared_ptr<watched> submit(thread_pool& pool, std::mt19937_64& random) {
  auto made = std::make_shared<watched>();
  series_options options = random_options(random);
  const bool alone = options.overlap == overlap::never;
  auto body = [made = made.get(), alone](const series_run& run) {
    EXPECT_FALSE(made->over) << "a run after the end";
    const int now = ++made->inside;
    EXPECT_TRUE(!alone || now == 1);
    --made->inside;
    if (run.number() % 7 == 0) throw 1;
    if (run.number() % 31 == 0) run.stop();
  };
  if (random() % 4 == 0) {
    options.mode = recurrence::fixed_rate;
    options.first.reset();
    made->handle = pool.submit_on(std::make_shared<each>(), body, options);
  } else {
    made->handle = pool.submit_every(nanoseconds(1 + random() % 20'000), body, options);
  }
  return made;
}

void disturb(const series& recurring, std::mt19937_64& random) {
  switch (random() % 4) {
    case 0:
      (void)recurring.cancel();
      break;
    case 1:
      (void)recurring.reschedule(nanoseconds(1 + random() % 20'000));
      break;
    default:
      (void)recurring.snapshot();
  }
}

void use(thread_pool& pool, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::shared_ptr<watched>> mine;
  try {
    for (int step = 0; step < 60; ++step) {
      if (mine.size() < 4) mine.push_back(submit(pool, random));
      disturb(mine[random() % mine.size()]->handle, random);
      if (random() % 8 == 0) {
        const auto gone = mine[random() % mine.size()];
        gone->handle.cancel();
        gone->handle.wait();
        gone->over = true;
        std::erase(mine, gone);
      }
      (void)pool.try_submit([] {});
    }
  } catch (const rejected&) {
    // Closed by the other thread, or full.
  }
  for (const auto& one : mine) {
    (void)one->handle.cancel();
    one->handle.wait();
    one->over = true;
  }
}

TEST(series_stress, C6_R15_whatever_happens_to_them) {
  const testing::watchdog dog("series under stress");
  const auto seed = testing::test_seed();
  SCOPED_TRACE(testing::replay(seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < 60; ++round) {
    manual_clock manual;
    pool_options options{.core = 1 + random() % 2, .max = 3, .capacity = 12};
    if (round % 2 == 0) options.clock = &manual;
    options.on_unhandled = [](const std::exception_ptr&, const task_info&) {};
    auto pool = std::make_unique<thread_pool>(options);
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 2; ++thread) {
      threads.emplace_back([&pool, each = random()] { use(*pool, each); });
    }
    for (int step = 0; step < 100; ++step) {
      manual.advance(3us);
      if (step % 10 == 0) manual.set_wall(manual.wall_now() + nanoseconds(random() % 2'000'000));
      (void)pool->snapshot();
    }
    if (round % 4 == 1) pool->close();
    if (round % 4 == 2) pool->abort();
    if (round % 4 == 3) (void)pool->shutdown_now();
    for (auto& each : threads) each.join();
    pool->close();
    pool->join();
    testing::expect_conserved(pool->stats());
    EXPECT_EQ(pool->stats().weight, 0u);
    EXPECT_TRUE(pool->snapshot().series.empty());
  }
}

}  // namespace
}  // namespace weir
