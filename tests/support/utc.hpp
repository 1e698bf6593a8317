#pragma once

#include <chrono>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>

namespace weir::testing {

using wall_time = std::chrono::system_clock::time_point;

/// The instant of a text such as `2026-03-08T07:00Z`, seconds allowed.
inline wall_time utc(const std::string& text) {
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  int hour = 0;
  int minute = 0;
  int second = 0;
  const int found =
      std::sscanf(text.c_str(), "%d-%u-%uT%d:%d:%dZ", &year, &month, &day, &hour, &minute, &second);
  if (found < 5) throw std::invalid_argument(text);
  const std::chrono::sys_days date(std::chrono::year(year) / static_cast<int>(month) /
                                   static_cast<int>(day));
  return date + std::chrono::hours(hour) + std::chrono::minutes(minute) +
         std::chrono::seconds(second);
}

/// As `utc` reads it, seconds only where there are any.
inline std::string utc_text(wall_time at) {
  const auto day = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year_month_day date(day);
  const auto time = std::chrono::duration_cast<std::chrono::seconds>(at - day).count();
  char text[48];
  int used =
      std::snprintf(text, sizeof text, "%d-%02u-%02uT%02d:%02d", static_cast<int>(date.year()),
                    static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                    static_cast<int>(time / 3600), static_cast<int>(time / 60 % 60));
  if (time % 60 != 0) {
    used += std::snprintf(text + used, sizeof text - static_cast<std::size_t>(used), ":%02d",
                          static_cast<int>(time % 60));
  }
  return std::string(text, static_cast<std::size_t>(used)) + "Z";
}

inline std::string utc_text(std::optional<wall_time> at) { return at ? utc_text(*at) : "none"; }

}  // namespace weir::testing
