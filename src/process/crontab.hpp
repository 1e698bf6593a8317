#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "weir/cron.hpp"

namespace weir::process {

/// How a crontab is meant where its text leaves it open.
struct crontab_options {
  bool seconds = false;      ///< a schedule has six fields, seconds first
  std::string zone = "UTC";  ///< where no `CRON_TZ` holds
};

/// A line `NAME = value`.
struct crontab_setting {
  std::string name;
  std::string value;
  std::uint64_t line = 0;
  std::size_t column = 1;  ///< of the value
};

/// Stands for the settings that hold at some line: equal for equal names and values, in whichever
/// order and lines they were given, and different for others as surely as 128 bits can say.
struct settings_digest {
  std::uint64_t words[2] = {0, 0};

  friend bool operator==(const settings_digest&, const settings_digest&) = default;
};

/// A line that runs something.
struct crontab_entry {
  std::uint64_t line = 0;
  std::string when;                      ///< the schedule as it was written
  std::shared_ptr<const cron> schedule;  ///< null: `@reboot`
  std::string command;                   ///< what the shell gets
  std::string input;                     ///< the command's standard input
  std::size_t settings = 0;              ///< how many of the crontab's settings stand above it
  settings_digest digest;                ///< of those
};

/// What is wrong with a line.
struct crontab_problem {
  std::uint64_t line = 0;
  std::size_t column = 1;  ///< in bytes, from 1; one past the end: something is missing there
  std::string trouble;     ///< the reason and the way out, in one line
  std::string excerpt;     ///< two lines: what is around the column, and a caret under it
};

/// What a crontab says. Lines that are wrong are in `problems`, all others in the rest.
struct crontab {
  static constexpr std::size_t k_most_bytes = 16 * 1024 * 1024;
  static constexpr std::size_t k_most_entries = 100'000;
  static constexpr std::size_t k_most_problems = 100;

  std::vector<crontab_entry> entries;
  std::vector<crontab_setting> settings;
  std::vector<crontab_problem> problems;  ///< the first ones
  std::uint64_t further_problems = 0;
};

/// Reads a user's crontab: schedules of five or six fields, `@daily` and its like, `@every 90s`,
/// `@reboot`; settings, of which `CRON_TZ` holds for the schedules below it; `%` in commands;
/// comments. Bytes may be anything. Pure. Throws `usage_error` for a text that has more entries
/// than may be.
crontab read_crontab(std::string_view text, const crontab_options& options);

/// "FILE:3:7: reason and way out", and under it the excerpt; three lines, without the last newline.
std::string describe_problem(std::string_view file, const crontab_problem& one);

/// What stands in front of the first lone `%` of a command, and the lines behind it, which are its
/// standard input: each further `%` is a newline, `\%` a percent sign.
struct split_command {
  std::string text;
  std::string input;
};
split_command split_at_percent(std::string_view command);

}  // namespace weir::process
