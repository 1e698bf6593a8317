#pragma once

#include "sync/futex.hpp"
#include "weir/detail/sync.hpp"

namespace weir::sync {

/// A one-shot flag that any number of threads may wait for. What the setter did before `set` is
/// visible to whoever returns from a wait. Shared objects: safe; destroy it only after `set` has
/// returned.
class event {
 public:
  event() noexcept = default;
  event(const event&) = delete;
  event& operator=(const event&) = delete;

  /// Wakes all waiters; further calls do nothing.
  void set() noexcept {
    // ordering: event-set
    if (word_.exchange(k_set, release) == k_waited) futex_wake(&word_, k_everyone);
  }

  [[nodiscard]] bool is_set() const noexcept {
    // ordering: event-set
    return word_.load(acquire) == k_set;
  }

  /// Blocks until set.
  void wait() noexcept { (void)wait_until({}); }

  /// Blocks until set, at most until `until`; returns whether it is set.
  [[nodiscard]] bool wait_until(deadline until) noexcept {
    for (;;) {
      std::uint32_t seen = k_clear;
      // ordering: event-set
      if (!word_.compare_exchange_strong(seen, k_waited, acquire, acquire) && seen == k_set) {
        return true;
      }
      if (!futex_wait(word_, k_waited, until)) return is_set();
    }
  }

 private:
  static constexpr std::uint32_t k_clear = 0;
  static constexpr std::uint32_t k_waited = 1;
  static constexpr std::uint32_t k_set = 2;
  static constexpr int k_everyone = 0x7fffffff;

  atomic<std::uint32_t> word_{k_clear};
};

}  // namespace weir::sync
