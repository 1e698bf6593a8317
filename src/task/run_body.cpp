#include "task/run_body.hpp"

#include <cxxabi.h>

#include <stdexcept>
#include <utility>

#include "base/sanitize.hpp"

namespace weir::detail {

namespace {

body_report settle(task_base& task, bool threw, std::exception_ptr error) noexcept {
  const body_end end = fix_outcome(task, threw);
  if (end == body_end::cancelled && !threw) task.ops->drop_value(task);
  if (end == body_end::failed && task.ops->fail != nullptr) {
    task.ops->fail(task, std::exchange(error, nullptr));
  }
  task.ops->drop_callable(task);
  if (end != body_end::failed) error = nullptr;
  return {end, std::move(error)};
}

}  // namespace

std::exception_ptr forced_unwinding_error() noexcept {
  return std::make_exception_ptr(std::runtime_error("weir: the task's thread was ended by force"));
}

WEIR_NO_SANITIZE_NULL body_report run_body(task_base& task) {
  std::exception_ptr error;
  bool threw = false;
  try {
    task.ops->invoke(task);
  } catch (abi::__forced_unwind&) {
    settle(task, true, forced_unwinding_error());
    throw;
  } catch (...) {
    threw = true;
    error = std::current_exception();
  }
  return settle(task, threw, std::move(error));
}

}  // namespace weir::detail
