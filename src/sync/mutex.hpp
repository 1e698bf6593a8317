#pragma once

#include "base/thread_annotations.hpp"
#include "sync/futex.hpp"
#include "weir/detail/assert.hpp"
#include "weir/detail/sync.hpp"

namespace weir::sync {

#ifndef WEIR_SYNC_SEAM_MUTEX
/// Mutual exclusion on one futex word: 0 free, 1 held, 2 held with sleepers. Not recursive, not
/// fair, held for tens of nanoseconds. What a holder did before `unlock` is visible after the next
/// `lock`. Source: Drepper, "Futexes are tricky" (2011), third version. Protocol:
/// docs/design/parking.md.
class WEIR_CAPABILITY("mutex") mutex {
 public:
  mutex() noexcept = default;
  mutex(const mutex&) = delete;
  mutex& operator=(const mutex&) = delete;

  /// Blocks until held.
  void lock() noexcept WEIR_ACQUIRE() {
    std::uint32_t expected = k_free;
    // ordering: mutex-handover
    if (word_.compare_exchange_strong(expected, k_held, acquire, relaxed)) return;
    lock_slow();
  }

  void unlock() noexcept WEIR_RELEASE() {
    // ordering: mutex-handover
    if (word_.exchange(k_free, release) == k_contended) futex_wake(&word_, 1);
  }

 private:
  static constexpr std::uint32_t k_free = 0;
  static constexpr std::uint32_t k_held = 1;
  static constexpr std::uint32_t k_contended = 2;

  void lock_slow() noexcept;

  atomic<std::uint32_t> word_{k_free};
};

#endif

/// Holds a mutex for a scope.
class WEIR_SCOPED_CAPABILITY lock_guard {
 public:
  explicit lock_guard(mutex& held) noexcept WEIR_ACQUIRE(held) : mutex_(held) { mutex_.lock(); }
  ~lock_guard() WEIR_RELEASE() { mutex_.unlock(); }
  lock_guard(const lock_guard&) = delete;
  lock_guard& operator=(const lock_guard&) = delete;

 private:
  mutex& mutex_;
};

/// Holds a mutex for a scope that lets go in between, for user code say.
class WEIR_SCOPED_CAPABILITY unique_lock {
 public:
  explicit unique_lock(mutex& held) noexcept WEIR_ACQUIRE(held) : mutex_(held) { mutex_.lock(); }
  ~unique_lock() WEIR_RELEASE() {
    if (owns_) mutex_.unlock();
  }
  unique_lock(const unique_lock&) = delete;
  unique_lock& operator=(const unique_lock&) = delete;

  void lock() noexcept WEIR_ACQUIRE() {
    WEIR_ASSERT(!owns_);
    mutex_.lock();
    owns_ = true;
  }
  void unlock() noexcept WEIR_RELEASE() {
    WEIR_ASSERT(owns_);
    owns_ = false;
    mutex_.unlock();
  }
  [[nodiscard]] bool owns_lock() const noexcept { return owns_; }

 private:
  mutex& mutex_;
  bool owns_ = true;
};

}  // namespace weir::sync
