#include "process/progress_line.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>

namespace weir::process {
namespace {

constexpr std::size_t k_bar_width = 20;

std::string clock_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::min(seconds, 359999.0));
  char text[32];
  if (whole >= 3600) {
    std::snprintf(text, sizeof text, "%u:%02u:%02u", static_cast<unsigned>(whole / 3600),
                  static_cast<unsigned>(whole / 60 % 60), static_cast<unsigned>(whole % 60));
  } else {
    std::snprintf(text, sizeof text, "%u:%02u", static_cast<unsigned>(whole / 60),
                  static_cast<unsigned>(whole % 60));
  }
  return text;
}

std::string rate_text(double rate) {
  char text[32];
  std::snprintf(text, sizeof text, rate < 10 ? "%.1f/s" : "%.0f/s", rate);
  return text;
}

}  // namespace

std::string progress_line(const run_counts& counts, std::chrono::nanoseconds elapsed,
                          std::size_t width) {
  const double seconds = std::chrono::duration<double>(elapsed).count();
  const double rate = seconds > 0 ? static_cast<double>(counts.ended()) / seconds : 0;
  const std::uint64_t done = counts.ended() + counts.skipped;
  std::string line;
  if (counts.total && *counts.total > 0) {
    const double share =
        std::min(1.0, static_cast<double>(done) / static_cast<double>(*counts.total));
    const auto filled = static_cast<std::size_t>(share * k_bar_width);
    line = "[" + std::string(filled, '#') + std::string(k_bar_width - filled, '.') + "] " +
           std::to_string(static_cast<int>(share * 100)) + "% " + std::to_string(done) + "/" +
           std::to_string(*counts.total);
  } else {
    line = std::to_string(done) + " done";
  }
  line += "  " + rate_text(rate) + "  " + std::to_string(counts.running) + " running  " +
          std::to_string(counts.failed + counts.timed_out) + " failed";
  if (counts.total && rate > 0) {
    const std::uint64_t left = *counts.total - std::min(*counts.total, done);
    line += "  " + clock_text(static_cast<double>(left) / rate) + " left";
  }
  return line.substr(0, width);
}

}  // namespace weir::process
