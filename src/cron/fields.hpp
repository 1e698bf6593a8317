#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace weir::cron_room {

enum class unit { second, minute, hour, month_day, month, weekday };

/// What a field may hold.
struct field_kind {
  unit of;
  std::string_view name;    ///< as in "60 is no minute"
  std::string_view plural;  ///< as in "a range of minutes"
  int least;
  int most;
  int cycle;  ///< after how many values it begins again, for ranges that wrap; 0: none does
  std::span<const std::string_view> names;  ///< of `least` and what follows
};

/// All kinds, seconds first.
[[nodiscard]] const std::array<field_kind, 6>& field_kinds() noexcept;

/// The day-of-month field.
struct month_days {
  std::uint32_t days = 0;          ///< bit n: day n
  std::uint32_t from_end = 0;      ///< bit n: n days before the last
  std::uint32_t near_workday = 0;  ///< bit n: the workday nearest to day n
  bool last_workday = false;
  bool star = false;  ///< unrestricted: begins with `*`, or is `?`

  bool operator==(const month_days&) const = default;
};

/// The day-of-week field; Sunday is 0.
struct week_days {
  std::uint8_t days = 0;              ///< bit n: every weekday n
  std::uint8_t last = 0;              ///< bit n: the last weekday n of the month
  std::array<std::uint8_t, 7> nth{};  ///< [n] bit k: the k-th weekday n of the month
  bool star = false;

  bool operator==(const week_days&) const = default;
};

/// What an expression with fields says, as sets.
struct fields {
  std::uint64_t seconds = 1;
  std::uint64_t minutes = 0;
  std::uint64_t hours = 0;
  std::uint64_t months = 0;
  month_days of_month;
  week_days of_week;
  bool wildcard_hours = false;  ///< begins with `*`, or names all 24

  bool operator==(const fields&) const = default;
};

constexpr std::uint64_t k_all_hours = (std::uint64_t{1} << 24) - 1;
constexpr std::uint64_t k_all_sixty = (std::uint64_t{1} << 60) - 1;
constexpr std::uint64_t k_all_months = ((std::uint64_t{1} << 12) - 1) << 1;
constexpr std::uint8_t k_all_weekdays = 0x7F;

}  // namespace weir::cron_room
