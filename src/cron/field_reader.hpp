#pragma once

#include <cstdint>

#include "cron/fields.hpp"
#include "cron/source_text.hpp"

namespace weir::cron_room {

// Each reads one field, which is all of `text`, and throws `cron_error` that points into it.

/// A field of seconds, minutes, hours or months; bit n: value n.
[[nodiscard]] std::uint64_t read_values(source_text text, const field_kind& kind);

[[nodiscard]] month_days read_month_days(source_text text);

[[nodiscard]] week_days read_week_days(source_text text);

}  // namespace weir::cron_room
