#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace weir::process {

// The parts of one line of a crontab. Places are counted from 0, columns of errors from 1.

/// A place in a line at which something is wrong.
struct line_error {
  std::size_t place = 0;
  std::string trouble;
};

/// `NAME = value`, with quotes around either if they are needed.
struct setting_parts {
  std::string name;
  std::string value;
  std::size_t value_place = 0;
};

/// None: the line is no setting, so it must be a schedule with a command. Throws `line_error` for
/// one that is meant as a setting and is wrong.
std::optional<setting_parts> read_setting(std::string_view line);

/// `30 2 * * MON-FRI`, `@daily` or `@every 90s`, and where the command begins.
struct schedule_parts {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t command = 0;
};

/// Throws `line_error` where fields or the command are missing.
schedule_parts read_schedule(std::string_view line, bool seconds);

std::size_t skip_blanks(std::string_view line, std::size_t from);

}  // namespace weir::process
