// The verbs that try to submit a series: B5 for work that recurs.

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <variant>
#include <vector>

#include "support/conservation.hpp"
#include "support/series_bench.hpp"
#include "support/thread_famine.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;
using bench = testing::series_bench;
using time_point = clock::time_point;
using list = std::vector<std::chrono::nanoseconds>;
using wall_point = std::chrono::system_clock::time_point;

/// The full seconds of civil time.
class each_second final : public schedule {
 public:
  [[nodiscard]] std::optional<wall_point> next(wall_point after) const override {
    return std::chrono::floor<std::chrono::seconds>(after) + 1s;
  }
};

/// No time at all.
class never final : public schedule {
 public:
  [[nodiscard]] std::optional<wall_point> next(wall_point) const override { return std::nullopt; }
};

auto counting(int& calls) {
  return [&calls, moved = std::make_unique<int>(1)] { calls += *moved; };
}

TEST(try_series, B5_says_why_and_leaves_the_callable_with_the_caller) {
  bench at(1);
  int calls = 0;
  auto body = counting(calls);
  auto in_the_way = at.pool.submit_after(1h, [] {});
  const auto full = at.pool.try_submit_every(1s, std::move(body));
  ASSERT_FALSE(full);
  EXPECT_EQ(full.why(), reject_reason::saturated);
  EXPECT_EQ(at.pool.try_submit_on(std::make_shared<each_second>(), std::move(body)).why(),
            reject_reason::saturated);
  EXPECT_EQ(at.pool.stats().accepted, 1u);
  in_the_way.cancel();
  auto accepted = at.pool.try_submit_every(1s, std::move(body));
  ASSERT_TRUE(accepted.accepted());
  EXPECT_THROW((void)accepted.why(), std::bad_variant_access);
  at.advance(1s);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(accepted->snapshot().runs, 1u);
  const series kept = *std::move(accepted);
  kept.cancel();
  at.pool.close();
  const auto closed = at.pool.try_submit_every(1s, counting(calls));
  EXPECT_EQ(closed.why(), reject_reason::closed);
  testing::expect_conserved(at.pool.stats());
}

TEST(try_series, B5_asks_no_policy) {
  for (const saturation each : {saturation::reject, saturation::caller_runs, saturation::discard,
                                saturation::discard_oldest, saturation::block}) {
    bench at(1);
    at.pool.set_saturation(each);
    auto in_the_way = at.pool.submit_after(1h, [] {});
    int calls = 0;
    EXPECT_EQ(at.pool.try_submit_every(1s, counting(calls)).why(), reject_reason::saturated);
    EXPECT_EQ(in_the_way.state(), task_state::queued) << "nothing makes room for it";
    EXPECT_EQ(at.pool.stats().discarded, 0u);
    EXPECT_EQ(calls, 0);
  }
}

TEST(try_series, C6_recurs_as_if_submitted) {
  bench at;
  auto by_period = at.pool.try_submit_every(10s, at.noting(), {.first = 3s, .limit = 2});
  ASSERT_TRUE(by_period);
  EXPECT_EQ(by_period->next_due(), time_point(3s));
  at.advance(3s);
  at.advance(10s);
  EXPECT_EQ(at.starts, (list{3s, 13s}));
  EXPECT_EQ(by_period->state(), series_state::finished);
  auto by_wall = at.pool.try_submit_on(std::make_shared<each_second>(), at.noting());
  ASSERT_TRUE(by_wall);
  ASSERT_TRUE(by_wall->snapshot().next_wall_due.has_value());
  at.advance(1s);
  EXPECT_EQ(by_wall->snapshot().runs, 1u);
}

// B7: no refusal but a mistake, whoever asks; the callable is back all the same.
TEST(try_series, B7_bad_arguments_throw_as_they_do_from_submit) {
  bench at;
  int calls = 0;
  auto body = counting(calls);
  EXPECT_THROW((void)at.pool.try_submit_every(0s, std::move(body)), std::invalid_argument);
  EXPECT_THROW((void)at.pool.try_submit_every(1s, std::move(body), {.limit = 0}),
               std::invalid_argument);
  EXPECT_THROW((void)at.pool.try_submit_on(nullptr, std::move(body)), std::invalid_argument);
  EXPECT_THROW((void)at.pool.try_submit_on(std::make_shared<never>(), std::move(body)),
               std::invalid_argument);
  EXPECT_THROW((void)at.pool.try_submit_every(1s, static_cast<void (*)()>(nullptr)),
               std::invalid_argument);
  EXPECT_EQ(at.pool.stats().accepted, 0u);
  ASSERT_TRUE(at.pool.try_submit_every(1s, std::move(body)));
  at.advance(1s);
  EXPECT_EQ(calls, 1);
}

// B9: a series wants a worker that waits for it.
TEST(try_series, B9_without_a_thread_it_is_refused) {
  bench at;
  int calls = 0;
  auto body = counting(calls);
  {
    const testing::thread_famine none;
    EXPECT_EQ(at.pool.try_submit_every(1s, std::move(body)).why(), reject_reason::no_thread);
  }
  ASSERT_TRUE(at.pool.try_submit_every(1s, std::move(body)));
  at.advance(1s);
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace weir
