#include "weir/cron.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "support/utc.hpp"

namespace weir {
namespace {

using testing::utc;
using testing::utc_text;
using texts = std::vector<std::string>;

texts next(const cron& of, const std::string& after, int count) {
  texts found;
  auto at = utc(after);
  for (int i = 0; i < count; ++i) {
    const auto one = of.next(at);
    found.push_back(utc_text(one));
    if (!one) break;
    at = *one;
  }
  return found;
}

texts prev(const cron& of, const std::string& before, int count) {
  texts found;
  auto at = utc(before);
  for (int i = 0; i < count; ++i) {
    const auto one = of.prev(at);
    found.push_back(utc_text(one));
    if (!one) break;
    at = *one;
  }
  return found;
}

// The occurrences of one week from a Monday on, as `Mon 00:00` would be 1.
texts days_of_week(const std::string& expression) {
  const cron of(expression);
  texts days;
  auto at = utc("2024-06-30T23:59Z");  // a Sunday
  for (auto one = of.next(at); one && *one < utc("2024-07-08T00:00Z"); one = of.next(*one)) {
    days.push_back(utc_text(*one).substr(8, 2));
  }
  return days;
}

TEST(cron, C7_case_70_a_daily_job_in_the_gap_runs_at_its_end) {
  EXPECT_EQ(next(cron("30 2 * * *", "America/New_York"), "2026-03-07T12:00Z", 3),
            (texts{"2026-03-08T07:00Z", "2026-03-09T06:30Z", "2026-03-10T06:30Z"}));
  EXPECT_EQ(next(cron("0 2 * * *", "America/Los_Angeles"), "2025-03-08T12:00Z", 1),
            texts{"2025-03-09T10:00Z"});
}

TEST(cron, C7_R30_the_gap_may_be_skipped) {
  const cron of("30 2 * * *", "America/New_York", {.gap = cron_gap::skip});
  EXPECT_EQ(next(of, "2026-03-07T12:00Z", 2), (texts{"2026-03-09T06:30Z", "2026-03-10T06:30Z"}));
  EXPECT_FALSE(of.matches(utc("2026-03-08T07:00Z")));
}

TEST(cron, C7_case_71_a_daily_job_in_the_fold_runs_once) {
  EXPECT_EQ(next(cron("30 1 * * *", "America/New_York"), "2026-10-31T12:00Z", 2),
            (texts{"2026-11-01T05:30Z", "2026-11-02T06:30Z"}));
}

TEST(cron, C7_R30_each_pass_of_a_fold_can_be_asked_for) {
  const cron second("30 1 * * *", "America/New_York", {.fold = cron_fold::second});
  EXPECT_EQ(next(second, "2026-10-31T12:00Z", 2),
            (texts{"2026-11-01T06:30Z", "2026-11-02T06:30Z"}));
  const cron both("30 1 * * *", "America/New_York", {.fold = cron_fold::both});
  EXPECT_EQ(next(both, "2026-10-31T12:00Z", 3),
            (texts{"2026-11-01T05:30Z", "2026-11-01T06:30Z", "2026-11-02T06:30Z"}));
}

TEST(cron, C7_case_73_the_offset_is_that_of_the_occurrence) {
  EXPECT_EQ(next(cron("0 17 * * *", "America/New_York"), "2016-11-05T21:00Z", 2),
            (texts{"2016-11-06T22:00Z", "2016-11-07T22:00Z"}));
  EXPECT_EQ(next(cron("0 9 * * *", "Europe/Berlin"), "2025-03-29T08:00Z", 2),
            (texts{"2025-03-30T07:00Z", "2025-03-31T07:00Z"}));
}

TEST(cron, C7_case_74_an_interval_goes_through_the_fold_evenly) {
  for (const char* expression : {"@every 10s", "*/10 * * * * *"}) {
    const cron of(expression, "America/Los_Angeles");
    int count = 0;
    auto at = utc("2022-11-06T07:59Z") - std::chrono::seconds(1);
    for (auto one = of.next(at); *one <= utc("2022-11-06T10:01Z"); one = of.next(at)) {
      if (count > 0) {
        ASSERT_EQ(*one - at, std::chrono::seconds(10));
      }
      at = *one;
      ++count;
    }
    EXPECT_EQ(count, 733) << expression;
  }
}

TEST(cron, C7_case_76_a_gap_of_half_an_hour) {
  EXPECT_EQ(next(cron("15 2 * * *", "Australia/Lord_Howe"), "2025-10-04T12:00Z", 2),
            (texts{"2025-10-04T15:30Z", "2025-10-05T15:15Z"}));
}

TEST(cron, C7_case_77_the_zone_belongs_to_the_schedule) {
  const cron of("5 0 * * *", "America/Toronto");
  EXPECT_EQ(of.zone(), "America/Toronto");
  EXPECT_EQ(next(of, "2025-01-10T00:00Z", 1), texts{"2025-01-10T05:05Z"});
  EXPECT_EQ(next(of, "2025-07-10T00:00Z", 1), texts{"2025-07-10T04:05Z"});
}

TEST(cron, C7_R30_case_79_a_leading_star_is_unrestricted) {
  const cron of("0 0 */2 * 3");
  EXPECT_EQ(next(of, "2024-09-01T00:00Z", 5),
            (texts{"2024-09-11T00:00Z", "2024-09-25T00:00Z", "2024-10-09T00:00Z",
                   "2024-10-23T00:00Z", "2024-11-13T00:00Z"}));
  EXPECT_EQ(of.describe(),
            "at 00:00, on every 2nd day of the month from the 1st, if it is Wednesday (UTC)");
}

TEST(cron, C7_two_restricted_day_fields_mean_either) {
  EXPECT_EQ(next(cron("0 0 13 * FRI"), "2024-09-01T00:00Z", 5),
            (texts{"2024-09-06T00:00Z", "2024-09-13T00:00Z", "2024-09-20T00:00Z",
                   "2024-09-27T00:00Z", "2024-10-04T00:00Z"}));
}

TEST(cron, C7_case_80_a_date_that_cannot_be_is_refused) {
  for (const char* expression : {"0 0 30 2 *", "0 0 31 4 *", "0 0 31 2,4,6,9,11 *", "0 0 31W 2,4 *",
                                 "0 0 L-30 4 *", "0 0 30 2 */2", "0 0 30 FEB ?"}) {
    try {
      const cron of(expression);
      ADD_FAILURE() << expression << " was accepted";
    } catch (const cron_error& error) {
      EXPECT_EQ(error.column(), 5u) << expression;
      EXPECT_NE(error.trouble().find("never occurs"), std::string_view::npos) << error.what();
    }
  }
  EXPECT_EQ(next(cron("0 0 29 2 *"), "2096-03-01T00:00Z", 1), texts{"2104-02-29T00:00Z"});
  EXPECT_EQ(next(cron("0 0 * 2 MON#5"), "2024-01-01T00:00Z", 1), texts{"2044-02-29T00:00Z"});
}

TEST(cron, C7_case_82_a_dead_branch_does_not_kill_the_other) {
  EXPECT_EQ(next(cron("48 14 31 jun sun"), "2024-01-01T00:00Z", 2),
            (texts{"2024-06-02T14:48Z", "2024-06-09T14:48Z"}));
}

TEST(cron, C7_case_83_the_last_day_of_each_month) {
  const cron of("0 0 L * *");
  const texts days{"2015-09-30T00:00Z", "2015-10-31T00:00Z", "2015-11-30T00:00Z",
                   "2015-12-31T00:00Z", "2016-01-31T00:00Z", "2016-02-29T00:00Z",
                   "2016-03-31T00:00Z"};
  EXPECT_EQ(next(of, "2015-09-30T00:00Z", 6), texts(days.begin() + 1, days.end()));
  EXPECT_EQ(prev(of, "2016-03-31T00:00Z", 6), texts(days.rbegin() + 1, days.rend()));
  EXPECT_EQ(next(cron("0 0 L-3 2 *"), "2023-01-01T00:00Z", 2),
            (texts{"2023-02-25T00:00Z", "2024-02-26T00:00Z"}));
}

TEST(cron, C7_case_85_last_weekdays_and_the_last_workday) {
  EXPECT_EQ(next(cron("0 0 * * 5L"), "2024-07-11T00:00Z", 1), texts{"2024-07-26T00:00Z"});
  EXPECT_EQ(next(cron("0 0 * * 5L"), "2024-05-01T00:00Z", 1), texts{"2024-05-31T00:00Z"});
  EXPECT_EQ(next(cron("0 0 * * friL"), "2024-07-11T00:00Z", 1), texts{"2024-07-26T00:00Z"});
  EXPECT_EQ(next(cron("0 9 * * 1L"), "2017-10-02T00:00Z", 1), texts{"2017-10-30T09:00Z"});
  EXPECT_EQ(next(cron("0 5 LW * *"), "2023-10-01T00:00Z", 2),
            (texts{"2023-10-31T05:00Z", "2023-11-30T05:00Z"}));
  EXPECT_EQ(next(cron("0 5 LW * *"), "2023-12-01T00:00Z", 1), texts{"2023-12-29T05:00Z"});
}

TEST(cron, C7_the_workday_nearest_to_a_day_of_the_month) {
  // 2024: 15 June is a Saturday, 15 September a Sunday, 1 June a Saturday, 30 June a Sunday.
  EXPECT_EQ(next(cron("0 0 15W 6 *"), "2024-01-01T00:00Z", 1), texts{"2024-06-14T00:00Z"});
  EXPECT_EQ(next(cron("0 0 15W 9 *"), "2024-01-01T00:00Z", 1), texts{"2024-09-16T00:00Z"});
  EXPECT_EQ(next(cron("0 0 1W 6 *"), "2024-01-01T00:00Z", 1), texts{"2024-06-03T00:00Z"});
  EXPECT_EQ(next(cron("0 0 30W 6 *"), "2024-01-01T00:00Z", 1), texts{"2024-06-28T00:00Z"});
  EXPECT_EQ(next(cron("0 0 31w * *"), "2024-02-01T00:00Z", 2),
            (texts{"2024-03-29T00:00Z", "2024-05-31T00:00Z"}));
}

TEST(cron, C7_the_second_friday) {
  EXPECT_EQ(next(cron("0 0 * * 5#2"), "2024-07-01T00:00Z", 2),
            (texts{"2024-07-12T00:00Z", "2024-08-09T00:00Z"}));
  EXPECT_EQ(next(cron("0 0 ? * SUN#1,7#5"), "2024-09-01T00:00Z", 2),
            (texts{"2024-09-29T00:00Z", "2024-10-06T00:00Z"}));
}

TEST(cron, C7_case_86_sunday_is_0_and_7) {
  EXPECT_EQ(days_of_week("0 0 * * 7"), (texts{"07"}));
  EXPECT_EQ(days_of_week("0 0 * * 5-7"), (texts{"05", "06", "07"}));
  EXPECT_EQ(days_of_week("0 0 * * 0,7"), (texts{"07"}));
  EXPECT_EQ(days_of_week("0 0 * * sun"), (texts{"07"}));
  EXPECT_EQ(days_of_week("0 0 * * WED-7"), (texts{"03", "04", "05", "06", "07"}));
}

TEST(cron, C7_case_88_ranges_that_wrap) {
  EXPECT_EQ(days_of_week("0 8 * * FRI-MON"), (texts{"01", "05", "06", "07"}));
  EXPECT_EQ(days_of_week("0 8 * * SUN-SAT").size(), 7u);
  EXPECT_EQ(days_of_week("0 8 * * SAT-SUN"), (texts{"06", "07"}));
  EXPECT_EQ(days_of_week("0 8 * * 7-2"), (texts{"01", "02", "07"}));
  EXPECT_EQ(days_of_week("0 8 * * FRI-MON/2"), (texts{"05", "07"}));
  EXPECT_EQ(next(cron("0 22-2 * * *"), "2024-07-01T12:00Z", 6),
            (texts{"2024-07-01T22:00Z", "2024-07-01T23:00Z", "2024-07-02T00:00Z",
                   "2024-07-02T01:00Z", "2024-07-02T02:00Z", "2024-07-02T22:00Z"}));
  EXPECT_EQ(next(cron("0 0 1 NOV-FEB/2 *"), "2024-07-01T12:00Z", 3),
            (texts{"2024-11-01T00:00Z", "2025-01-01T00:00Z", "2025-11-01T00:00Z"}));
}

TEST(cron, C7_case_89_a_step_that_fits_one_value) {
  EXPECT_EQ(days_of_week("0 0 * * */7"), (texts{"07"}));
}

TEST(cron, C7_case_91_minutes_of_a_fixed_hour_follow_the_gap_rule) {
  const cron of("*/10 2 * * *", "America/Chicago");
  EXPECT_EQ(next(of, "2016-03-13T07:50Z", 2), (texts{"2016-03-13T08:00Z", "2016-03-14T07:00Z"}))
      << "all six fall into the gap and are one occurrence at its end";
}

TEST(cron, C7_R30_case_92_every_minute_steps_through_the_fold) {
  const cron of("* * * * *", "Europe/London");
  EXPECT_EQ(next(of, "2016-10-30T00:59Z", 1), texts{"2016-10-30T01:00Z"});
  auto at = utc("2016-10-30T00:00Z");
  for (int i = 0; i < 120; ++i) {
    const auto one = of.next(at);
    ASSERT_EQ(*one - at, std::chrono::minutes(1));
    at = *one;
  }
}

TEST(cron, R30_wildcard_hours_are_not_shifted) {
  EXPECT_EQ(next(cron("30 * * * *", "Europe/Berlin"), "2026-03-29T00:00Z", 3),
            (texts{"2026-03-29T00:30Z", "2026-03-29T01:30Z", "2026-03-29T02:30Z"}));
  EXPECT_EQ(next(cron("0 */2 * * *", "Europe/Berlin"), "2026-03-28T22:30Z", 2),
            (texts{"2026-03-28T23:00Z", "2026-03-29T02:00Z"}))
      << "02:00 is left out, 04:00 follows";
  EXPECT_EQ(next(cron("30 0-23 * * *", "Europe/Berlin"), "2026-10-25T00:00Z", 2),
            (texts{"2026-10-25T00:30Z", "2026-10-25T01:30Z"}));
  const cron asked("30 * * * *", "Europe/Berlin",
                   {.gap = cron_gap::shift, .fold = cron_fold::first});
  EXPECT_EQ(next(asked, "2026-03-29T00:40Z", 2), (texts{"2026-03-29T01:00Z", "2026-03-29T01:30Z"}))
      << "unless that is asked for";
  EXPECT_EQ(next(asked, "2026-10-25T00:00Z", 2), (texts{"2026-10-25T00:30Z", "2026-10-25T02:30Z"}));
}

TEST(cron, C7_a_day_that_a_zone_leaves_out) {
  EXPECT_EQ(next(cron("0 12 * * *", "Pacific/Apia"), "2011-12-29T00:00Z", 3),
            (texts{"2011-12-29T22:00Z", "2011-12-30T10:00Z", "2011-12-30T22:00Z"}))
      << "29 December at 12:00; 30 December, shifted to its end; 31 December at 12:00";
  EXPECT_EQ(
      next(cron("0 12 30 12 *", "Pacific/Apia", {.gap = cron_gap::skip}), "2011-01-01T00:00Z", 1),
      texts{"2012-12-29T22:00Z"});
  EXPECT_EQ(cron("0 12 * * *", "Pacific/Apia").remark(utc("2011-12-30T10:00Z")),
            "12:00 does not exist on 2011-12-30: runs at 00:00");
}

TEST(cron, C7_zones_change_after_the_end_of_their_tables) {
  EXPECT_EQ(next(cron("30 2 * * *", "America/New_York"), "2060-03-13T12:00Z", 2),
            (texts{"2060-03-14T07:00Z", "2060-03-15T06:30Z"}));
  EXPECT_EQ(next(cron("0 9 * * *", "Europe/Berlin"), "2100-07-01T00:00Z", 1),
            texts{"2100-07-01T07:00Z"});
}

TEST(cron, C7_six_fields_begin_with_seconds) {
  EXPECT_EQ(next(cron("*/20 30 2 * * *"), "2024-07-01T00:00Z", 4),
            (texts{"2024-07-01T02:30Z", "2024-07-01T02:30:20Z", "2024-07-01T02:30:40Z",
                   "2024-07-02T02:30Z"}));
}

TEST(cron, C7_names_of_whole_schedules) {
  EXPECT_EQ(next(cron("@yearly"), "2024-07-01T00:00Z", 1), texts{"2025-01-01T00:00Z"});
  EXPECT_EQ(next(cron("@annually"), "2024-07-01T00:00Z", 1), texts{"2025-01-01T00:00Z"});
  EXPECT_EQ(next(cron("@monthly"), "2024-07-01T00:00Z", 1), texts{"2024-08-01T00:00Z"});
  EXPECT_EQ(next(cron("@Weekly"), "2024-07-01T00:00Z", 1), texts{"2024-07-07T00:00Z"});
  EXPECT_EQ(next(cron("@daily"), "2024-07-01T00:00Z", 1), texts{"2024-07-02T00:00Z"});
  EXPECT_EQ(next(cron("@midnight"), "2024-07-01T00:00Z", 1), texts{"2024-07-02T00:00Z"});
  EXPECT_EQ(next(cron(" @hourly "), "2024-07-01T00:00Z", 1), texts{"2024-07-01T01:00Z"});
}

TEST(cron, C7_every_is_a_grid_from_the_epoch) {
  const cron of("@every 90s", "Asia/Kolkata");
  EXPECT_EQ(next(of, "2024-07-01T00:00Z", 2), (texts{"2024-07-01T00:01:30Z", "2024-07-01T00:03Z"}));
  EXPECT_EQ(prev(of, "2024-07-01T00:00Z", 1), texts{"2024-06-30T23:58:30Z"});
  EXPECT_TRUE(of.matches(utc("2024-07-01T00:03Z")));
  EXPECT_FALSE(of.matches(utc("2024-07-01T00:02Z")));
  EXPECT_EQ(next(cron("@every 1h30m"), "1969-12-31T20:00Z", 2),
            (texts{"1969-12-31T21:00Z", "1969-12-31T22:30Z"}));
  EXPECT_EQ(prev(cron("@every 2d"), "1969-12-31T00:00Z", 1), texts{"1969-12-30T00:00Z"});
}

TEST(cron, C7_a_prefix_names_the_zone) {
  EXPECT_EQ(cron("CRON_TZ=Asia/Tokyo 0 9 * * *", "Europe/Berlin").zone(), "Asia/Tokyo");
  EXPECT_EQ(next(cron("TZ=Asia/Tokyo  @daily"), "2024-07-01T00:00Z", 1),
            texts{"2024-07-01T15:00Z"});
}

TEST(cron, C7_instants_between_seconds) {
  const cron of("* * * * * *");
  const auto second = utc("2024-07-01T00:00:05Z");
  const auto little = std::chrono::nanoseconds(1);
  EXPECT_EQ(of.next(second - little), second);
  EXPECT_EQ(of.next(second + little), second + std::chrono::seconds(1));
  EXPECT_EQ(of.prev(second + little), second);
  EXPECT_EQ(of.prev(second - little), second - std::chrono::seconds(1));
  EXPECT_TRUE(of.matches(second));
  EXPECT_FALSE(of.matches(second + little));
}

TEST(cron, the_ends_of_time_are_none) {
  using limits = std::numeric_limits<cron::time_point::rep>;
  const cron::time_point first{cron::time_point::duration(limits::min())};
  const cron::time_point last{cron::time_point::duration(limits::max())};
  for (const char* expression : {"* * * * * *", "0 0 29 2 */7", "30 2 * * *", "@every 1s"}) {
    const cron of(expression, "Europe/Berlin");
    EXPECT_EQ(of.next(last), std::nullopt);
    EXPECT_EQ(of.prev(first), std::nullopt);
    const auto earliest = of.next(first);
    ASSERT_TRUE(earliest);
    EXPECT_EQ(of.prev(*earliest), std::nullopt) << utc_text(earliest);
    const auto latest = of.prev(last);
    ASSERT_TRUE(latest);
    EXPECT_EQ(of.next(*latest), std::nullopt) << utc_text(latest);
    EXPECT_FALSE(of.matches(first));
    EXPECT_FALSE(of.matches(last));
  }
}

TEST(cron, is_a_value) {
  const cron one("30 2 * * *", "Europe/Berlin");
  cron other = one;
  EXPECT_EQ(other, one);
  other = cron("30 2 * * *", "Europe/Paris");
  EXPECT_NE(other, one);
  EXPECT_NE(one, cron("30 2 * * *", "Europe/Berlin", {.gap = cron_gap::skip}));
  EXPECT_EQ(one.expression(), "30 2 * * *");
  EXPECT_EQ(one.gap(), cron_gap::shift);
  EXPECT_EQ(one.fold(), cron_fold::first);
  const cron every("* * * * *");
  EXPECT_EQ(every.gap(), cron_gap::skip);
  EXPECT_EQ(every.fold(), cron_fold::both);
  const schedule& as_schedule = one;
  EXPECT_EQ(as_schedule.next(utc("2024-07-01T00:00Z")), utc("2024-07-01T00:30Z"));
}

TEST(cron, remarks_on_changed_clocks) {
  const cron of("30 2 * * *", "Europe/Berlin");
  EXPECT_EQ(of.remark(utc("2026-03-29T01:00Z")), "02:30 does not exist on this day: runs at 03:00");
  EXPECT_EQ(of.remark(utc("2026-10-25T00:30Z")), "02:30 happens twice: the first time");
  EXPECT_EQ(of.remark(utc("2026-07-01T00:30Z")), "");
  EXPECT_EQ(cron("*/10 2 * * *", "Europe/Berlin").remark(utc("2026-03-29T01:00Z")),
            "02:00 to 02:50 do not exist on this day: runs at 03:00");
  EXPECT_EQ(cron("30 * * * *", "Europe/Berlin").remark(utc("2026-10-25T01:30Z")),
            "02:30 happens twice: the second time");
  EXPECT_EQ(cron("@every 1h", "Europe/Berlin").remark(utc("2026-10-25T01:00Z")), "");
}

}  // namespace
}  // namespace weir
