#pragma once

#include <chrono>
#include <cstddef>
#include <stop_token>
#include <string>
#include <utility>

#include "weir/detail/task_base.hpp"

namespace weir::detail {

struct continuation;

/// What few tasks have: a name, a weight, a time limit, a stop source, something that follows.
/// Owned by the task, made on demand, never replaced.
struct task_extras {
  std::string name;
  std::string key;
  std::size_t weight = 0;
  std::chrono::nanoseconds timeout = std::chrono::nanoseconds::max();
  time_point deadline = time_point::max();  ///< of the body that runs; its own thread's
  task_base* next_stopped = nullptr;        ///< in the guard's list, guarded by its mutex
  std::stop_source source{std::nostopstate};
  sync::atomic<bool> has_source{false};  ///< `source` may be read by others once this is true
  sync::atomic<continuation*> continuations{nullptr};  ///< the newest first
  std::uint32_t untold = 0;  ///< continuations that have not run; of the thread that ended it
  bool counted = false;      ///< the pool waits for them; of that thread as well
};

/// The task's extras, made if need be. Throws `std::bad_alloc`. The caller holds a reference.
task_extras& need_extras(task_base& task);

/// The task's stop token; makes the source. Only the thread that runs the body may call it.
[[nodiscard]] std::stop_token make_stop_token(task_base& task);

/// Passes a stop request on to the source, if there is one.
void stop_extras(task_base& task);

[[nodiscard]] const std::string& name_of(const task_base& task) noexcept;

/// "task 7 (name)".
[[nodiscard]] std::string described(const task_base& task);

/// Its weight. The caller holds the task from its submission on.
[[nodiscard]] inline std::size_t weight_of(const task_base& task) noexcept {
  // ordering: stop-source
  const task_extras* extras = task.extras.load(sync::acquire);
  return extras != nullptr ? extras->weight : 0;
}

/// The same, once: from then on it weighs nothing. The caller holds the lock that guards the end of
/// the task.
inline std::size_t take_weight(task_base& task) noexcept {
  // ordering: stop-source
  task_extras* extras = task.extras.load(sync::acquire);
  return extras != nullptr ? std::exchange(extras->weight, 0) : 0;
}

}  // namespace weir::detail
