#include "process/time_text.hpp"

#include <algorithm>
#include <cstdio>

#include "cron/civil_text.hpp"

namespace weir::process {

double shown_seconds(std::chrono::nanoseconds length) {
  return std::max(0.0, std::chrono::duration<double>(length).count());
}

std::string shown_seconds_text(std::chrono::nanoseconds length) {
  char text[48];
  std::snprintf(text, sizeof text, "%.1fs", shown_seconds(length));
  return text;
}

std::string utc_text(std::chrono::system_clock::time_point at) {
  const auto full = std::chrono::floor<std::chrono::seconds>(at).time_since_epoch();
  return cron_room::civil_text(full.count()) + "Z";
}

}  // namespace weir::process
