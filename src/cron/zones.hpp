#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cron/zone_table.hpp"

namespace weir::cron_room {

// The system's IANA time zones, read once and kept. All of this is thread-safe.

/// The zone of that name; null when there is none, or the system has no time zones at all.
[[nodiscard]] std::shared_ptr<const zone_table> find_zone(std::string_view name);

/// All names.
[[nodiscard]] std::vector<std::string> zone_names();

/// The name of the zone that this machine lives in: the variable TZ where it names one, else what
/// the system is set to, else UTC.
[[nodiscard]] std::string local_zone_name();

}  // namespace weir::cron_room
