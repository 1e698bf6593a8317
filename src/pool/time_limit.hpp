#pragma once

#include <optional>

#include "pool/alarm_heap.hpp"
#include "task/extras.hpp"

namespace weir::detail {

/// The time limit of the body that is about to run on this thread, if its task has one; counts from
/// here until it is destroyed. On the clock of `core`, or in real time where that is null. A body
/// without a limit pays one look at its task.
class time_limit {
 public:
  time_limit(task_base& task, pool_core* core) noexcept {
    // ordering: stop-source
    task_extras* const extras = task.extras.load(sync::acquire);
    if (extras != nullptr && extras->timeout != std::chrono::nanoseconds::max()) {
      arm(task, *extras, core);
    }
  }
  ~time_limit() {
    if (alarm_) disarm();
  }
  time_limit(const time_limit&) = delete;
  time_limit& operator=(const time_limit&) = delete;

 private:
  void arm(task_base& task, task_extras& extras, pool_core* core) noexcept;
  void disarm() noexcept;

  std::optional<alarm> alarm_;
};

}  // namespace weir::detail
