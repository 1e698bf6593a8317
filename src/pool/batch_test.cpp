// Many at once: submit_all, invoke_all, invoke_any; B5, R11, R12.

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <ranges>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support/conservation.hpp"
#include "support/eventually.hpp"
#include "support/gate.hpp"
#include "support/thread_famine.hpp"
#include "support/watchdog.hpp"
#include "weir/this_task.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;
using testing::gate;
using testing::held_worker;

using work = std::function<int()>;

std::vector<work> numbers(int count) {
  std::vector<work> all;
  for (int number = 0; number < count; ++number) all.emplace_back([number] { return number; });
  return all;
}

TEST(batch, B5_submit_all_keeps_the_order) {
  thread_pool pool = thread_pool::fixed(1, 16);
  const auto all = numbers(10);
  auto futures = pool.submit_all(all);
  ASSERT_EQ(futures.size(), 10u);
  for (int at = 0; at < 10; ++at) {
    EXPECT_EQ(futures[static_cast<std::size_t>(at)].id(), static_cast<std::uint64_t>(at + 1));
    EXPECT_EQ(futures[static_cast<std::size_t>(at)].get(), at);
  }
  EXPECT_EQ(all[3](), 3) << "an lvalue range is copied";
}

TEST(batch, B8_a_worker_that_sleeps_is_woken_for_it) {
  thread_pool pool = thread_pool::fixed(1, 2);
  for (int round = 0; round < 200; ++round) {
    for (auto& each : pool.submit_all(numbers(2))) {
      ASSERT_TRUE(each.wait_for(std::chrono::minutes(1))) << "in round " << round;
    }
  }
}

TEST(batch, B5_submit_all_of_nothing) {
  thread_pool pool = thread_pool::fixed(1, 1);
  EXPECT_TRUE(pool.submit_all(std::vector<work>{}).empty());
  EXPECT_TRUE(pool.invoke_all(std::vector<work>{}).empty()) << "tck 191";
  EXPECT_THROW((void)pool.invoke_any(std::vector<work>{}), std::invalid_argument) << "tck 191";
}

TEST(batch, R12_submit_all_is_all_or_nothing_under_reject) {
  thread_pool pool = thread_pool::fixed(2, 3);
  held_worker busy(pool);
  EXPECT_THROW((void)pool.submit_all(numbers(5)), rejected);
  EXPECT_EQ(pool.stats().accepted, 1u);
  EXPECT_EQ(pool.stats().refused, 5u);
  auto futures = pool.submit_all(numbers(4));
  for (auto& each : futures) each.wait();
}

TEST(batch, R12_growth_counts_as_room) {
  thread_pool pool({.core = 0, .max = 3, .capacity = 1});
  gate release;
  std::vector<std::function<void()>> all(4, [&] { release.wait(); });
  auto futures = pool.submit_all(all);
  EXPECT_EQ(pool.size(), 3u);
  EXPECT_FALSE(pool.try_submit([] {}).accepted());
  release.open();
  for (auto& each : futures) each.get();
}

TEST(batch, R11_refused_callables_are_back_in_their_range) {
  thread_pool pool = thread_pool::fixed(1, 1);
  held_worker busy(pool);
  struct owner {
    std::unique_ptr<int> held;
    int operator()() { return *held; }
  };
  std::vector<owner> all;
  for (int number = 0; number < 3; ++number) all.push_back({std::make_unique<int>(number)});
  EXPECT_THROW((void)pool.submit_all(std::move(all)), rejected);
  for (int number = 0; number < 3; ++number) {
    ASSERT_NE(all[static_cast<std::size_t>(number)].held, nullptr);
    EXPECT_EQ(*all[static_cast<std::size_t>(number)].held, number);
  }
  EXPECT_THROW((void)pool.invoke_any(std::move(all)), rejected);
  EXPECT_EQ(*all[2].held, 2);
}

