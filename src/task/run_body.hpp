#pragma once

#include <exception>

#include "task/state_word.hpp"

namespace weir::detail {

/// How a run ended: the outcome, which may be open still, and an exception that no future can
/// carry.
struct body_report {
  body_end end;
  std::exception_ptr unhandled;
};

/// Fixes the outcome of a body that has returned, or thrown, and destroys value and captures that
/// nobody will need.
body_end settle_returned(task_base& task) noexcept;
body_report settle_thrown(task_base& task, std::exception_ptr error) noexcept;

/// What a task fails with whose thread is ended by force.
[[nodiscard]] std::exception_ptr forced_unwinding_error() noexcept;

/// Runs the body of a task in phase `running`, on this thread: catches what it throws, fixes the
/// outcome, drops a value that came after a stop request, destroys the captures. Everything but
/// `publish`. A forced unwinding of the thread (pthread_exit, cancellation) fails the task, ends it
/// here as far as described, and goes on through this function.
body_report run_body(task_base& task);

}  // namespace weir::detail
