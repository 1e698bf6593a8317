#pragma once

#include <cstddef>

#include "weir/detail/executor_verbs.hpp"

namespace weir {

/// Runs every task at once on the thread that submits it: its future is finished when the verb
/// returns, a failure included. A body that submits again runs the inner task inside itself, as a
/// function call would; beyond `max_depth` such tasks in one another the submission is refused
/// (`saturated`), so that a chain cannot overflow the stack. Timeouts and weights have no effect.
/// Distinct and shared objects: safe.
class inline_executor : public detail::executor_verbs<inline_executor> {
 public:
  static constexpr std::size_t max_depth = 128;

 private:
  friend struct detail::executor_access;
  std::optional<detail::refusal> admit(detail::task_base& task,
                                       detail::admission_request& request) const;
};

}  // namespace weir
