#include "cron/civil_text.hpp"

#include <array>
#include <chrono>
#include <string_view>

namespace weir::cron_room {
namespace {

constexpr std::int64_t k_day = 86'400;

std::chrono::sys_days day_of(local_second at) {
  return std::chrono::floor<std::chrono::days>(std::chrono::sys_seconds(std::chrono::seconds(at)));
}

std::int64_t second_of_day(local_second at) {
  return at - day_of(at).time_since_epoch().count() * k_day;
}

std::string clock_text(std::int64_t seconds, bool with_seconds) {
  const std::string text = two_digits(seconds / 3600) + ":" + two_digits(seconds / 60 % 60);
  return with_seconds ? text + ":" + two_digits(seconds % 60) : text;
}

}  // namespace

std::string two_digits(std::int64_t number) {
  return (number < 10 ? "0" : "") + std::to_string(number);
}

std::string ordinal(int number) {
  constexpr std::array<std::string_view, 4> k_endings{"th", "st", "nd", "rd"};
  const bool teen = number / 10 % 10 == 1;
  const int last = number % 10;
  return std::to_string(number) +
         std::string(k_endings[teen || last > 3 ? 0 : static_cast<std::size_t>(last)]);
}

std::string time_text(local_second at) {
  const std::int64_t seconds = second_of_day(at);
  return clock_text(seconds, seconds % 60 != 0);
}

std::string date_text(local_second at) {
  const std::chrono::year_month_day date(day_of(at));
  return std::to_string(static_cast<int>(date.year())) + "-" +
         two_digits(static_cast<unsigned>(date.month())) + "-" +
         two_digits(static_cast<unsigned>(date.day()));
}

std::string weekday_text(local_second at) {
  constexpr std::array<std::string_view, 7> k_names{"Sun", "Mon", "Tue", "Wed",
                                                    "Thu", "Fri", "Sat"};
  return std::string(k_names[std::chrono::weekday(day_of(at)).c_encoding()]);
}

std::string civil_text(local_second at) {
  return date_text(at) + "T" + clock_text(second_of_day(at), true);
}

std::string offset_text(std::int64_t offset) {
  const std::int64_t size = offset < 0 ? -offset : offset;
  return (offset < 0 ? "-" : "+") + clock_text(size, size % 60 != 0);
}

}  // namespace weir::cron_room
