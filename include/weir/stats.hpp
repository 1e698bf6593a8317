#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "weir/histogram.hpp"

namespace weir {

/// What a pool has counted and holds. Conservation: at rest
/// `accepted == succeeded + failed + cancelled + drained`; in between, `queued + delayed + running`
/// more.
struct pool_counts {
  // Since construction; these never fall.
  std::uint64_t accepted = 0;
  std::uint64_t succeeded = 0;
  std::uint64_t failed = 0;
  std::uint64_t cancelled = 0;
  std::uint64_t drained = 0;  ///< handed back by shutdown_now
  std::uint64_t refused = 0;  ///< never accepted: rejected, or a new task that was discarded
  std::uint64_t discarded =
      0;  ///< by the saturation policy: accepted ones (in `cancelled`) and new ones (in `refused`)
  std::uint64_t caller_ran = 0;         ///< accepted and run on the submitting thread
  std::uint64_t clock_regressions = 0;  ///< readings of the clock that went backwards
  std::uint64_t wakes = 0;              ///< of sleeping workers
  std::uint64_t steals = 0;  ///< times that a worker took over what another one had claimed

  // Right now.
  std::size_t queued = 0;   ///< due and not started
  std::size_t delayed = 0;  ///< not yet due, or due and not yet claimed
  std::size_t running = 0;  ///< bodies, on workers and on callers
  std::size_t held = 0;     ///< waiting places that series hold for the next run while one runs
  std::size_t weight = 0;   ///< of the tasks that wait or run
  std::size_t workers = 0;
  std::size_t idle = 0;     ///< workers without a task
  std::size_t blocked = 0;  ///< submitters that wait for room

  // The most there ever were at once.
  std::size_t workers_max = 0;
  /// Waiting places in use. May be too high by what workers had claimed ahead and just started, 31
  /// each at most; never above the capacity.
  std::size_t waiting_max = 0;
};

/// The durations that a pool has measured, on its own clock. `pool_options::timing` says of which
/// tasks wait and run are; lateness is always measured.
struct pool_timings {
  /// From submission, or from the due time where that is later, to the start of the body.
  histogram wait;
  /// The body and the destruction of its captures.
  histogram run;
  /// Delayed tasks that have started: how long after their due time.
  histogram lateness;
};

/// All of it: the counts from one moment, and what `pool_timings` come to.
struct pool_stats : pool_counts {
  timing_summary wait;
  timing_summary run;
  timing_summary lateness;
};

}  // namespace weir
