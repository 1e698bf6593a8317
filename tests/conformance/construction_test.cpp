// What Java's rules say of construction (rules 1 to 23, 283 to 289), beyond what admission_test.cpp
// holds.

#include <gtest/gtest.h>

#include <stdexcept>
#include <type_traits>
#include <variant>
#include <vector>

#include "support/gate.hpp"
#include "support/thread_famine.hpp"
#include "support/thread_switches.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;
using testing::gate;
using testing::held_worker;

static_assert(std::is_unsigned_v<decltype(pool_options::core)>, "tck 1: none below zero");
static_assert(std::is_unsigned_v<decltype(pool_options::max)>, "tck 1: none below zero");
static_assert(thread_pool::max_workers > 32, "R32: no limit that a large machine would meet");

// tck 10, 20.
TEST(construction, defaults) {
  const pool_options given;
  EXPECT_EQ(std::get<saturation>(given.on_saturation), saturation::reject);
  EXPECT_FALSE(given.core_may_time_out);
  EXPECT_EQ(given.keep_alive, 60s);
  EXPECT_FALSE(given.capacity.has_value()) << "B2: no bound is taken for granted";
}

class silent_observer final : public observer {
 public:
  void worker_started(const worker_info&) noexcept override { ADD_FAILURE() << "a worker starts"; }
};

// tck 7: bad options are found before a thread is asked for, and the clock keeps no dead pool.
TEST(construction, B7_a_failed_one_leaves_nothing_behind) {
  manual_clock clock;
  silent_observer observer;
  pool_options bad{.core = 3, .max = 2, .capacity = 1, .clock = &clock, .name = "doomed"};
  bad.observer = &observer;
  {
    const testing::thread_famine famine;
    EXPECT_THROW(thread_pool{bad}, std::invalid_argument);
  }
  EXPECT_TRUE(testing::switches_of_threads("doomed").empty());
  clock.advance(1s);
  bad.core = 2;
  bad.observer = nullptr;
  thread_pool good(bad);
  EXPECT_EQ(good.submit([] { return 1; }).get(), 1);
}

/// Fills a pool with bodies that are held, and tells how many it took and its size after each.
std::vector<std::size_t> sizes_while_filling(thread_pool& pool, const gate& release) {
  std::vector<std::size_t> sizes;
  while (auto task = pool.try_submit([&] { release.wait(); })) {
    sizes.push_back(pool.size());
    if (sizes.size() > 100) break;
  }
  return sizes;
}

// tck 284.
TEST(construction, a_fixed_pool_starts_its_workers_first_and_has_no_more) {
  gate release;
  thread_pool pool = thread_pool::fixed(2, 3);
  const testing::opens_at_exit opener(release);
  EXPECT_EQ(sizes_while_filling(pool, release), (std::vector<std::size_t>{1, 2, 2, 2, 2}));
}

// tck 283: no core, no waiting place, a worker for each task up to the maximum; here it is given.
TEST(construction, R13_a_cached_pool_hands_over_or_refuses) {
  gate release;
  thread_pool pool = thread_pool::cached(3, 60s);
  const testing::opens_at_exit opener(release);
  EXPECT_EQ(sizes_while_filling(pool, release), (std::vector<std::size_t>{1, 2, 3}));
  EXPECT_EQ(pool.try_submit_after(1s, [] {}).why(), reject_reason::saturated);
}

TEST(construction, a_cached_pool_uses_a_free_worker_again) {
  thread_pool pool = thread_pool::cached(3, 60s);
  for (int task = 0; task < 100; ++task) pool.submit([] {}).get();
  EXPECT_EQ(pool.stats().workers_max, 1u) << "R6: who has ended is free";
}

// tck 285: a pool of one worker runs one body at a time, in order.
TEST(construction, B8_a_pool_of_one_runs_one_after_the_other) {
  thread_pool pool = thread_pool::fixed(1, 64);
  int together = 0;
  std::vector<int> order;
  std::vector<future<void>> all;
  for (int task = 0; task < 50; ++task) {
    all.push_back(pool.submit([&, task] {
      EXPECT_EQ(++together, 1);
      order.push_back(task);
      --together;
    }));
  }
  for (auto& each : all) each.get();
  for (int task = 0; task < 50; ++task) EXPECT_EQ(order[static_cast<std::size_t>(task)], task);
}

}  // namespace
}  // namespace weir
