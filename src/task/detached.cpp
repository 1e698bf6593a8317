#include "weir/detail/detached.hpp"

#include <stop_token>
#include <utility>

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

void keep(task_base& task, task_keeper& keeper) noexcept {
  detach(task);
  task.place = task_place::kept;
  task.keeper = &keeper;
}

void leave_keeper(task_base& task) noexcept {
  if (task.place == task_place::kept) task.keeper->let_go(task);
}

namespace {

bool run_in(task_base& task, pool_core* core) {
  if (!try_start_detached(task)) return false;
  struct finisher {
    task_base& task;
    ~finisher() {
      leave_keeper(task);
      if (publish(task, fixed_outcome(task))) tell_end(task);
    }
  } const finish{task};
  const run_context scope(task, core);
  const body_report report = run_body_in_real_time(task);
  if (report.unhandled != nullptr) report_failure(task, report.unhandled);
  return true;
}

bool end_by_hand(task_base& task, body_end end) noexcept {
  if (publish(task, end)) tell_end(task);
  return end != body_end::cancelled;
}

}  // namespace

bool run_detached(task_base& task) { return run_in(task, nullptr); }

bool run_kept(task_base& task) {
  const run_context* const carrier = run_context::innermost();
  return run_in(task, carrier != nullptr ? carrier->core() : nullptr);
}

void run_carried(task_base& task) {
  const run_context* const carrier = run_context::innermost();
  if (carrier == nullptr) return (void)run_detached(task);
  const std::stop_callback forward(make_stop_token(carrier->task()), [&task, carrier] {
    cancel_task(task, false, reason_of(carrier->task()));
  });
  run_in(task, carrier->core());
}

bool begin_by_hand(task_base& task) noexcept { return try_start_detached(task); }

bool succeed_by_hand(task_base& task) noexcept { return end_by_hand(task, settle_returned(task)); }

bool fail_by_hand(task_base& task, std::exception_ptr error) noexcept {
  return end_by_hand(task, settle_thrown(task, std::move(error)).end);
}

bool cancel_detached(task_base& task, cancel_reason reason) noexcept {
  bool was_detached = false;
  if (!try_cancel_unstarted(task, reason, was_detached)) return false;
  end_unstarted(task, was_detached);
  return true;
}

}  // namespace weir::detail
