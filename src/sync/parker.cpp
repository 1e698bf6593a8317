#include "sync/parker.hpp"

namespace weir::sync {

// An exchange, not a store: a second token that arrives in between is taken with its memory
// effects.
bool parker::take_token() noexcept {
  // ordering: parker-token
  word_.exchange(k_empty, acquire);
  return true;
}

bool parker::park_until(deadline until) noexcept {
  std::uint32_t seen = k_token;
  // ordering: parker-token
  if (word_.compare_exchange_strong(seen, k_empty, acquire, relaxed)) return true;
  seen = k_empty;
  // ordering: parker-token
  if (!word_.compare_exchange_strong(seen, k_parked, acquire, relaxed)) return take_token();
  for (;;) {
    const bool in_time = futex_wait(word_, k_parked, until);
    seen = k_token;
    // ordering: parker-token
    if (word_.compare_exchange_strong(seen, k_empty, acquire, relaxed)) return true;
    if (in_time) continue;
    seen = k_parked;
    // ordering: parker-token
    if (word_.compare_exchange_strong(seen, k_empty, acquire, relaxed)) return false;
    return take_token();
  }
}

void parker::unpark() noexcept {
  const auto* address = &word_;
  // ordering: parker-token
  if (word_.exchange(k_token, release) == k_parked) futex_wake(address, 1);
}

}  // namespace weir::sync
