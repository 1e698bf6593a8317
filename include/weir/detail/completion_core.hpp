#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <stop_token>

#include "weir/detail/task_base.hpp"

namespace weir::detail {

/// The heart of a `completion_queue`. It outlives the queue until the last task that it watches has
/// ended. Protocol: docs/design/continuations.md.
class completion_core {
 public:
  [[nodiscard]] static completion_core* make();

  /// Has the task yielded once it has ended. Throws `std::bad_alloc`, then nothing has happened.
  virtual void watch(task_base& task) = 0;

  /// One that has ended, with a reference for the caller; null: none is left to wait for, or, where
  /// there is a limit, none has ended in time.
  virtual task_base* take(std::optional<time_point> until, std::stop_token stop) = 0;
  task_base* take_within(std::chrono::nanoseconds limit);
  virtual task_base* try_take() noexcept = 0;

  [[nodiscard]] virtual std::size_t size() noexcept = 0;
  [[nodiscard]] virtual std::size_t pending() noexcept = 0;

  /// The queue is gone; what ends from now on is let go of. Not to be used any more.
  virtual void close() noexcept = 0;

 protected:
  ~completion_core() = default;
};

}  // namespace weir::detail