// Callables that exist only while the range is walked have no place to go back to.
TEST(batch, R11_a_range_of_temporaries_may_be_refused) {
  thread_pool pool = thread_pool::fixed(1, 1);
  held_worker busy(pool);
  const auto shared = std::make_shared<int>(0);
  auto lazily = std::views::iota(0, 5) | std::views::transform([&](int number) {
                  return [shared, number] { return number; };
                });
  EXPECT_THROW((void)pool.submit_all(lazily), rejected);
  EXPECT_THROW((void)pool.submit_all(std::views::all(lazily)), rejected);
  EXPECT_EQ(shared.use_count(), 1);
  busy.release();
  thread_pool roomy = thread_pool::fixed(2, 8);
  int sum = 0;
  for (auto& each : roomy.submit_all(lazily)) sum += each.get();
  EXPECT_EQ(sum, 10);
}

// tck 192.
TEST(batch, B7_an_empty_callable_in_the_middle_changes_nothing) {
  thread_pool pool = thread_pool::fixed(1, 8);
  auto all = numbers(3);
  all[1] = nullptr;
  EXPECT_THROW((void)pool.submit_all(all), std::invalid_argument);
  EXPECT_THROW((void)pool.invoke_all(all), std::invalid_argument);
  EXPECT_THROW((void)pool.invoke_any(all), std::invalid_argument);
  EXPECT_EQ(pool.stats().accepted, 0u);
}

TEST(batch, B9_without_any_thread_none_is_accepted) {
  thread_pool pool = thread_pool::fixed(2, 8);
  const testing::thread_famine famine;
  try {
    (void)pool.submit_all(numbers(3));
    ADD_FAILURE() << "accepted";
  } catch (const rejected& refusal) {
    EXPECT_EQ(refusal.why(), reject_reason::no_thread);
  }
  EXPECT_EQ(pool.stats().accepted, 0u);
  EXPECT_EQ(pool.stats().refused, 3u);
}

TEST(batch, A1_what_was_accepted_before_a_policy_threw_stays_the_pools) {
  pool_options options;
  options.core = options.max = 1;
  options.capacity = 1;
  options.on_saturation = [](const pool_stats&) -> saturation { throw std::domain_error("full"); };
  thread_pool pool(options);
  held_worker busy(pool);
  std::atomic<int> ran{0};
  std::vector<work> all;
  for (int number = 0; number < 3; ++number) all.emplace_back([&ran] { return ++ran; });
  EXPECT_THROW((void)pool.submit_all(std::move(all)), std::domain_error);
  EXPECT_FALSE(all[0]) << "accepted, so moved from";
  EXPECT_TRUE(all[1]) << "R11: back with the caller";
  EXPECT_TRUE(all[2]) << "R11: back with the caller";
  busy.release();
  pool.wait_idle();
  EXPECT_EQ(ran, 1);
  testing::expect_conserved(pool.stats());
}

class read_counting_clock final : public weir::clock {
 public:
  [[nodiscard]] time_point now() const noexcept override {
    ++reads;
    return time_point{};
  }
  mutable std::atomic<int> reads{0};
};

TEST(batch, R3_an_immediate_batch_reads_the_clock_only_while_a_delayed_task_is_pending) {
  read_counting_clock clock;
  pool_options options;
  options.core = options.max = 1;
  options.capacity = 8;
  options.clock = &clock;
  options.timing = timing::off;
  thread_pool pool(options);
  held_worker busy(pool);
  const int before = clock.reads;
  auto first = pool.submit_all(numbers(2));
  EXPECT_EQ(clock.reads, before);
  auto later = pool.submit_after(1h, [] {});
  const int pending = clock.reads;
  auto second = pool.submit_all(numbers(2));
  EXPECT_EQ(clock.reads, pending + 1);
  busy.release();
}

