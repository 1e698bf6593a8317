#pragma once

#include <cstdint>

#include "weir/future.hpp"

namespace weir {

/// A task that `shutdown_now` handed back unrun. Calling it runs the body here and completes its
/// future; destroying it unrun cancels the task (`aborted`). May outlive the pool; its due time is
/// ignored. Distinct objects: safe. Shared objects: unsafe.
class drained_task {
 public:
  drained_task(drained_task&&) noexcept = default;
  drained_task& operator=(drained_task&& other) noexcept;
  ~drained_task();

  /// Runs the body on this thread. At most once; throws `std::future_error(no_state)` when it has
  /// been called before or moved from. The body's exception goes to the future, or, where the task
  /// came from `execute`, to the pool's `on_unhandled`. Does nothing when a handle has cancelled
  /// the task.
  void operator()();

  [[nodiscard]] bool valid() const noexcept { return ref_.valid(); }
  [[nodiscard]] std::uint64_t id() const { return ref_.id(); }
  [[nodiscard]] task_ref ref() const { return ref_; }

 private:
  friend class detail::pool_core;

  explicit drained_task(detail::task_base* task) noexcept : ref_(task) {}

  void cancel_unrun() noexcept;

  task_ref ref_;
};

}  // namespace weir
