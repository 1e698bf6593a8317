#pragma once

#include <chrono>
#include <optional>

namespace weir {

/// When something recurs, in civil time. Implementations are immutable. Shared objects: safe.
class schedule {
 public:
  virtual ~schedule() = default;

  /// The first occurrence strictly after `after`; none when there is no further one. Does not
  /// block. An implementation may throw; whoever asks then has one schedule that failed, and the
  /// others go on.
  [[nodiscard]] virtual std::optional<std::chrono::system_clock::time_point> next(
      std::chrono::system_clock::time_point after) const = 0;

 protected:
  schedule() = default;
  schedule(const schedule&) = default;
  schedule(schedule&&) = default;
  schedule& operator=(const schedule&) = default;
  schedule& operator=(schedule&&) = default;
};

}  // namespace weir
