#include "time/series_plan.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <vector>

namespace weir::detail {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

series_plan::reading at(nanoseconds now) { return {time_point(now), wall_point(now)}; }

/// Every so often from the epoch on, up to an end.
class each final : public schedule {
 public:
  explicit each(nanoseconds step, nanoseconds end = nanoseconds::max()) : step_(step), end_(end) {}

  [[nodiscard]] std::optional<wall_point> next(wall_point after) const override {
    const auto since = after.time_since_epoch();
    const nanoseconds found = (since / step_ + 1) * step_;
    if (found > end_) return std::nullopt;
    return wall_point(found);
  }

 private:
  nanoseconds step_;
  nanoseconds end_;
};

series_plan rate(nanoseconds period, catch_up policy, nanoseconds first = 0s) {
  return {period, time_point(first), {.catch_up = policy}};
}

TEST(series_plan, stays_on_its_grid) {
  series_plan plan = rate(10s, catch_up::coalesce, 3s);
  EXPECT_EQ(plan.first()->due, time_point(3s));
  EXPECT_TRUE(plan.begins(at(3s)));
  EXPECT_EQ(plan.next(at(9s))->due, time_point(13s));
  EXPECT_TRUE(plan.begins(at(22s)));
  EXPECT_EQ(plan.next(at(22s))->due, time_point(23s));
  EXPECT_EQ(plan.take_skipped(), 0u);
}

TEST(series_plan, C6_a_due_time_has_passed_when_the_next_one_has_come) {
  series_plan late = rate(10s, catch_up::skip);
  EXPECT_TRUE(late.begins(at(10s - 1ns)));
  series_plan missed = rate(10s, catch_up::skip);
  EXPECT_FALSE(missed.begins(at(10s)));
  EXPECT_EQ(missed.take_skipped(), 2u);
  EXPECT_EQ(missed.next(at(10s))->due, time_point(20s));
  EXPECT_EQ(missed.take_skipped(), 0u);
}

TEST(series_plan, C6_under_skip_what_came_during_the_run_has_passed) {
  series_plan plan = rate(10s, catch_up::skip);
  EXPECT_TRUE(plan.begins(at(0s)));
  EXPECT_EQ(plan.next(at(10s))->due, time_point(10s)) << "it comes just now";
  EXPECT_TRUE(plan.begins(at(10s)));
  EXPECT_EQ(plan.next(at(35s))->due, time_point(40s));
  EXPECT_EQ(plan.take_skipped(), 2u);
}

TEST(series_plan, C6_a_fixed_delay_counts_from_the_end) {
  series_plan plan(10s, time_point(1s), {.mode = recurrence::fixed_delay});
  EXPECT_EQ(plan.first()->due, time_point(1s));
  EXPECT_TRUE(plan.begins(at(1h)));
  EXPECT_EQ(plan.next(at(1h + 4s))->due, time_point(1h + 14s));
  EXPECT_EQ(plan.take_skipped(), 0u);
}

TEST(series_plan, case_68_sums_end_at_the_end_of_time) {
  constexpr auto end = time_point::max();
  series_plan far = rate(nanoseconds::max(), catch_up::skip, 1h);
  EXPECT_TRUE(far.begins(at(1h)));
  EXPECT_EQ(far.next(at(1h))->due, end);
  EXPECT_EQ(far.next(at(1h))->due, end);
  series_plan late(nanoseconds::max(), time_point(1h), {.mode = recurrence::fixed_delay});
  EXPECT_EQ(late.next(at(1h))->due, end);
  series_plan fine = rate(1ns, catch_up::coalesce);
  EXPECT_TRUE(fine.begins({end - 1ns, {}}));
  EXPECT_EQ(fine.take_skipped(), static_cast<std::uint64_t>(nanoseconds::max().count()) - 1);
  EXPECT_EQ(fine.next({end, {}})->due, end);
}

TEST(series_plan, C6_jitter_is_never_early_and_within_its_length) {
  const series_options options{.jitter = 10s, .seed = 3};
  series_plan plan(10s, time_point(0s), options);
  std::size_t low = 0;
  time_point due = plan.first()->due;
  for (int run = 0; run < 1000; ++run) {
    const nanoseconds off = due - time_point(run * 10s);
    EXPECT_GE(off, 0s);
    EXPECT_LE(off, 10s);
    low += off < 5s ? 1 : 0;
    EXPECT_TRUE(plan.begins({due, {}}));
    due = plan.next({due, {}})->due;
  }
  EXPECT_EQ(plan.take_skipped(), 0u) << "jitter makes nobody late";
  EXPECT_GT(low, 400u);
  EXPECT_LT(low, 600u);
}

TEST(series_plan, C6_with_jitter_nothing_is_passed_over_before_it_is_due) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    series_plan plan(10s, time_point(0s), {.jitter = 10s, .seed = seed});
    EXPECT_TRUE(plan.begins(at(100s)));
    const std::uint64_t skipped = plan.take_skipped();
    const time_point next = plan.next(at(100s))->due;
    EXPECT_GT(next, time_point(100s));
    EXPECT_GE(skipped, 8u);
    EXPECT_LE(skipped, 10u);
  }
}

