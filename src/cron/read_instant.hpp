#pragma once

#include <optional>
#include <string_view>

#include "cron/zone_table.hpp"

namespace weir::cron_room {

/// Reads an instant as people type it: `2026-03-28T12:00:00Z`, `2026-03-28T12:00+01:00`, `@` and
/// the seconds since the epoch, or without an offset, `2026-03-28 12:00` and `2026-03-28`, by the
/// clocks of the zone. A local time that exists twice is the first of the two, one that does not
/// exist is the end of its gap. None for any other text.
[[nodiscard]] std::optional<utc_second> read_instant(std::string_view text, const zone_table& zone);

/// The instant of a local time, by the same rule.
[[nodiscard]] utc_second instant_of(local_second local, const zone_table& zone) noexcept;

}  // namespace weir::cron_room
