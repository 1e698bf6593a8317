#include "sync/mutex.hpp"

namespace weir::sync {

namespace {

// A holder on another core is done within this many pauses or it has been descheduled; on two cores a
// longer spin takes the processor from the very thread it waits for.
constexpr int k_spin_limit = 40;

}  // namespace

void mutex::lock_slow() noexcept {
  for (int spin = 0; spin < k_spin_limit; ++spin) {
    spin_pause();
    std::uint32_t expected = k_free;
    if (word_.load(relaxed) == k_free &&
        // ordering: mutex-handover
        word_.compare_exchange_strong(expected, k_held, acquire, relaxed)) {
      return;
    }
  }
  // From here on the word says "sleepers", also when this thread is the only one: whoever unlocks then
  // wakes once for nothing, but never forgets a sleeper.
  // ordering: mutex-handover
  while (word_.exchange(k_contended, acquire) != k_free) futex_wait(word_, k_contended, {});
}

}  // namespace weir::sync
