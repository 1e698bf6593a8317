#include "task/run_body.hpp"

#include <cxxabi.h>

#include <stdexcept>
#include <utility>

#include "base/sanitize.hpp"

namespace weir::detail {

body_report settle_thrown(task_base& task, std::exception_ptr error) noexcept {
  const body_end end = fix_outcome(task, true);
  if (end == body_end::failed && task.ops->fail != nullptr) {
    task.ops->fail(task, std::exchange(error, nullptr));
  }
  task.ops->drop_callable(task);
  if (end != body_end::failed) error = nullptr;
  return {end, std::move(error)};
}

// Without any user code before the end, no value and no captures to destroy, the outcome may as
// well be fixed there, in the same step.
body_end settle_returned(task_base& task) noexcept {
  const bool quiet = task.ops->trivial_captures && task.ops->fail == nullptr;
  if (quiet && sole_owner(task)) return body_end::open;
  const body_end end = fix_outcome(task, false);
  if (end == body_end::cancelled) task.ops->drop_value(task);
  if (!task.ops->trivial_captures) task.ops->drop_callable(task);
  return end;
}

std::exception_ptr forced_unwinding_error() noexcept {
  try {
    throw std::runtime_error("weir: the task's thread was ended by force");
  } catch (...) {
    return std::current_exception();  // without memory for the text that is `bad_alloc`
  }
}

WEIR_NO_SANITIZE_NULL body_report run_body(task_base& task) {
  std::exception_ptr error;
  try {
    task.ops->invoke(task);
    return {settle_returned(task), nullptr};
  } catch (abi::__forced_unwind&) {
    settle_thrown(task, forced_unwinding_error());
    throw;
  } catch (...) {
    error = std::current_exception();
  }
  return settle_thrown(task, std::move(error));
}

}  // namespace weir::detail
