#pragma once

#include "weir/thread_pool.hpp"

namespace weir::testing {

/// Returns when nothing runs or waits that is due on the pool's clock, for pools of one worker on a
/// clock that only the test moves. One look answers all questions: between two a run may come.
inline void settle(thread_pool& pool) {
  for (;;) {
    pool.submit([] {}).wait();
    const pool_snapshot seen = pool.snapshot();
    const bool due = !seen.delayed.empty() && seen.delayed.front().due <= seen.taken;
    if (seen.counts.running == 0 && seen.counts.queued == 0 && !due) return;
  }
}

}  // namespace weir::testing
