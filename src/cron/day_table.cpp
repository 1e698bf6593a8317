#include "cron/day_table.hpp"

namespace weir::cron_room {
namespace {

constexpr unsigned k_saturday = 6;

constexpr std::uint32_t day_bit(unsigned day) noexcept { return std::uint32_t{1} << day; }

constexpr unsigned weekday_of(unsigned day, unsigned first_weekday) noexcept {
  return (first_weekday + day - 1) % 7;
}

// The workday nearest to a day, without leaving the month.
unsigned nearest_workday(unsigned day, unsigned first_weekday, unsigned length) noexcept {
  const unsigned weekday = weekday_of(day, first_weekday);
  if (weekday == k_saturday) return day > 1 ? day - 1 : day + 2;
  if (weekday == 0) return day < length ? day + 1 : day - 2;
  return day;
}

}  // namespace

std::uint32_t days_by_month(const month_days& allowed, unsigned first_weekday,
                            unsigned length) noexcept {
  const std::uint32_t whole_month = (day_bit(length) - 1) << 1;
  std::uint32_t found = allowed.days & whole_month;
  for (unsigned before = 0; before < length; ++before) {
    if ((allowed.from_end & day_bit(before)) != 0) found |= day_bit(length - before);
  }
  for (unsigned day = 1; day <= length; ++day) {
    if ((allowed.near_workday & day_bit(day)) != 0) {
      found |= day_bit(nearest_workday(day, first_weekday, length));
    }
  }
  // The workday nearest to the last day is the last workday, as both days of a week-end go back.
  if (allowed.last_workday) found |= day_bit(nearest_workday(length, first_weekday, length));
  return found;
}

std::uint32_t days_by_week(const week_days& allowed, unsigned first_weekday,
                           unsigned length) noexcept {
  std::uint32_t found = 0;
  for (unsigned day = 1; day <= length; ++day) {
    const unsigned weekday = weekday_of(day, first_weekday);
    const unsigned bit = 1U << weekday;
    const unsigned which = (day - 1) / 7 + 1;
    if ((allowed.days & bit) != 0 || ((allowed.last & bit) != 0 && day + 7 > length) ||
        (allowed.nth[weekday] & (1U << which)) != 0) {
      found |= day_bit(day);
    }
  }
  return found;
}

day_table::day_table(const month_days& of_month, const week_days& of_week) {
  const bool both_must_hold = of_month.star || of_week.star;
  for (unsigned first_weekday = 0; first_weekday < 7; ++first_weekday) {
    for (unsigned length = 28; length <= 31; ++length) {
      const std::uint32_t by_month = days_by_month(of_month, first_weekday, length);
      const std::uint32_t by_week = days_by_week(of_week, first_weekday, length);
      rows_[first_weekday][length - 28] = both_must_hold ? by_month & by_week : by_month | by_week;
    }
  }
}

bool day_table::ever(std::uint64_t months) const noexcept {
  constexpr std::array<unsigned, 13> k_lengths{0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  for (unsigned month = 1; month <= 12; ++month) {
    if ((months >> month & 1) == 0) continue;
    for (unsigned first_weekday = 0; first_weekday < 7; ++first_weekday) {
      if (days(first_weekday, k_lengths[month]) != 0) return true;
      if (month == 2 && days(first_weekday, 28) != 0) return true;
    }
  }
  return false;
}

}  // namespace weir::cron_room
