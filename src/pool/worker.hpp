#pragma once

#include <cstddef>

#include "base/intrusive_list.hpp"
#include "pool/claim_ring.hpp"
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
  list_links<worker> links;      ///< among the idle workers, or the free places
  bool listed = false;           ///< parked or about to be, and free to be woken
  bool woken = false;            ///< taken off the list by a waker, not yet awake
  task_base* current = nullptr;  ///< the task whose body it runs
  bool was_idle = false;         ///< `leave_at` counts
  time_point leave_at{};         ///< end of its keep-alive
  bool stays = false;            ///< sleeps without that limit, as a delayed task needs it

  // Claims ahead. `batching` is written by the worker itself, under the lock; it may read it
  // anywhere.
  bool batching = false;           ///< tasks of `ring` are run without the lock in between
  list_links<worker> batch_links;  ///< among those that are
  claim_ring ring;
  std::size_t recalled_head = 0;  ///< scratch of recall_all
  std::size_t recalled_end = 0;
  std::uint64_t folded = 0;  ///< starts out of the ring that the pool's counts know of
  /// Starts out of the ring since the beginning, times two, plus one while a body runs: the places
  /// that are free and the workers that are, told to whoever holds the lock and needs to know
  /// exactly.
  sync::atomic<std::uint64_t> progress{0};
  /// Ends that were published without the lock; the worker's own, read by `stats`.
  struct tally {
    sync::atomic<std::uint64_t> succeeded{0};
    sync::atomic<std::uint64_t> failed{0};
    sync::atomic<std::uint64_t> cancelled{0};
  } ended;

  /// Whether lingering before sleep pays; the worker's own. After the n-th miss in a row 2^n − 1
  /// chances are let pass.
  unsigned linger_misses = 0;
  unsigned linger_skips = 0;

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
