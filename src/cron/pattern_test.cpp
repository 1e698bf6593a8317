#include "cron/pattern.hpp"

#include <gtest/gtest.h>

#include <ctime>

#include "cron/parser.hpp"
#include "support/utc.hpp"

namespace weir::cron_room {
namespace {

pattern pattern_of(const char* expression) { return pattern(*parse(expression).calendar); }

local_second local(const char* text) {
  return std::chrono::duration_cast<std::chrono::seconds>(testing::utc(text).time_since_epoch())
      .count();
}

// The day fields, for what the test below has in them.
bool says_day(const fields& said, const std::tm& civil) {
  const bool last = civil.tm_mday == (civil.tm_mon == 1 ? 29 : 31);
  const bool by_month =
      (said.of_month.days >> civil.tm_mday & 1) != 0 || (said.of_month.from_end == 1 && last);
  return by_month && (said.of_week.days >> civil.tm_wday & 1) != 0;
}

TEST(pattern, finds_within_its_bounds_only) {
  const pattern daily = pattern_of("30 2 * * *");
  const local_second at = local("2024-07-01T02:30Z");
  EXPECT_EQ(daily.first(at, at + 1), at);
  EXPECT_EQ(daily.first(at - 100, at), std::nullopt);
  EXPECT_EQ(daily.first(at + 1, at + 86'400), std::nullopt);
  EXPECT_EQ(daily.first(at + 1, at + 86'401), at + 86'400);
  EXPECT_EQ(daily.last(at, at + 1), at);
  EXPECT_EQ(daily.last(at + 1, at + 86'400), std::nullopt);
  EXPECT_EQ(daily.last(at - 86'400, at), at - 86'400);
  EXPECT_EQ(daily.first(at, at), std::nullopt);
  EXPECT_EQ(daily.last(at + 5, at), std::nullopt);
}

TEST(pattern, knows_days_before_the_epoch) {
  const pattern leap = pattern_of("0 0 29 2 *");
  EXPECT_EQ(leap.last(local("1897-01-01T00:00Z"), local("1904-02-29T00:00Z")), std::nullopt)
      << "1900 is no leap year";
  EXPECT_EQ(leap.first(local("1897-01-01T00:00Z"), local("1950-01-01T00:00Z")),
            local("1904-02-29T00:00Z"));
}

// Every second of two days around the end of a month, looked at one by one.
TEST(pattern, agrees_with_looking_at_every_second) {
  for (const char* expression : {"*/7 */11 3-20/4 28-31 * *", "59 59 23 L * *", "0 0 0 1 * *",
                                 "5,50 30 12 ? 2,3 4", "* 1 23 * * *"}) {
    const pattern of = pattern_of(expression);
    const local_second begin = local("2024-02-28T12:00Z");
    const local_second end = local("2024-03-01T12:00Z");
    const fields& said = of.of();
    std::optional<local_second> before;
    for (local_second at = begin; at < end; ++at) {
      const std::time_t when = at;
      std::tm civil{};
      gmtime_r(&when, &civil);
      const auto has = [](std::uint64_t bits, int value) { return (bits >> value & 1) != 0; };
      const bool day = says_day(said, civil);
      const bool expected = has(said.seconds, civil.tm_sec) && has(said.minutes, civil.tm_min) &&
                            has(said.hours, civil.tm_hour) && has(said.months, civil.tm_mon + 1) &&
                            day;
      ASSERT_EQ(of.matches(at), expected) << expression << " " << at;
      if (!expected) continue;
      ASSERT_EQ(of.first(before ? *before + 1 : begin, end), at) << expression;
      if (before) {
        ASSERT_EQ(of.last(begin, at), before) << expression;
      }
      before = at;
    }
  }
}

}  // namespace
}  // namespace weir::cron_room
