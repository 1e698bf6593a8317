#pragma once

#include <cstddef>

#include "base/intrusive_list.hpp"
#include "pool/body_watch.hpp"
#include "pool/claims.hpp"
#include "pool/pace.hpp"
#include "sync/parker.hpp"
#include "sync/thread.hpp"
#include "weir/detail/task_base.hpp"

namespace weir::detail {

/// A place for a thread of a pool. Places live as long as the core and are used again, so that
/// whoever wakes a worker may do so after the pool's lock is released, whatever the worker does
/// meanwhile. All but `parker`, `index`, `watch` and `claims` is guarded by the pool's lock;
/// `regressions`, `last_reading` and `pace` are the worker's own.
struct worker {
  explicit worker(std::size_t place) noexcept : index(place) {}

  const std::size_t index;
  sync::parker parker;
  sync::thread thread;
  list_links<worker> links;  ///< among the idle workers, or the free places
  bool listed = false;       ///< parked or about to be, and free to be woken
  bool woken = false;        ///< taken off the list by a waker, not yet awake
  bool was_idle = false;     ///< `leave_at` counts
  time_point leave_at{};     ///< end of its keep-alive
  bool stays = false;        ///< sleeps without that limit, as a delayed task needs it
  std::size_t depth = 0;     ///< bodies that run in place inside of its own; the worker's own
  std::size_t blocks = 0;    ///< reasons why its body is on hold
  list_links<worker> ahead_links;
  bool ahead = false;        ///< in the list of those who may have claims
  bool orphaned = false;     ///< its thread is gone, its claims are not yet
  std::uint64_t folded = 0;  ///< how many of `claims.starts` are in the pool's counts
  std::uint64_t seen = 0;    ///< `folded` at the last claim of anybody
  weir::detail::pace pace;
  std::uint64_t regressions = 0;  ///< of the clock, not yet counted; the worker's own
  time_point last_reading = time_point::min();
  body_watch watch;  ///< the worker's and the guard's
  alignas(64) weir::detail::claims claims;

  /// A new thread has the place: what was the last one's does not count.
  void settle_in() noexcept {
    depth = 0;
    blocks = 0;
    was_idle = false;
    stays = false;
    last_reading = time_point::min();
    pace = {};
  }
};

}  // namespace weir::detail
