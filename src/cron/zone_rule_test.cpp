#include "cron/zone_rule.hpp"

#include <gtest/gtest.h>

#include "support/utc.hpp"

namespace weir::cron_room {
namespace {

std::vector<std::string> changes(const char* text, int year) {
  const auto rule = zone_rule::read(text);
  if (!rule) return {"unreadable"};
  std::vector<std::string> found;
  for (const zone_change& change : rule->changes(year)) {
    found.push_back(testing::utc_text(testing::wall_time(std::chrono::seconds(change.at))) + " " +
                    std::to_string(change.offset / 60));
  }
  return found;
}

using texts = std::vector<std::string>;

TEST(zone_rule, reckons_the_changes_of_a_year) {
  EXPECT_EQ(changes("EST5EDT,M3.2.0,M11.1.0", 2026),
            (texts{"2026-03-08T07:00Z -240", "2026-11-01T06:00Z -300"}));
  EXPECT_EQ(changes("CET-1CEST,M3.5.0,M10.5.0/3", 2040),
            (texts{"2040-03-25T01:00Z 120", "2040-10-28T01:00Z 60"}));
  EXPECT_EQ(changes("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", 2026),
            (texts{"2026-04-04T15:00Z 630", "2026-10-03T15:30Z 660"}));
  EXPECT_EQ(changes("IST-1GMT0,M10.5.0,M3.5.0/1", 2026),
            (texts{"2026-03-29T01:00Z 60", "2026-10-25T01:00Z 0"}))
      << "a summer time that lies in winter";
}

TEST(zone_rule, takes_hours_outside_of_the_day) {
  EXPECT_EQ(changes("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", 2026),
            (texts{"2026-03-29T01:00Z -60", "2026-10-25T01:00Z -120"}));
  EXPECT_EQ(changes("EET-2EEST,M3.4.4/50,M10.4.4/50", 2026),
            (texts{"2026-03-28T00:00Z 180", "2026-10-23T23:00Z 120"}));
}

TEST(zone_rule, counts_days_of_the_year) {
  EXPECT_EQ(changes("AAA0BBB,J60/0,J365/0", 2024),
            (texts{"2024-03-01T00:00Z 60", "2024-12-30T23:00Z 0"}));
  EXPECT_EQ(changes("AAA0BBB,59/0,364/0", 2024),
            (texts{"2024-02-29T00:00Z 60", "2024-12-29T23:00Z 0"}));
}

TEST(zone_rule, without_summer_time_there_is_no_change) {
  EXPECT_EQ(changes("UTC0", 2026), texts{});
  EXPECT_EQ(changes("<+0545>-5:45", 2026), texts{});
}

TEST(zone_rule, refuses_what_it_cannot_read) {
  for (const char* text :
       {"", "5", "CET", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0",
        "CET-1CEST,M3.6.0,M10.5.0", "CET-1CEST,M3.5.7,M10.5.0", "CET-1CEST,M3.5.0,M10.5.0 ",
        "<+01-1", "CET-1CEST,M3.5.0,J0", "CET-999"}) {
    EXPECT_EQ(changes(text, 2026), texts{"unreadable"}) << text;
  }
}

}  // namespace
}  // namespace weir::cron_room
