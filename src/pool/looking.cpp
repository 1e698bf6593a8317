#include "pool/pool_core.hpp"

/// What a pool shows of itself: numbers, durations, tasks.
namespace weir::detail {

pool_counts pool_core::counts() {
  const sync::lock_guard lock(mutex_);
  fold_all();
  return counts_now();
}

pool_counts pool_core::counts_now() const noexcept {
  pool_counts now = counts_;
  now.queued = ready_;
  now.delayed = delayed_;
  now.running = busy_ + outside_;
  now.workers = workers_;
  now.idle = workers_ - busy_;
  now.blocked = blocked_count_;
  return now;
}

pool_timings pool_core::timings() {
  pool_timings now;
  {
    const sync::lock_guard lock(mutex_);
    now.lateness = lateness_;
  }
  const sync::lock_guard lock(measured_.mutex);
  now.wait = measured_.wait;
  now.run = measured_.run;
  return now;
}

pool_stats pool_core::stats() {
  const pool_timings measured = timings();
  return {counts(), measured.wait.summary(), measured.run.summary(), measured.lateness.summary()};
}

}  // namespace weir::detail
