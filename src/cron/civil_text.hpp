#pragma once

#include <string>

#include "cron/pattern.hpp"
#include "cron/zone_table.hpp"

namespace weir::cron_room {

/// `02:30`, or `02:30:05` where there are seconds.
[[nodiscard]] std::string time_text(local_second at);

/// `2026-03-29`.
[[nodiscard]] std::string date_text(local_second at);

/// `Sun`.
[[nodiscard]] std::string weekday_text(local_second at);

/// `2026-03-29T03:00:00`.
[[nodiscard]] std::string civil_text(local_second at);

/// `+02:00`; with seconds where an old zone has them.
[[nodiscard]] std::string offset_text(std::int64_t offset);

/// At least two digits.
[[nodiscard]] std::string two_digits(std::int64_t number);

/// `1st`, `2nd`, `23rd`.
[[nodiscard]] std::string ordinal(int number);

}  // namespace weir::cron_room
