#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace weir::model {

/// Threads that one execution may have, the kernel's own included.
inline constexpr unsigned k_fibers_max = 8;

/// What a thread knows of every thread: the number of the last step that happens before now.
struct clock_vector {
  std::array<std::uint32_t, k_fibers_max> at{};

  void join(const clock_vector& other) noexcept {
    for (unsigned fiber = 0; fiber < k_fibers_max; ++fiber) {
      at[fiber] = std::max(at[fiber], other.at[fiber]);
    }
  }
  [[nodiscard]] bool knows(unsigned fiber, std::uint32_t clock) const noexcept {
    return clock <= at[fiber];
  }
};

}  // namespace weir::model
