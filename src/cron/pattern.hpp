#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "cron/day_table.hpp"
#include "cron/fields.hpp"

namespace weir::cron_room {

/// A civil time without a zone, in seconds since 1970-01-01T00:00:00 of the same calendar.
using local_second = std::int64_t;

/// The local times that an expression means. Pure calendar: knows no zone.
class pattern {
 public:
  explicit pattern(const fields& of) : fields_(of), days_(of.of_month, of.of_week) {}

  [[nodiscard]] bool matches(local_second at) const noexcept;

  /// The first match in [begin, end).
  [[nodiscard]] std::optional<local_second> first(local_second begin,
                                                  local_second end) const noexcept;

  /// The last match in [begin, end).
  [[nodiscard]] std::optional<local_second> last(local_second begin,
                                                 local_second end) const noexcept;

  [[nodiscard]] const fields& of() const noexcept { return fields_; }

  /// Whether there is a match at all, in any year.
  [[nodiscard]] bool ever() const noexcept { return days_.ever(fields_.months); }

 private:
  [[nodiscard]] std::optional<std::int64_t> first_day(std::int64_t from,
                                                      std::int64_t upto) const noexcept;
  [[nodiscard]] std::optional<std::int64_t> last_day(std::int64_t upto,
                                                     std::int64_t from) const noexcept;
  [[nodiscard]] std::optional<std::int64_t> first_time(std::int64_t from) const noexcept;
  [[nodiscard]] std::optional<std::int64_t> last_time(std::int64_t upto) const noexcept;
  [[nodiscard]] std::uint32_t days_of(std::chrono::year_month month) const noexcept;

  fields fields_;
  day_table days_;
};

}  // namespace weir::cron_room
