#include "weir/task_state.hpp"

#include <string>

namespace weir {

const char* to_string(task_state state) noexcept {
  switch (state) {
    case task_state::queued:
      return "queued";
    case task_state::running:
      return "running";
    case task_state::cancel_requested:
      return "cancel_requested";
    case task_state::succeeded:
      return "succeeded";
    case task_state::failed:
      return "failed";
    case task_state::cancelled:
      break;
  }
  return "cancelled";
}

const char* to_string(cancel_reason reason) noexcept {
  switch (reason) {
    case cancel_reason::cancelled:
      return "cancelled";
    case cancel_reason::aborted:
      return "aborted";
    case cancel_reason::discarded:
      return "discarded";
    case cancel_reason::closed:
      return "closed";
    case cancel_reason::timed_out:
      break;
  }
  return "timed_out";
}

const char* to_string(cancellation kind) noexcept {
  switch (kind) {
    case cancellation::never_started:
      return "never_started";
    case cancellation::threw:
      return "threw";
    case cancellation::returned:
      break;
  }
  return "returned";
}

task_cancelled::task_cancelled(cancel_reason reason)
    : std::runtime_error(std::string("weir: the task was cancelled: ") + to_string(reason)),
      reason_(reason) {}

timed_out::timed_out() : std::runtime_error("weir: the task was not finished in time") {}

}  // namespace weir
