#pragma once

#include <chrono>

#include "base/thread_annotations.hpp"
#include "process/wake_fd.hpp"
#include "sync/mutex.hpp"

namespace weir::process {

/// Blocks for `length` or until `stop` is set; returns false when it was the stop.
bool wait_unless(const wake_fd& stop, std::chrono::nanoseconds length);

/// Keeps starts at least `gap` apart, in the order of arrival. Shared objects: safe.
class start_gate {
 public:
  explicit start_gate(std::chrono::nanoseconds gap) : gap_(gap) {}

  /// Blocks until it is this caller's turn; returns false when `stop` came first.
  bool pass(const wake_fd& stop) WEIR_EXCLUDES(mutex_);

 private:
  std::chrono::steady_clock::time_point take_slot() WEIR_EXCLUDES(mutex_);

  const std::chrono::nanoseconds gap_;
  sync::mutex mutex_;
  std::chrono::steady_clock::time_point next_ WEIR_GUARDED_BY(mutex_);
};

}  // namespace weir::process
