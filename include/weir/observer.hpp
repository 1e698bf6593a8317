#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "weir/task_state.hpp"

namespace weir {

/// What events say about a task. The name is valid during the call.
struct task_info {
  std::uint64_t id = 0;
  std::string_view name;
};

/// Where something happens: a worker of the pool, or a thread of the caller.
struct worker_info {
  static constexpr std::size_t k_caller = std::numeric_limits<std::size_t>::max();

  std::string_view pool;
  std::size_t index = k_caller;  ///< from 0; a place is used again when its worker has quite left
};

/// Hears what a pool does. The pool calls it outside its locks, on the thread where the event
/// happens, so calls come from several threads at once; the order is fixed per thread, and a task's
/// `started` comes before its `finished`. Calls must not throw and should be short: they are part
/// of the hot path. The observer outlives the pool.
class observer {
 public:
  observer() = default;
  observer(const observer&) = delete;
  observer& operator=(const observer&) = delete;
  virtual ~observer() = default;

  virtual void worker_started(const worker_info&) noexcept {}
  virtual void worker_stopped(const worker_info&) noexcept {}
  virtual void task_accepted(const task_info&) noexcept {}
  virtual void task_started(const task_info&, const worker_info&) noexcept {}
  /// The body is over and its captures are gone; the future is terminal right after this.
  virtual void task_finished(const task_info&, const worker_info&, task_state) noexcept {}
  /// It ended without having started.
  virtual void task_cancelled(const task_info&, cancel_reason) noexcept {}
};

}  // namespace weir
