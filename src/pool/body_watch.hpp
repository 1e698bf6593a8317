#pragma once

#include <chrono>
#include <cstddef>

#include "pool/alarm_heap.hpp"
#include "weir/observer.hpp"

namespace weir::detail {

/// How long the watchdog has seen one thread's body run. The thread says when each body begins and
/// ends; the guard, whom it tells only where nobody looks yet, comes by when a limit may be over.
/// Protocol: docs/design/guard.md.
struct body_watch : alarm {
  using rep = time_point::duration::rep;
  static constexpr rep k_no_body = time_point::min().time_since_epoch().count();

  std::size_t index = worker_info::k_caller;  ///< of the worker
  pool_core* core = nullptr;
  sync::atomic<rep> since{k_no_body};  ///< when the body began, on the pool's clock
  sync::atomic<bool> watched{false};   ///< armed: the guard will look
  std::uint64_t seen_id = 0;           ///< the task that the guard saw last; guarded by its mutex
  std::chrono::nanoseconds next_report{};  ///< after so long of it; guarded by its mutex

  /// A body begins at `now`. Whether its thread must tell the guard. Each side says what it does
  /// before it looks at what the other does, so that one of them sees the other.
  [[nodiscard]] bool begins(time_point now) noexcept {
    // ordering: body-watch
    since.store(now.time_since_epoch().count(), sync::seq_cst);
    // ordering: body-watch
    return !watched.load(sync::seq_cst);
  }
  void ends() noexcept { since.store(k_no_body, sync::relaxed); }

  /// The guard, which holds its mutex, looks: whether no body runs. Then it looks no more until one
  /// begins and says so.
  [[nodiscard]] bool rests() noexcept {
    if (since.load(sync::relaxed) != k_no_body) return false;
    // ordering: body-watch
    watched.store(false, sync::seq_cst);
    // ordering: body-watch
    if (since.load(sync::seq_cst) == k_no_body) return true;
    watched.store(true, sync::relaxed);
    return false;
  }

  /// Its thread has left, and the guard does not know it any more.
  void reset() noexcept {
    since.store(k_no_body, sync::relaxed);
    watched.store(false, sync::relaxed);
  }
};

/// A body that the watchdog reports, with a reference to its task and an errand begun.
struct long_body {
  task_base* task = nullptr;  ///< null: nothing to report
  std::size_t index = 0;
  std::chrono::nanoseconds running_for{};
  bool heard = false;  ///< by the hook; else by stderr
};

}  // namespace weir::detail
