#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace weir {

/// What a pool has done and holds, all from one moment. Conservation: at rest
/// `accepted == succeeded + failed + cancelled + drained`; in between, `queued + delayed + running`
/// more.
struct pool_stats {
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

  // Right now.
  std::size_t queued = 0;   ///< due and not started
  std::size_t delayed = 0;  ///< not yet due, or due and not yet claimed
  std::size_t running = 0;  ///< bodies, on workers and on callers
  std::size_t weight = 0;   ///< of the tasks that wait or run
  std::size_t workers = 0;
  std::size_t idle = 0;     ///< workers without a task
  std::size_t blocked = 0;  ///< submitters that wait for room

  // The most there ever were at once.
  std::size_t workers_max = 0;
  /// Waiting places in use. May be too high by what workers had claimed ahead and just started, 31
  /// each at most; never above the capacity.
  std::size_t waiting_max = 0;

  // Delayed tasks that have started: how long after their due time.
  std::uint64_t lateness_count = 0;
  std::chrono::nanoseconds lateness_total{0};
  std::chrono::nanoseconds lateness_max{0};
};

}  // namespace weir
