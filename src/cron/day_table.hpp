#pragma once

#include <array>
#include <cstdint>

#include "cron/fields.hpp"

namespace weir::cron_room {

/// Which days of a month both day fields allow. A month is known by the weekday of its first day
/// and its length, so all months there are fit a table of 28 rows.
class day_table {
 public:
  day_table(const month_days& of_month, const week_days& of_week);

  /// Bit n: day n. `first_weekday` from 0, Sunday; `length` from 28 to 31.
  [[nodiscard]] std::uint32_t days(unsigned first_weekday, unsigned length) const noexcept {
    return rows_[first_weekday][length - 28];
  }

  /// Whether any of these months (bit n: month n) ever has an allowed day. The calendar repeats
  /// after 400 years, in which each month, February in both lengths, begins on every weekday.
  [[nodiscard]] bool ever(std::uint64_t months) const noexcept;

 private:
  std::array<std::array<std::uint32_t, 4>, 7> rows_{};
};

/// The days of such a month that the one field allows, without regard to the other.
[[nodiscard]] std::uint32_t days_by_month(const month_days& allowed, unsigned first_weekday,
                                          unsigned length) noexcept;
[[nodiscard]] std::uint32_t days_by_week(const week_days& allowed, unsigned first_weekday,
                                         unsigned length) noexcept;

}  // namespace weir::cron_room
