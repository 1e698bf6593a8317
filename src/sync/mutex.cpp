#include "sync/mutex.hpp"

#include <algorithm>

#ifndef WEIR_SYNC_SEAM_MUTEX

namespace weir::sync {

void mutex::lock_slow() noexcept {
  for (int spin = 0; spin < k_mutex_spin_limit; ++spin) {
    for (int pause = 0; pause < std::min(1 << spin, 16); ++pause) spin_pause();
    std::uint32_t expected = k_free;
    if (word_.load(relaxed) == k_free &&
        // ordering: mutex-handover
        word_.compare_exchange_strong(expected, k_held, acquire, relaxed)) {
      return;
    }
  }
  // From here on the word says "sleepers", also when this thread is the only one: whoever unlocks
  // then wakes once for nothing, but never forgets a sleeper. ordering: mutex-handover
  while (word_.exchange(k_contended, acquire) != k_free) futex_wait(word_, k_contended, {});
}

}  // namespace weir::sync

#endif
