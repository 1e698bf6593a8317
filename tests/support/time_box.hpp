#pragma once

#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace weir::testing {

/// How long a stress test goes on: one second, or WEIR_STRESS_SECONDS.
inline std::chrono::seconds stress_time() {
  const char* const given = std::getenv("WEIR_STRESS_SECONDS");
  if (given == nullptr || *given == '\0') return std::chrono::seconds(1);
  char* end = nullptr;
  const long seconds = std::strtol(given, &end, 10);
  if (*end != '\0' || seconds < 1) {
    throw std::invalid_argument("WEIR_STRESS_SECONDS is '" + std::string(given) +
                                "'; it must be a whole number of at least 1");
  }
  return std::chrono::seconds(seconds);
}

/// Says when the time of a stress test is over; at least one round is always run.
class time_box {
 public:
  time_box() : end_(std::chrono::steady_clock::now() + stress_time()) {}
  [[nodiscard]] bool over() const { return std::chrono::steady_clock::now() >= end_; }

 private:
  std::chrono::steady_clock::time_point end_;
};

}  // namespace weir::testing
