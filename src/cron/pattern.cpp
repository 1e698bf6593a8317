#include "cron/pattern.hpp"

#include <bit>

namespace weir::cron_room {
namespace {

using std::chrono::days;
using std::chrono::sys_days;
using std::chrono::year_month;
using std::chrono::year_month_day;

constexpr std::int64_t k_day = 86'400;

std::int64_t day_of(local_second at) noexcept { return at / k_day - (at % k_day < 0 ? 1 : 0); }

std::int64_t day_number(year_month month, unsigned day) noexcept {
  return sys_days(month / std::chrono::day(day)).time_since_epoch().count();
}

unsigned length_of(year_month month) noexcept {
  return static_cast<unsigned>(
      std::chrono::year_month_day_last(month.year(), std::chrono::month_day_last(month.month()))
          .day());
}

year_month_day civil(std::int64_t day) noexcept { return sys_days(days(day)); }

// The lowest bit from `from` on, the highest up to `upto`; -1 when there is none.
int lowest(std::uint64_t bits, int from) noexcept {
  const std::uint64_t kept = from > 63 ? 0 : bits & (~std::uint64_t{0} << from);
  return kept == 0 ? -1 : std::countr_zero(kept);
}
int highest(std::uint64_t bits, int upto) noexcept {
  const std::uint64_t kept = upto < 0 ? 0 : bits & (~std::uint64_t{0} >> (63 - upto));
  return kept == 0 ? -1 : 63 - std::countl_zero(kept);
}

std::int64_t seconds_of(int hour, int minute, int second) noexcept {
  return (std::int64_t{hour} * 60 + minute) * 60 + second;
}

}  // namespace

bool pattern::matches(local_second at) const noexcept { return first(at, at + 1).has_value(); }

std::optional<local_second> pattern::first(local_second begin, local_second end) const noexcept {
  if (begin >= end) return std::nullopt;
  const std::int64_t upto = day_of(end - 1);
  std::optional<std::int64_t> day = first_day(day_of(begin), upto);
  if (!day) return std::nullopt;
  std::optional<std::int64_t> time = first_time(*day == day_of(begin) ? begin - *day * k_day : 0);
  if (!time) {
    day = first_day(*day + 1, upto);
    if (!day) return std::nullopt;
    time = first_time(0);
  }
  const local_second found = *day * k_day + *time;
  return found < end ? std::optional(found) : std::nullopt;
}

std::optional<local_second> pattern::last(local_second begin, local_second end) const noexcept {
  if (begin >= end) return std::nullopt;
  const std::int64_t from = day_of(begin);
  const std::int64_t latest = day_of(end - 1);
  std::optional<std::int64_t> day = last_day(latest, from);
  if (!day) return std::nullopt;
  std::optional<std::int64_t> time =
      last_time(*day == latest ? end - 1 - latest * k_day : k_day - 1);
  if (!time) {
    day = last_day(*day - 1, from);
    if (!day) return std::nullopt;
    time = last_time(k_day - 1);
  }
  const local_second found = *day * k_day + *time;
  return found >= begin ? std::optional(found) : std::nullopt;
}

std::uint32_t pattern::days_of(year_month month) const noexcept {
  if ((fields_.months >> static_cast<unsigned>(month.month()) & 1) == 0) return 0;
  const std::chrono::weekday first(sys_days(month / 1));
  return days_.days(first.c_encoding(), length_of(month));
}

std::optional<std::int64_t> pattern::first_day(std::int64_t from,
                                               std::int64_t upto) const noexcept {
  if (from > upto) return std::nullopt;
  const year_month_day start = civil(from);
  year_month month = start.year() / start.month();
  int day = static_cast<int>(static_cast<unsigned>(start.day()));
  while (true) {
    if (const int found = lowest(days_of(month), day); found > 0) {
      const std::int64_t number = day_number(month, static_cast<unsigned>(found));
      return number <= upto ? std::optional(number) : std::nullopt;
    }
    month += std::chrono::months(1);
    day = 1;
    if (day_number(month, 1) > upto) return std::nullopt;
  }
}

std::optional<std::int64_t> pattern::last_day(std::int64_t upto, std::int64_t from) const noexcept {
  if (from > upto) return std::nullopt;
  const year_month_day start = civil(upto);
  year_month month = start.year() / start.month();
  int day = static_cast<int>(static_cast<unsigned>(start.day()));
  while (true) {
    if (const int found = highest(days_of(month), day); found > 0) {
      const std::int64_t number = day_number(month, static_cast<unsigned>(found));
      return number >= from ? std::optional(number) : std::nullopt;
    }
    if (day_number(month, 1) <= from) return std::nullopt;
    month -= std::chrono::months(1);
    day = 31;
  }
}

std::optional<std::int64_t> pattern::first_time(std::int64_t from) const noexcept {
  const int hour = static_cast<int>(from / 3600);
  const int minute = static_cast<int>(from / 60 % 60);
  const int first_minute = lowest(fields_.minutes, 0);
  const int first_second = lowest(fields_.seconds, 0);
  if ((fields_.hours >> hour & 1) != 0) {
    if ((fields_.minutes >> minute & 1) != 0) {
      const int second = lowest(fields_.seconds, static_cast<int>(from % 60));
      if (second >= 0) return seconds_of(hour, minute, second);
    }
    const int later = lowest(fields_.minutes, minute + 1);
    if (later >= 0) return seconds_of(hour, later, first_second);
  }
  const int later = lowest(fields_.hours, hour + 1);
  if (later < 0) return std::nullopt;
  return seconds_of(later, first_minute, first_second);
}

std::optional<std::int64_t> pattern::last_time(std::int64_t upto) const noexcept {
  const int hour = static_cast<int>(upto / 3600);
  const int minute = static_cast<int>(upto / 60 % 60);
  const int last_minute = highest(fields_.minutes, 59);
  const int last_second = highest(fields_.seconds, 59);
  if ((fields_.hours >> hour & 1) != 0) {
    if ((fields_.minutes >> minute & 1) != 0) {
      const int second = highest(fields_.seconds, static_cast<int>(upto % 60));
      if (second >= 0) return seconds_of(hour, minute, second);
    }
    const int earlier = highest(fields_.minutes, minute - 1);
    if (earlier >= 0) return seconds_of(hour, earlier, last_second);
  }
  const int earlier = highest(fields_.hours, hour - 1);
  if (earlier < 0) return std::nullopt;
  return seconds_of(earlier, last_minute, last_second);
}

}  // namespace weir::cron_room
