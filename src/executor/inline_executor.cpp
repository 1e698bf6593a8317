#include "weir/inline_executor.hpp"

namespace weir {

namespace {

/// One task that an inline executor runs on this thread.
struct nesting {
  explicit nesting(nesting*& innermost) noexcept
      : top(innermost), outer(innermost), depth(outer != nullptr ? outer->depth + 1 : 1) {
    top = this;
  }
  ~nesting() { top = outer; }
  nesting(const nesting&) = delete;
  nesting& operator=(const nesting&) = delete;

  nesting*& top;
  nesting* outer;
  std::size_t depth;
};

constinit WEIR_THREAD_LOCAL sync::per_thread<nesting*> innermost{};

}  // namespace

std::optional<detail::refusal> inline_executor::admit(detail::task_base& task,
                                                      detail::admission_request& request) const {
  nesting*& top = innermost;
  if (top != nullptr && top->depth >= max_depth) {
    return detail::refusal{reject_reason::saturated,
                           "weir: inline_executor: tasks within tasks, too deep"};
  }
  const nesting here(top);
  detail::detach(task);
  *request.accepted = true;
  detail::detached_task run(&task);
  run();
  return std::nullopt;
}

}  // namespace weir
