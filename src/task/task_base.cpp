#include "weir/detail/task_base.hpp"

#include <new>
#include <system_error>

#include "sync/futex.hpp"
#include "task/continuations.hpp"
#include "task/extras.hpp"
#include "task/run_context.hpp"
#include "task/state_word.hpp"
#include "task/task_home.hpp"
#include "weir/detail/assert.hpp"
#include "weir/detail/prerequisites.hpp"

namespace weir::detail {

using namespace state_word;

void retain(task_base& task) noexcept { task.refs.fetch_add(1, sync::relaxed); }

namespace {

// The last owner is gone. A failure that nobody has read is reported now, at the latest moment at
// which somebody could have read it.
void destroy(task_base* task) noexcept {
  const std::uint32_t word = task->word.load(sync::relaxed);
  const bool unread =
      phase_of(word) == phase::failed && (word & k_observed) == 0 && task->ops->fail != nullptr;
  if (unread) report_failure(*task, task->ops->failure(*task));
  if (task->holds_core) release_home(*task);
  if (phase_of(word) == phase::succeeded) task->ops->drop_value(*task);
  if (phase_of(word) == phase::failed && task->ops->fail != nullptr) task->ops->drop_failure(*task);
  delete task->extras.load(sync::relaxed);
  task->ops->destroy(task);
}

}  // namespace

void release(task_base* task) noexcept {
  // A sole owner needs no atomic step: nobody is left who could take another reference.
  // ordering: task-refs
  if (task->refs.load(sync::acquire) == 1) return destroy(task);
  // ordering: task-refs pairs with itself: the last owner sees what all did
  if (task->refs.fetch_sub(1, sync::acq_rel) == 1) destroy(task);
}

void destroy_unused(task_base* task) noexcept {
  task->ops->drop_callable(*task);
  delete task->extras.load(sync::relaxed);
  task->ops->destroy(task);
}

task_state state_of(const task_base& task) noexcept {
  // ordering: task-phase (whoever sees a terminal phase sees what the body did)
  switch (phase_of(task.word.load(sync::acquire))) {
    case phase::queued:
    case phase::detached:
    case phase::cancelling:
      return task_state::queued;
    case phase::running:
    case phase::returned:
      return task_state::running;
    case phase::cancel_requested:
    case phase::stopped:
      return task_state::cancel_requested;
    case phase::succeeded:
      return task_state::succeeded;
    case phase::failed:
      return task_state::failed;
    case phase::cancelled:
      break;
  }
  return task_state::cancelled;
}

cancel_reason reason_of(const task_base& task) noexcept {
  const std::uint32_t word = task.word.load(sync::relaxed);
  return static_cast<cancel_reason>((word & k_reason_mask) >> k_reason_shift);
}

std::optional<cancellation> cancellation_of(const task_base& task) noexcept {
  // ordering: task-phase
  const std::uint32_t word = task.word.load(sync::acquire);
  if (phase_of(word) != phase::cancelled) return std::nullopt;
  return static_cast<cancellation>((word & k_kind_mask) >> k_kind_shift);
}

namespace {

bool wait_for_end(task_base& task, std::optional<time_point> until, const std::stop_token& stop) {
  // ordering: task-phase
  if (terminal(task.word.load(sync::acquire))) return true;
  if (run_context::runs_here(task)) {
    throw std::system_error(std::make_error_code(std::errc::resource_deadlock_would_occur),
                            "weir: " + described(run_context::innermost()->task()) + " waits for " +
                                described(task) + ", which runs below it");
  }
  if (lost_in_fork(task)) {
    throw std::system_error(std::make_error_code(std::errc::owner_dead),
                            "weir: the task is the parent process's and never ends in this one");
  }
  run_deferred();
  if (!stop.stop_possible()) {
    while (!until && help_follower(task)) {
      // ordering: task-phase
      if (terminal(task.word.load(sync::acquire))) return true;
    }
    if (const auto ended = wait_inside(task, until)) return *ended;
  }
  return sleep_until_terminal(task, until, stop);
}

}  // namespace

bool sleep_until_terminal(task_base& task, std::optional<time_point> until,
                          const std::stop_token& stop) noexcept {
  // ordering: task-phase
  std::uint32_t word = task.word.load(sync::acquire);
  for (;;) {
    if (terminal(word)) return true;
    if (stop.stop_requested()) return false;
    if ((word & k_waited) == 0) {
      // ordering: task-phase
      if (!task.word.compare_exchange_weak(word, word | k_waited, sync::acquire, sync::acquire)) {
        continue;
      }
      word |= k_waited;
    }
    const bool in_time = sync::futex_wait(task.word, word, until);
    // ordering: task-phase
    word = task.word.load(sync::acquire);
    if (!in_time) return terminal(word);
  }
}

bool wait_terminal(task_base& task, std::optional<time_point> until) {
  return wait_for_end(task, until, {});
}

// A sleeper whose word has changed looks again, and then at its token.
bool wait_terminal_or_stop(task_base& task, const std::stop_token& stop) {
  const std::stop_callback give_up(stop, [&task] {
    // ordering: task-phase
    task.word.fetch_xor(k_poked, sync::release);
    wake_waiters(task);
  });
  return wait_for_end(task, {}, stop);
}

cancel_result cancel_task(task_base& task, bool if_queued_only, cancel_reason reason) {
  bool was_detached = false;
  if (try_cancel_unstarted(task, reason, was_detached)) {
    end_unstarted(task, was_detached);
    return cancel_result::cancelled;
  }
  if (lost_in_fork(task)) return cancel_result::too_late;
  if (!if_queued_only && request_stop(task, reason)) {
    return cancel_result::requested;
  }
  // ordering: task-phase
  switch (phase_of(task.word.load(sync::acquire))) {
    case phase::cancelling:
      return cancel_result::requested;
    case phase::cancel_requested:
    case phase::stopped:
      return if_queued_only ? cancel_result::too_late : cancel_result::requested;
    default:
      return cancel_result::too_late;
  }
}

bool held_by_others(const task_base& task) noexcept { return !sole_owner(task); }

bool cancelled_unstarted(const task_base& task) noexcept {
  const std::uint32_t word = task.word.load(sync::relaxed);
  if (phase_of(word) == phase::cancelling) return true;
  const auto kind = static_cast<cancellation>((word & k_kind_mask) >> k_kind_shift);
  return phase_of(word) == phase::cancelled && kind == cancellation::never_started;
}

void mark_observed(task_base& task) noexcept { task.word.fetch_or(k_observed, sync::relaxed); }

}  // namespace weir::detail
