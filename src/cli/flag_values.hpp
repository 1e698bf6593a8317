#pragma once

#include <charconv>
#include <chrono>
#include <string>
#include <system_error>

#include "process/duration.hpp"
#include "process/errors.hpp"

namespace weir::cli {

/// Reads the value of a flag as a whole number; throws `process::usage_error` outside of the
/// bounds.
template <class Number>
Number whole_number(const char* name, const std::string& text, Number least, Number most) {
  Number value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || rest != end || text.empty() || value < least || value > most) {
    throw process::usage_error(std::string(name) + " '" + text + "': give a whole number from " +
                               std::to_string(least) + " to " + std::to_string(most));
  }
  return value;
}

/// The text itself; throws `process::usage_error` where it is empty.
inline const std::string& not_empty(const char* name, const std::string& text) {
  if (text.empty()) {
    throw process::usage_error(std::string(name) + ": the value is empty");
  }
  return text;
}

/// Reads a length of time; throws `process::usage_error` for any other text.
inline std::chrono::nanoseconds time_length(const char* name, const std::string& text) {
  const auto value = process::parse_duration(text);
  if (!value) {
    throw process::usage_error(std::string(name) + " '" + text +
                               "': give a length of time such as 500ms, 2s, 1.5m, 1h, or plain "
                               "seconds");
  }
  return *value;
}

}  // namespace weir::cli
