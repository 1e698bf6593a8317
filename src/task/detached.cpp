#include "weir/detail/detached.hpp"

#include "task/extras.hpp"
#include "task/run_context.hpp"
#include "task/state_word.hpp"
#include "task/task_home.hpp"
#include "weir/detail/assert.hpp"

namespace weir::detail {

void detach(task_base& task) noexcept {
  const bool fresh = try_detach(task);
  WEIR_ASSERT(fresh);
}

void run_detached(task_base& task) {
  if (!try_start_detached(task)) return;
  struct finisher {
    task_base& task;
    ~finisher() {
      if (publish(task, fixed_outcome(task))) wake_waiters(task);
    }
  } const finish{task};
  const run_context scope(task, nullptr);
  const body_report report = run_body_in_real_time(task);
  if (report.unhandled != nullptr) report_failure(task, report.unhandled);
}

bool cancel_detached(task_base& task, cancel_reason reason) noexcept {
  bool was_detached = false;
  if (!try_cancel_unstarted(task, reason, was_detached)) return false;
  end_unstarted(task, was_detached);
  return true;
}

}  // namespace weir::detail
