#include "process/command.hpp"

#include "weir/detail/assert.hpp"

namespace weir::process {

const char* to_string(outcome how) {
  switch (how) {
    case outcome::succeeded:
      return "succeeded";
    case outcome::failed:
      return "failed";
    case outcome::timed_out:
      return "timed_out";
    case outcome::cancelled:
      return "cancelled";
  }
  WEIR_ASSERT(false);
  return "";
}

int finished_command::log_code() const {
  if (!problem.empty()) {
    return k_own_failure;
  }
  if (how == outcome::timed_out) {
    return k_timed_out;
  }
  if (how == outcome::cancelled) {
    return k_cancelled;
  }
  return status.how == exit_status::kind::exited ? status.value : 0;
}

int finished_command::log_signal() const {
  return status.how == exit_status::kind::signaled ? status.value : 0;
}

}  // namespace weir::process
