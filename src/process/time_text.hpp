#pragma once

#include <chrono>
#include <string>

/// Times as a picture of what runs, and a log, show them.
namespace weir::process {

/// A length of time in seconds; what has just gone below nothing is shown as nothing.
[[nodiscard]] double shown_seconds(std::chrono::nanoseconds length);
/// The same with one decimal place and the unit: `1.5s`.
[[nodiscard]] std::string shown_seconds_text(std::chrono::nanoseconds length);

/// A civil time, in full seconds of UTC: `2030-03-04T05:06:07Z`.
[[nodiscard]] std::string utc_text(std::chrono::system_clock::time_point at);

}  // namespace weir::process