TEST(series_plan, follows_a_schedule) {
  series_plan plan(std::make_shared<each>(15s), wall_point(7s), {});
  EXPECT_EQ(plan.first()->wall, wall_point(15s));
  EXPECT_EQ(plan.wall(), wall_point(15s));
  EXPECT_TRUE(plan.begins(at(15s)));
  EXPECT_EQ(plan.next(at(15s))->wall, wall_point(30s));
}

// Case 61 by a schedule.
TEST(series_plan, case_61_skip_passes_over_all_that_was_missed) {
  series_plan plan(std::make_shared<each>(15s), wall_point(55s), {.catch_up = catch_up::skip});
  EXPECT_EQ(plan.first()->wall, wall_point(60s));
  EXPECT_FALSE(plan.begins(at(102s)));
  EXPECT_EQ(plan.take_skipped(), 3u);
  EXPECT_EQ(plan.next(at(102s))->wall, wall_point(105s));
}

TEST(series_plan, coalesce_and_burst_by_a_schedule) {
  series_plan one(std::make_shared<each>(15s), wall_point(0s), {});
  (void)one.first();
  EXPECT_TRUE(one.begins(at(52s)));
  EXPECT_EQ(one.take_skipped(), 2u);
  EXPECT_EQ(one.wall(), wall_point(45s));
  EXPECT_EQ(one.next(at(52s))->wall, wall_point(60s));

  series_plan all(std::make_shared<each>(15s), wall_point(0s), {.catch_up = catch_up::burst});
  (void)all.first();
  for (const auto wall : {30s, 45s, 60s}) {
    EXPECT_TRUE(all.begins(at(52s)));
    EXPECT_EQ(all.next(at(52s))->wall, wall_point(wall));
  }
}

TEST(series_plan, C6_jitter_by_a_schedule_makes_nobody_late) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    series_plan plan(std::make_shared<each>(60s), wall_point(0s),
                     {.catch_up = catch_up::skip, .jitter = 30min, .seed = seed});
    wall_point due = *plan.first()->wall;
    for (int run = 1; run < 100; ++run) {
      EXPECT_GE(due, *plan.wall());
      EXPECT_LE(due, *plan.wall() + 60s);
      ASSERT_TRUE(plan.begins({{}, due}) || due == *plan.wall() + 60s);
      due = *plan.next({{}, due})->wall;
    }
    EXPECT_LE(plan.take_skipped(), 1u);
  }
}

// Case 53: what has been due is not due again.
TEST(series_plan, case_53_a_civil_time_that_was_set_back_repeats_nothing) {
  series_plan plan(std::make_shared<each>(60s), wall_point(2h), {.catch_up = catch_up::skip});
  (void)plan.first();
  EXPECT_TRUE(plan.begins(at(2h + 60s)));
  EXPECT_EQ(plan.next(at(60s))->wall, wall_point(2h + 120s));
}

TEST(series_plan, ends_with_its_schedule) {
  series_plan plan(std::make_shared<each>(15s, 30s), wall_point(0s), {});
  (void)plan.first();
  EXPECT_TRUE(plan.begins(at(15s)));
  EXPECT_EQ(plan.next(at(15s))->wall, wall_point(30s));
  EXPECT_TRUE(plan.begins(at(100s)));
  EXPECT_FALSE(plan.next(at(100s)));
  EXPECT_FALSE(series_plan(std::make_shared<each>(15s, 30s), wall_point(30s), {}).first());
}

TEST(series_plan, case_52_a_schedule_far_behind_is_caught_up_with_in_bounded_time) {
  series_plan plan(std::make_shared<each>(1ms), wall_point(0s), {});
  (void)plan.first();
  EXPECT_TRUE(plan.begins(at(50 * 365 * 24h + 1us)));
  EXPECT_EQ(plan.wall()->time_since_epoch() % 1ms, 0ms) << "a time of the schedule";
  EXPECT_EQ(plan.next(at(50 * 365 * 24h))->wall, wall_point(50 * 365 * 24h + 1ms));
}

}  // namespace
}  // namespace weir::detail
