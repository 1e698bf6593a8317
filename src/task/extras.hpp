#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "weir/detail/task_base.hpp"

namespace weir::detail {

struct continuation;

inline constexpr time_point k_not_stamped = time_point::min();

/// What few tasks have: a name, a weight, a time limit, a stop source, the times of a measured one,
/// something that follows. Owned by the task, made on demand, never replaced.
struct task_extras {
  std::string name;
  std::string key;
  std::size_t weight = 0;
  std::chrono::nanoseconds timeout = std::chrono::nanoseconds::max();
  time_point deadline = time_point::max();  ///< of the body that runs; its own thread's
  /// The civil time that the due time stands for. Guarded by the pool's lock.
  std::optional<std::chrono::system_clock::time_point> wall_due = {};
  task_base* next_stopped = nullptr;  ///< in the guard's list, guarded by its mutex
  /// On the pool's clock; `k_not_stamped` in a task that is not measured. Fixed before admission.
  time_point submitted = k_not_stamped;
  /// Written by the thread that runs the body, read by whoever looks into the pool.
  sync::atomic<time_point> started{k_not_stamped};
  sync::atomic<time_point> ended{k_not_stamped};
  std::stop_source source{std::nostopstate};
  sync::atomic<bool> has_source{false};  ///< `source` may be read by others once this is true
  sync::atomic<continuation*> continuations{nullptr};  ///< the newest first
  std::uint32_t untold = 0;  ///< what follows and has not run; of the thread that ended it
  bool counted = false;      ///< the pool waits for them; of that thread as well
};

/// The task's extras, made if need be. Throws `std::bad_alloc`. The caller holds a reference.
task_extras& need_extras(task_base& task);

/// Notes when a task that is to be measured was submitted. Before admission only; without memory it
/// is not measured.
void stamp_submitted(task_base& task, time_point now) noexcept;

/// Where a task that is measured keeps its times; null for any other.
[[nodiscard]] inline task_extras* stamps_of(const task_base& task) noexcept {
  // ordering: stop-source
  task_extras* const extras = task.extras.load(sync::acquire);
  return extras != nullptr && extras->submitted != k_not_stamped ? extras : nullptr;
}

/// The task's stop token; makes the source. Only the thread that runs the body may call it.
[[nodiscard]] std::stop_token make_stop_token(task_base& task);

/// Passes a stop request on to the source, if there is one.
void stop_extras(task_base& task);

[[nodiscard]] const std::string& name_of(const task_base& task) noexcept;

/// "task 7 (name)".
[[nodiscard]] std::string described(const task_base& task);
[[nodiscard]] const std::string& key_of(const task_base& task) noexcept;

/// Its weight. The caller holds the task from its submission on.
[[nodiscard]] inline std::size_t weight_of(const task_base& task) noexcept {
  // ordering: stop-source
  const task_extras* extras = task.extras.load(sync::acquire);
  return extras != nullptr ? extras->weight : 0;
}

/// The civil time that it is due at; none of a task that is due on the pool's clock.
[[nodiscard]] inline std::optional<std::chrono::system_clock::time_point> wall_due_of(
    const task_base& task) noexcept {
  // ordering: stop-source
  const task_extras* extras = task.extras.load(sync::acquire);
  if (extras == nullptr) return std::nullopt;
  return extras->wall_due;
}

/// Throws `std::bad_alloc`, and nothing has changed.
inline void set_wall_due(task_base& task,
                         std::optional<std::chrono::system_clock::time_point> due) {
  // ordering: stop-source
  task_extras* extras = task.extras.load(sync::acquire);
  if (extras == nullptr && due) extras = &need_extras(task);
  if (extras != nullptr) extras->wall_due = due;
}

/// Its weight, once: from then on it weighs nothing. The caller holds the lock that guards the end
/// of the task.
inline std::size_t take_weight(task_base& task) noexcept {
  // ordering: stop-source
  task_extras* extras = task.extras.load(sync::acquire);
  return extras != nullptr ? std::exchange(extras->weight, 0) : 0;
}

}  // namespace weir::detail
