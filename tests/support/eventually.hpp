#pragma once

#include <chrono>
#include <thread>

namespace weir::testing {

/// Far beyond what a loaded machine under a sanitizer needs: only a hang is that slow.
inline constexpr std::chrono::seconds k_patience{60};

/// Waits until `condition()` holds; false when it did not within `limit`. For what another thread
/// will certainly bring about and nobody signals: a worker that has gone to sleep, a thread that
/// has left.
template <class Condition>
[[nodiscard]] bool eventually(Condition condition, std::chrono::nanoseconds limit = k_patience) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  for (int look = 0; !condition(); ++look) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    if (look < 100) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  return true;
}

}  // namespace weir::testing
