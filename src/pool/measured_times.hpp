#pragma once

#include <cstdint>

#include "sync/mutex.hpp"
#include "weir/detail/sync.hpp"
#include "weir/histogram.hpp"

namespace weir::detail {

/// What a pool has measured of the tasks that were chosen for it, under a lock of its own, which
/// only they take.
struct measured_times {
  sync::mutex mutex;
  histogram wait WEIR_GUARDED_BY(mutex);
  histogram run WEIR_GUARDED_BY(mutex);
};

/// Which submissions of the calling thread are measured: one in 64, at distances that no pattern in
/// what is submitted keeps step with. One count for all pools of the thread.
class sampling {
 public:
  /// Whether the next one is measured, or the thread's first, of which nothing is known yet.
  [[nodiscard]] static bool due() noexcept {
    const std::uint32_t& left = left_;
    return left == 0;
  }
  /// One that is not measured has been submitted.
  static void pass() noexcept {
    std::uint32_t& left = left_;
    if (left > 0) --left;
  }
  /// Passes one; whether it is measured.
  [[nodiscard]] static bool take() noexcept;

 private:
  static std::uint32_t draw() noexcept;

  static inline constinit WEIR_THREAD_LOCAL sync::per_thread<std::uint32_t> left_{};
  static inline constinit WEIR_THREAD_LOCAL sync::per_thread<std::uint64_t> state_{};
};

}  // namespace weir::detail
