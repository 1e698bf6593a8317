#pragma once

#include <cstddef>

#include "weir/detail/lane_handle.hpp"
#include "weir/executor.hpp"

namespace weir {

/// Serial work on any executor: its tasks run one after the other, in the order of their
/// submission, on whatever threads the executor has. Each sees what the ones before it did, so what
/// only they touch needs no lock. See `detail::lane_handle` for how it accepts, ends and is
/// destroyed.
class strand : public detail::executor_verbs<strand>, public detail::lane_handle {
 public:
  /// Holds one running task and `capacity` that wait; `weir::unbounded` must be spelled.
  strand(executor_ref on, std::size_t capacity) : lane_handle(on, "strand", 1, capacity) {}

 private:
  friend struct detail::executor_access;
  std::optional<detail::refusal> admit(detail::task_base& task,
                                       detail::admission_request& request) const {
    return admit_here(task, request);
  }
};

static_assert(executor<strand>);

}  // namespace weir
