#pragma once

#include <cstddef>

#include "weir/detail/lane_handle.hpp"
#include "weir/executor.hpp"

namespace weir {

/// A quota on any executor: at most `width` of its tasks run at once, the others wait here, first
/// in first out. One for each tenant, say, on one pool. It never asks the executor for more
/// carriers than it has tasks; when the executor has room for fewer than `width`, fewer run. See
/// `detail::lane_handle` for how it accepts, ends and is destroyed.
class limiter : public detail::executor_verbs<limiter>, public detail::lane_handle {
 public:
  /// Holds `width` running tasks and `capacity` that wait; `weir::unbounded` must be spelled.
  /// Throws `std::invalid_argument` for a width of 0.
  limiter(executor_ref on, std::size_t width, std::size_t capacity)
      : lane_handle(on, "limiter", width, capacity) {}

 private:
  friend struct detail::executor_access;
  std::optional<detail::refusal> admit(detail::task_base& task,
                                       detail::admission_request& request) const {
    return admit_here(task, request);
  }
};

static_assert(executor<limiter>);

}  // namespace weir
