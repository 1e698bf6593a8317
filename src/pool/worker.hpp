#pragma once

#include <cstddef>

#include "base/intrusive_list.hpp"
#include "sync/parker.hpp"
#include "sync/thread.hpp"
#include "weir/detail/task_base.hpp"

namespace weir::detail {

/// A place for a thread of a pool. Places live as long as the core and are used again, so that
/// whoever wakes a worker may do so after the pool's lock is released, whatever the worker does
/// meanwhile. All but `parker` and `index` is guarded by the pool's lock; `regressions` and
/// `last_reading` are the worker's own.
struct worker {
  explicit worker(std::size_t place) noexcept : index(place) {}

  const std::size_t index;
  sync::parker parker;
  sync::thread thread;
  list_links<worker> links;       ///< among the idle workers, or the free places
  bool listed = false;            ///< parked or about to be, and free to be woken
  bool woken = false;             ///< taken off the list by a waker, not yet awake
  task_base* current = nullptr;   ///< the task whose body it runs
  bool was_idle = false;          ///< `leave_at` counts
  time_point leave_at{};          ///< end of its keep-alive
  bool stays = false;             ///< sleeps without that limit, as a delayed task needs it
  std::uint64_t regressions = 0;  ///< of the clock, not yet counted; the worker's own
  time_point last_reading = time_point::min();

  /// A new thread has the place: what was the last one's does not count.
  void settle_in() noexcept {
    was_idle = false;
    stays = false;
    last_reading = time_point::min();
  }
};

}  // namespace weir::detail
