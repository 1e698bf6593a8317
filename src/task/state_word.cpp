#include "task/state_word.hpp"

#include "sync/futex.hpp"
#include "task/continuations.hpp"
#include "task/extras.hpp"
#include "weir/detail/assert.hpp"

namespace weir::detail {

using namespace state_word;

namespace {

constexpr int k_everyone = 0x7fffffff;

}  // namespace

bool try_start_detached(task_base& task) noexcept {
  return move_phase(task, phase::detached, phase::running, with_this_process());
}

bool try_detach(task_base& task) noexcept {
  return move_phase(task, phase::queued, phase::detached);
}

bool try_cancel_unstarted(task_base& task, cancel_reason reason, bool& was_detached) noexcept {
  const std::uint32_t bits = with_reason(reason) | with_kind(cancellation::never_started);
  was_detached = false;
  if (move_phase(task, phase::queued, phase::cancelling, bits)) return true;
  was_detached = move_phase(task, phase::detached, phase::cancelling, bits);
  return was_detached;
}

bool mark_stop(task_base& task, cancel_reason reason) noexcept {
  if (!move_phase(task, phase::running, phase::cancel_requested, with_reason(reason))) return false;
  // A body in this_task::sleep_for sleeps on the word.
  wake_waiters(task);
  return true;
}

bool request_stop(task_base& task, cancel_reason reason) {
  if (!mark_stop(task, reason)) return false;
  stop_extras(task);
  return true;
}

body_end fix_outcome(task_base& task, bool threw) noexcept {
  if (move_phase(task, phase::running, phase::returned, threw ? k_threw : 0)) {
    return threw ? body_end::failed : body_end::succeeded;
  }
  const auto kind = threw ? cancellation::threw : cancellation::returned;
  const bool moved = move_phase(task, phase::cancel_requested, phase::stopped, with_kind(kind));
  WEIR_ASSERT(moved);
  return body_end::cancelled;
}

body_end fixed_outcome(task_base& task) noexcept {
  const std::uint32_t word = task.word.load(sync::relaxed);
  if (phase_of(word) == phase::running || phase_of(word) == phase::cancel_requested) {
    return fix_late(task);
  }
  if (phase_of(word) == phase::stopped) return body_end::cancelled;
  WEIR_ASSERT(phase_of(word) == phase::returned);
  return (word & k_threw) != 0 ? body_end::failed : body_end::succeeded;
}

void wake_waiters(task_base& task) noexcept {
  if ((task.word.load(sync::relaxed) & k_waited) != 0) sync::futex_wake(&task.word, k_everyone);
}

void tell_end(task_base& task) noexcept {
  wake_waiters(task);
  if (continued(task)) run_continuations(task);
}

}  // namespace weir::detail
