#include <gtest/gtest.h>

#include "weir/cron.hpp"

namespace weir {
namespace {

TEST(describe_cron, C7_says_what_an_expression_means) {
  const struct {
    const char* expression;
    const char* meaning;
  } all[] = {
      {"30 2 * * *", "at 02:30 every day"},
      {"0 9,17 * * *", "at 09:00 and 17:00 every day"},
      {"30 2 * * MON-FRI", "at 02:30, Monday to Friday"},
      {"0 8 * * FRI-MON", "at 08:00, Friday to Monday"},
      {"0 8 * * 0,6", "at 08:00, Saturday and Sunday"},
      {"0 8 * * SUN", "at 08:00, Sunday"},
      {"*/10 * * * *", "every 10 minutes"},
      {"* * * * *", "every minute"},
      {"* * * * * *", "every second"},
      {"*/15 * * * * *", "every 15 seconds"},
      {"5 * * * * *", "at second 5 of every minute"},
      {"0 * * * *", "every hour"},
      {"@hourly", "every hour"},
      {"5 * * * *", "at minute 5 of every hour"},
      {"*/7 * * * *", "at minutes 0, 7, 14, 21, 28, 35, 42, 49 and 56 of every hour"},
      {"0 */2 * * *", "every 2 hours"},
      {"15 */2 * * *", "at minute 15 of every 2nd hour"},
      {"*/10 2 * * *", "every 10 minutes from 02:00 to 02:59"},
      {"0 9-17 * * 1-5", "on the hour from 09:00 to 17:59, Monday to Friday"},
      {"*/5 9-11,14-16 * * *", "every 5 minutes from 09:00 to 11:59 and 14:00 to 16:59"},
      {"*/20 30 2 * * *", "at 02:30, 02:30:20 and 02:30:40 every day"},
      {"0 0 1 1 *", "at 00:00, on the 1st, in January"},
      {"0 0 1,15 * *", "at 00:00, on the 1st and the 15th"},
      {"0 0 L * *", "at 00:00, on the last day of the month"},
      {"0 0 L-1,L-3 * *",
       "at 00:00, on the day before the last of the month and 3 days before the last of the month"},
      {"0 0 LW * *", "at 00:00, on the last workday of the month"},
      {"0 0 15W * *", "at 00:00, on the workday nearest to the 15th"},
      {"0 0 * * 5#2", "at 00:00, the 2nd Friday of the month"},
      {"0 0 * * 5L", "at 00:00, the last Friday of the month"},
      {"0 0 13 * 5", "at 00:00, on the 13th, and also on Friday"},
      {"0 0 */2 * 3", "at 00:00, on every 2nd day of the month from the 1st, if it is Wednesday"},
      {"0 0 * JUN-AUG,12 *", "at 00:00 every day, in June to August and December"},
  };
  for (const auto& one : all) {
    EXPECT_EQ(cron(one.expression).describe(), std::string(one.meaning) + " (UTC)")
        << one.expression;
  }
  EXPECT_EQ(cron("@every 90m").describe(),
            "every 1 hour and 30 minutes, counted from 1970-01-01 UTC");
  EXPECT_EQ(cron("@every 1d").describe(), "every day, counted from 1970-01-01 UTC");
}

}  // namespace
}  // namespace weir
