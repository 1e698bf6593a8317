#include "process/crontab.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "process/errors.hpp"

namespace weir::process {
namespace {

crontab read(std::string_view text, bool seconds = false) { return read_crontab(text, {seconds}); }

crontab_entry only_entry(std::string_view text) {
  const crontab seen = read(text);
  EXPECT_TRUE(seen.problems.empty()) << describe_problem("f", seen.problems.front());
  EXPECT_EQ(seen.entries.size(), 1u) << text;
  return seen.entries.empty() ? crontab_entry() : seen.entries.front();
}

// A bad line between two good ones: where it is wrong, a word of the reason, one of the way out.
struct bad_line {
  std::string line;
  std::size_t column;
  std::string reason;
  std::string way_out;
  bool seconds = false;
};

void PrintTo(const bad_line& one, std::ostream* out) {
  *out << testing::PrintToString(one.line.substr(0, 60));
}

class crontab_bad : public ::testing::TestWithParam<bad_line> {};

TEST_P(crontab_bad, line_is_told_with_place_reason_and_way_out_and_the_others_are_read) {
  const bad_line& wrong = GetParam();
  const std::string good = wrong.seconds ? "0 * * * * * true\n" : "* * * * * true\n";
  const crontab seen = read(good + wrong.line + "\n" + good, wrong.seconds);
  EXPECT_EQ(seen.entries.size(), 2u);
  ASSERT_EQ(seen.problems.size(), 1u);
  const crontab_problem& told = seen.problems.front();
  EXPECT_EQ(told.line, 2u);
  EXPECT_EQ(told.column, wrong.column) << told.trouble;
  EXPECT_NE(told.trouble.find(wrong.reason), std::string::npos) << told.trouble;
  EXPECT_NE(told.trouble.find(wrong.way_out), std::string::npos) << told.trouble;
  EXPECT_EQ(told.trouble.find('\n'), std::string::npos);
  const std::string shown = describe_problem("jobs", told);
  EXPECT_EQ(shown.rfind("jobs:2:" + std::to_string(wrong.column) + ": ", 0), 0u) << shown;
  EXPECT_EQ(std::count(shown.begin(), shown.end(), '\n'), 2) << shown;
  EXPECT_EQ(shown.back(), '^');
}

INSTANTIATE_TEST_SUITE_P(
    lines, crontab_bad,
    ::testing::Values(
        bad_line{"61 * * * * true", 1, "61", "59"}, bad_line{"  0 25 * * * true", 5, "25", "23"},
        bad_line{"0 0 * * FOO true", 9, "FOO", ""},
        bad_line{"0 0 30 2 * true", 5, "never", "change day or month"},
        bad_line{"@dayly true", 1, "dayly", "@daily"},
        bad_line{"@every", 7, "length of time", "@every 90s"},
        bad_line{"@every soon true", 8, "give a period", "@every 90s"},
        bad_line{"* * *", 6, "here are 3", "30 2 * * *"},
        bad_line{"* * * * *", 10, "command is missing", "#"},
        bad_line{"@daily  ", 9, "command is missing", "#"},
        bad_line{"* * * * * %input", 11, "no command before the %", "\\%"},
        bad_line{"* * * * * * true", 11, "sixth field", "--seconds"},
        bad_line{"0 30 2 * * MON-FRI true", 12, "sixth field", "--seconds"},
        bad_line{"0 * * * * true", 15, "command is missing", "--seconds", true},
        bad_line{"0 * * * * true now", 11, "", "--seconds", true},
        bad_line{"= value", 1, "name of a variable is missing", "NAME = value"},
        bad_line{"1ST = value", 1, "cannot be the name", "letters"},
        bad_line{"'MY NAME' = value", 2, "cannot be the name", "letters"},
        bad_line{"NAME = \"open", 8, "not closed", "same one"},
        bad_line{"NAME = 'a' b", 12, "behind the closing quote", "line of its own"},
        bad_line{"'NAME = x", 1, "not closed", "same one"},
        bad_line{"'NAME' x", 8, "'=' is missing", "NAME = value"},
        bad_line{"SHELL =", 8, "SHELL needs", "/bin/bash"},
        bad_line{std::string("* * * * * tr\0ue", 15), 13, "NUL", "remove"},
        bad_line{"* * * * * " + std::string(1 << 20, 'x'), 11, "1048576 bytes", "script"},
        bad_line{std::string(1 << 20, '*'), (1 << 20) + 1, "here are 1", "30 2 * * *"}));

TEST(crontab, fields_names_and_nicknames_are_schedules_and_the_rest_is_the_command) {
  const crontab seen = read(
      "# a comment\n"
      "\n"
      "  \t\n"
      "30 2 * * MON-FRI\t ./backup  --all  \n"
      "@hourly  true\n"
      "@EVERY 90s ./poll x\n"
      "@Reboot first\n"
      "  */5 * * * * NAME=value env # no comment\n");
  ASSERT_TRUE(seen.problems.empty());
  ASSERT_EQ(seen.entries.size(), 5u);
  EXPECT_EQ(seen.entries[0].line, 4u);
  EXPECT_EQ(seen.entries[0].when, "30 2 * * MON-FRI");
  EXPECT_EQ(seen.entries[0].command, "./backup  --all  ");
  EXPECT_EQ(seen.entries[1].when, "@hourly");
  EXPECT_EQ(seen.entries[1].command, "true");
  EXPECT_EQ(seen.entries[2].when, "@EVERY 90s");
  EXPECT_EQ(seen.entries[2].command, "./poll x");
  EXPECT_EQ(seen.entries[3].schedule, nullptr);
  EXPECT_EQ(seen.entries[3].command, "first");
  EXPECT_EQ(seen.entries[4].command, "NAME=value env # no comment");
  EXPECT_TRUE(seen.settings.empty());
}

TEST(crontab, six_fields_with_seconds) {
  const crontab seen = read("*/10 * * * * * true\n@daily true", true);
  EXPECT_TRUE(seen.problems.empty());
  ASSERT_EQ(seen.entries.size(), 2u);
  EXPECT_EQ(seen.entries[0].when, "*/10 * * * * *");
}

TEST(crontab, a_program_may_be_called_like_a_number_or_in_capitals) {
  EXPECT_EQ(only_entry("* * * * * 7z a x").command, "7z a x");
  EXPECT_EQ(only_entry("* * * * * BACKUP").command, "BACKUP");
  EXPECT_EQ(only_entry("* * * * * ./MON").command, "./MON");
}

TEST(crontab, percent_ends_the_command_and_the_rest_is_its_input) {
  const auto split = [](std::string_view text) {
    const split_command parts = split_at_percent(text);
    return std::vector<std::string>{parts.text, parts.input};
  };
  using parts = std::vector<std::string>;
  EXPECT_EQ(split("date"), (parts{"date", ""}));
  EXPECT_EQ(split("mail x%hello%world"), (parts{"mail x", "hello\nworld\n"}));
  EXPECT_EQ(split("date +\\%F\\%T"), (parts{"date +%F%T", ""}));
  EXPECT_EQ(split("cat%100\\% sure"), (parts{"cat", "100% sure\n"}));
  EXPECT_EQ(split("cat%a%"), (parts{"cat", "a\n"}));
  EXPECT_EQ(split("cat%"), (parts{"cat", ""}));
  EXPECT_EQ(split("cat%%"), (parts{"cat", "\n"}));
  EXPECT_EQ(split("printf \\\\%x"), (parts{"printf \\\\", "x\n"})) << "the backslash is escaped";
  EXPECT_EQ(split("echo a\\b\\"), (parts{"echo a\\b\\", ""}));
}

TEST(crontab, settings_follow_the_quoting_rules_of_cron) {
  const crontab seen = read(
      "A=1\n"
      "  B  =  two words  \n"
      "C = \"  kept \"\n"
      "D='x\"y'\n"
      "\"E\" = it's # no comment\n"
      "F=\n"
      "G=$HOME/bin\n");
  ASSERT_TRUE(seen.problems.empty()) << seen.problems.front().trouble;
  std::vector<std::string> values;
  for (const crontab_setting& one : seen.settings) values.push_back(one.name + ":" + one.value);
  EXPECT_EQ(values, (std::vector<std::string>{"A:1", "B:two words", "C:  kept ", "D:x\"y",
                                              "E:it's # no comment", "F:", "G:$HOME/bin"}));
}

TEST(crontab, a_setting_holds_for_the_lines_below_it) {
  const crontab seen = read("@daily a\nX=1\n@daily b\nX=2\n@daily c\nX=1\n@daily d\n");
  ASSERT_EQ(seen.entries.size(), 4u);
  EXPECT_EQ(seen.entries[0].settings, 0u);
  EXPECT_EQ(seen.entries[1].settings, 1u);
  EXPECT_EQ(seen.entries[3].settings, 3u);
  EXPECT_EQ(seen.entries[1].digest, seen.entries[3].digest) << "the same holds again";
  EXPECT_FALSE(seen.entries[1].digest == seen.entries[2].digest);
  EXPECT_FALSE(seen.entries[0].digest == seen.entries[1].digest);
}

TEST(crontab, the_digest_does_not_depend_on_the_order_of_settings) {
  const crontab one = read("X=1\nY=2\n@daily a\n");
  const crontab other = read("Y=0\nY = '2'\nX=1\n@daily a\n");
  EXPECT_EQ(one.entries.at(0).digest, other.entries.at(0).digest);
}

TEST(crontab, cron_tz_holds_for_the_schedules_below_it) {
  const crontab seen =
      read("@daily a\nCRON_TZ = Europe/Berlin\n@daily b\nCRON_TZ=\"Asia/Tokyo\"\n@daily c\n");
  ASSERT_TRUE(seen.problems.empty());
  ASSERT_EQ(seen.entries.size(), 3u);
  EXPECT_EQ(seen.entries[0].schedule->zone(), "UTC");
  EXPECT_EQ(seen.entries[1].schedule->zone(), "Europe/Berlin");
  EXPECT_EQ(seen.entries[2].schedule->zone(), "Asia/Tokyo");
}

TEST(crontab, an_unknown_zone_takes_the_lines_below_it_along_up_to_the_next) {
  const crontab seen = read(
      "@daily a\nCRON_TZ=Europe/Berlyn\n@daily b\n@reboot c\n61 * * * * d\nCRON_TZ=UTC\n@daily "
      "e\n");
  ASSERT_EQ(seen.problems.size(), 2u);
  EXPECT_EQ(seen.problems[0].line, 2u);
  EXPECT_EQ(seen.problems[0].column, 9u);
  EXPECT_NE(seen.problems[0].trouble.find("Europe/Berl"), std::string::npos);
  EXPECT_NE(seen.problems[0].trouble.find("up to the next CRON_TZ"), std::string::npos);
  EXPECT_EQ(seen.problems[1].line, 5u) << "what is wrong besides is told as well";
  ASSERT_EQ(seen.entries.size(), 3u);
  EXPECT_EQ(seen.entries[1].command, "c") << "@reboot needs no zone";
  EXPECT_EQ(seen.entries[2].command, "e");
}

TEST(crontab, a_bad_zone_of_the_command_line_is_an_error_of_the_command_line) {
  EXPECT_THROW(read_crontab("", {false, "Mars/Phobos"}), usage_error);
}

TEST(crontab, line_ends_of_other_systems_and_a_missing_last_one_do_not_matter) {
  EXPECT_EQ(only_entry("* * * * * true\r\n").command, "true");
  EXPECT_EQ(only_entry("* * * * * true").command, "true");
  EXPECT_EQ(only_entry("\xef\xbb\xbf* * * * * true\n").command, "true");
  EXPECT_EQ(read("X = y\r\n\r\n").settings.at(0).value, "y");
  EXPECT_TRUE(read("").entries.empty());
  EXPECT_TRUE(read("\n\n").entries.empty());
}

TEST(crontab, a_line_of_a_megabyte_is_read_where_it_can_be_run) {
  const std::string long_input(1 << 20, 'x');
  EXPECT_EQ(only_entry("* * * * * cat%" + long_input).input, long_input + "\n");
  EXPECT_TRUE(read("# " + long_input + "\n").problems.empty());
  EXPECT_EQ(read("X = " + long_input + "\n").settings.at(0).value, long_input);
}

TEST(crontab, ten_thousand_lines_share_their_schedule) {
  std::string text;
  for (int i = 0; i < 10'000; ++i) text += "*/5 * * * * echo " + std::to_string(i) + "\n";
  const crontab seen = read(text);
  ASSERT_EQ(seen.entries.size(), 10'000u);
  EXPECT_EQ(seen.entries.front().schedule, seen.entries.back().schedule);
  EXPECT_EQ(seen.entries.back().command, "echo 9999");
}

TEST(crontab, problems_are_kept_up_to_a_bound_and_counted_beyond_it) {
  std::string text;
  for (int i = 0; i < 10'000; ++i) text += "x\n";
  const crontab seen = read(text + "@daily a\n");
  EXPECT_EQ(seen.problems.size(), crontab::k_most_problems);
  EXPECT_EQ(seen.further_problems, 10'000 - crontab::k_most_problems);
  EXPECT_EQ(seen.entries.size(), 1u);
}

TEST(crontab, more_lines_than_may_be_are_refused_as_a_whole) {
  std::string text;
  for (std::size_t i = 0; i <= crontab::k_most_entries; ++i) text += "@daily a\n";
  EXPECT_THROW(read(text), usage_error);
}

TEST(crontab, any_bytes_are_either_read_or_told) {
  std::string text;
  std::uint32_t state = 12345;
  for (int i = 0; i < 200'000; ++i) {
    state = state * 1664525 + 1013904223;
    constexpr std::string_view k_bytes = "*/0159,- @\n\t='\"%\\#LWAz\0\xff\r";
    text += k_bytes[(state >> 16) % k_bytes.size()];
  }
  const crontab seen = read(text);
  EXPECT_FALSE(seen.problems.empty());
  for (const crontab_problem& one : seen.problems) EXPECT_FALSE(one.trouble.empty());
}

}  // namespace
}  // namespace weir::process
