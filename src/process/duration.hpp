#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace weir::process {

/// Reads a length of time as people type it: `500ms`, `2s`, `1.5m`, `1h`, `1d`, or a plain number
/// of seconds. Returns nothing for any other text, for negative values and for what nanoseconds in
/// 64 bits cannot hold.
std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text);

}  // namespace weir::process
