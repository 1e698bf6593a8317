#include "cron/parser.hpp"

#include <gtest/gtest.h>

#include "weir/cron.hpp"

namespace weir {
namespace {

struct refused {
  std::string expression;
  std::size_t column;
  std::string says;
};

void expect_refused(const refused& one) {
  SCOPED_TRACE(one.expression);
  try {
    static_cast<void>(cron_room::parse(one.expression));
    ADD_FAILURE() << "was accepted";
  } catch (const cron_error& error) {
    EXPECT_EQ(error.column(), one.column) << error.what();
    EXPECT_NE(error.trouble().find(one.says), std::string_view::npos) << error.what();
  }
}

TEST(cron_parser, C7_case_89_what_cannot_be_is_refused_where_it_stands) {
  const refused all[] = {
      {"*/90 * * * *", 3, "give 1 to 59"},
      {"*/0 * * * *", 3, "a step of 0 never moves on"},
      {"5-3 * * * *", 1, "a range of minutes runs upwards: write 5-59,0-3"},
      {"1- * * * *", 3, "a minute is missing here"},
      {", * * * *", 1, "a minute is missing here"},
      {"0 0 * * MONDAY", 9, "'MONDAY' is no day of the week: give 0 to 7, or SUN to SAT"},
      {"60 * * * *", 1, "'60' is no minute: give 0 to 59"},
  };
  for (const refused& one : all) expect_refused(one);
}

TEST(cron_parser, C7_errors_point_at_the_column) {
  const refused all[] = {
      {"", 1, "the expression is empty"},
      {"   ", 4, "the expression is empty"},
      {"*", 2, "1 field is too few"},
      {"* * * *", 8, "4 fields are too few"},
      {"* * * * * * 2024", 13, "a seventh field has no meaning"},
      {"0 24 * * *", 3, "'24' is no hour: give 0 to 23"},
      {"0 0 0 * *", 5, "'0' is no day of the month: give 1 to 31"},
      {"0 0 32 * *", 5, "'32' is no day of the month"},
      {"0 0 1 13 *", 7, "'13' is no month: give 1 to 12, or JAN to DEC"},
      {"0 0 1 JUNE *", 7, "'JUNE' is no month"},
      {"0 0 1 foo *", 7, "'foo' is no month"},
      {"0 0 * * 8", 9, "'8' is no day of the week"},
      {"0 0 * * L", 9, "Give 5L for the last Friday"},
      {"0 0 * * 5#0", 11, "give 1 to 5"},
      {"0 0 * * 5#6", 11, "give 1 to 5"},
      {"0 0 * * 1-5L", 12, "has no meaning here"},
      {"0 0 L-0 * *", 7, "give 1 to 30"},
      {"0 0 L-31 * *", 7, "give 1 to 30"},
      {"0 0 W * *", 5, "'W' is no day of the month"},
      {"0 0 0W * *", 5, "'0W' is no day of the month"},
      {"0 0 1-5W * *", 8, "has no meaning here"},
      {"0 0 28-3 * *", 5, "runs upwards"},
      {"? * * * *", 1, "? stands alone"},
      {"0 0 1,? * *", 7, "? stands alone"},
      {"0 0 * * 1,,2", 11, "a day of the week is missing here"},
      {"0 0 * * 1,", 11, "a day of the week is missing here"},
      {"1x * * * *", 2, "'x' has no meaning here, in the minute field"},
      {"** * * * *", 2, "'*' has no meaning here"},
      {"*-5 * * * *", 2, "'-' has no meaning here"},
      {"1/ * * * *", 3, "a step is missing here"},
      {"-1 * * * *", 1, "a minute is missing here"},
      {"99999999999999999999 * * * *", 1, "is no minute"},
      {"0 0\n* * *", 10, "4 fields are too few"},
      {"@reboot", 1, "no point in time"},
      {"@dialy", 1, "did you mean @daily?"},
      {"@nonsense", 1, "is unknown: give @hourly"},
      {"@daily 5", 8, "nothing may follow here"},
      {"@every", 7, "give a period"},
      {"@every 90", 10, "a unit is missing here"},
      {"@every 5x", 9, "a unit is missing here"},
      {"@every 0s", 8, "give a period from 1s to 36500d"},
      {"@every 1000000d", 8, "give a period from 1s to 36500d"},
      {"@every -5s", 8, "give a period"},
      {"TZ= * * * * *", 4, "the name of a time zone is missing"},
  };
  for (const refused& one : all) expect_refused(one);
}

TEST(cron_parser, an_error_shows_the_text_with_a_caret) {
  try {
    const cron of("0 0 * * MONDAY");
    FAIL();
  } catch (const cron_error& error) {
    EXPECT_STREQ(error.what(),
                 "'MONDAY' is no day of the week: give 0 to 7, or SUN to SAT\n"
                 "  0 0 * * MONDAY\n"
                 "          ^");
  }
}

TEST(cron_parser, an_error_shows_any_bytes_safely) {
  try {
    const cron of(std::string("1\t\x1b[2J\0\xff * *", 12));
    FAIL();
  } catch (const cron_error& error) {
    EXPECT_EQ(std::string(error.what()).find('\x1b'), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("\n  1 ?[2J?? * *\n"), std::string::npos)
        << error.what();
  }
  expect_refused({std::string(2000, '1'), 1001, "at most 1000 bytes"});
}

TEST(cron_parser, C7_an_unknown_zone_names_the_nearest) {
  try {
    const cron of("CRON_TZ=Europe/Berlim 0 0 * * *");
    FAIL();
  } catch (const cron_error& error) {
    EXPECT_EQ(error.column(), 9u);
    EXPECT_EQ(error.trouble(),
              "no time zone is called 'Europe/Berlim': did you mean Europe/Berlin?");
  }
  try {
    const cron of("0 0 * * *", "america/new_york");
    FAIL();
  } catch (const cron_error& error) {
    EXPECT_EQ(error.column(), 1u);
    EXPECT_NE(error.trouble().find("did you mean America/New_York?"), std::string_view::npos);
  }
  EXPECT_THROW(cron("0 0 * * *", ""), cron_error);
  EXPECT_THROW(cron("0 0 * * *", "../../etc/passwd"), cron_error);
  EXPECT_THROW(cron("0 0 * * *", "/etc/localtime"), cron_error);
}

TEST(cron_parser, reads_sets) {
  using cron_room::parse;
  const auto minutes = [](const char* expression) { return parse(expression).calendar->minutes; };
  EXPECT_EQ(minutes("*/15 * * * *"), 1ULL | 1ULL << 15 | 1ULL << 30 | 1ULL << 45);
  EXPECT_EQ(minutes("5/15 * * * *"), 1ULL << 5 | 1ULL << 20 | 1ULL << 35 | 1ULL << 50);
  EXPECT_EQ(minutes("10-20/5,3 * * * *"), 1ULL << 3 | 1ULL << 10 | 1ULL << 15 | 1ULL << 20);
  EXPECT_EQ(minutes("007 * * * *"), 1ULL << 7);
  EXPECT_EQ(parse("0 0 1 jan,Dec *").calendar->months, 1ULL << 1 | 1ULL << 12);
  EXPECT_EQ(parse("\t 0  0 ? * MON ").calendar, parse("0 0 * * 1").calendar);
  EXPECT_TRUE(parse("0 */2 * * *").calendar->wildcard_hours);
  EXPECT_TRUE(parse("0 0-23 * * *").calendar->wildcard_hours);
  EXPECT_FALSE(parse("0 1-23 * * *").calendar->wildcard_hours);
  EXPECT_EQ(parse("@every 1h1m1s").every, std::chrono::seconds(3661));
}

}  // namespace
}  // namespace weir