// tck 194, 195.
TEST(batch, invoke_all_waits_for_all_and_leaves_failures_where_they_are) {
  thread_pool pool = thread_pool::fixed(2, 8);
  auto all = numbers(4);
  all[2] = []() -> int { throw std::runtime_error("third"); };
  auto futures = pool.invoke_all(all);
  ASSERT_EQ(futures.size(), 4u);
  for (const auto& each : futures) EXPECT_TRUE(is_terminal(each.state()));
  EXPECT_EQ(futures[3].get(), 3);
  EXPECT_THROW((void)futures[2].get(), std::runtime_error);
}

// tck 193.
TEST(batch, invoke_all_that_throws_has_cancelled_what_it_submitted) {
  pool_options options{.core = 1, .max = 1, .capacity = 1};
  options.on_saturation = [](const pool_stats&) { return saturation::reject; };
  thread_pool pool(options);
  held_worker busy(pool);
  EXPECT_THROW((void)pool.invoke_all(numbers(2)), rejected);
  EXPECT_EQ(pool.stats().queued, 0u);
  EXPECT_EQ(pool.stats().cancelled, 1u);
}

// tck 200, 201: one result, and nobody works on after it.
TEST(batch, invoke_any_takes_a_success_and_cancels_the_others) {
  const testing::watchdog dog("invoke_any");
  thread_pool pool = thread_pool::fixed(2, 8);
  std::atomic<int> heard{0};
  std::vector<work> all;
  all.emplace_back([]() -> int { throw std::runtime_error("lost"); });
  for (int at = 0; at < 3; ++at) {
    all.emplace_back([&]() -> int {
      while (this_task::sleep_for(1h)) {
      }
      ++heard;
      return -1;
    });
  }
  all.insert(all.begin() + 2, [] { return 42; });
  EXPECT_EQ(pool.invoke_any(all), 42);
  pool.wait_idle();
  const pool_stats now = pool.stats();
  EXPECT_EQ(now.succeeded, 1u);
  EXPECT_EQ(now.failed, 1u);
  EXPECT_EQ(now.cancelled, 3u);
  testing::expect_conserved(now);
}

// tck 202.
TEST(batch, invoke_any_rethrows_the_last_failure_when_none_succeeds) {
  std::atomic<int> reported{0};
  pool_options options{.core = 2, .max = 2, .capacity = 8};
  options.on_unhandled = [&](std::exception_ptr, const task_info&) { ++reported; };
  {
    thread_pool pool(options);
    std::vector<work> all;
    for (int at = 0; at < 4; ++at) {
      all.emplace_back([at]() -> int { throw std::runtime_error(std::to_string(at)); });
    }
    try {
      (void)pool.invoke_any(all);
      ADD_FAILURE() << "a result without a success";
    } catch (const std::runtime_error& failure) {
      EXPECT_STREQ(failure.what(), "3");
    }
  }
  EXPECT_EQ(reported, 0) << "the losers' failures are nobody's news";
}

TEST(batch, invoke_any_hands_over_move_only_and_void_results) {
  thread_pool pool = thread_pool::fixed(2, 8);
  std::vector<std::function<std::unique_ptr<int>()>> owned(3,
                                                           [] { return std::make_unique<int>(4); });
  EXPECT_EQ(*pool.invoke_any(owned), 4);
  std::atomic<int> ran{0};
  std::vector<std::function<void()>> nothing(3, [&] { ++ran; });
  pool.invoke_any(nothing);
  EXPECT_GE(ran, 1);
}

TEST(batch, invoke_any_survives_an_abort) {
  const testing::watchdog dog("invoke_any against abort");
  thread_pool pool = thread_pool::fixed(1, 8);
  gate entered;
  std::thread aborter([&] {
    entered.wait();
    pool.abort();
  });
  std::vector<work> all(3, [&] {
    entered.open();
    while (this_task::sleep_for(1h)) {
    }
    return 1;
  });
  try {
    EXPECT_EQ(pool.invoke_any(all), 1);
  } catch (const task_cancelled& end) {
    EXPECT_EQ(end.reason(), cancel_reason::aborted);
  }
  aborter.join();
  pool.join();
  testing::expect_conserved(pool.stats());
}

}  // namespace
}  // namespace weir
