#include "task/state_word.hpp"

#include "sync/futex.hpp"
#include "task/extras.hpp"
#include "weir/detail/assert.hpp"

namespace weir::detail {

using namespace state_word;

namespace {

constexpr int k_everyone = 0x7fffffff;

// Replaces the phase, keeps the flags, adds `bits`; false when the phase is another one.
bool move_phase(task_base& task, phase from, phase to, std::uint32_t bits) noexcept {
  std::uint32_t word = task.word.load(sync::relaxed);
  while (phase_of(word) == from) {
    const std::uint32_t next = (word & ~k_phase_mask) | static_cast<std::uint32_t>(to) | bits;
    // ordering: task-phase, stop-source (seq_cst: one half of the race between a canceller and a
    // body that asks for its stop source; see task-state.md)
    if (task.word.compare_exchange_weak(word, next, sync::seq_cst, sync::relaxed)) return true;
  }
  return false;
}

}  // namespace

bool try_start(task_base& task) noexcept {
  std::uint32_t word = task.word.load(sync::relaxed);
  while (phase_of(word) == phase::queued) {
    const phase to = (word & k_stop_on_start) != 0 ? phase::cancel_requested : phase::running;
    const std::uint32_t next = (word & ~k_phase_mask) | static_cast<std::uint32_t>(to);
    // ordering: task-phase
    if (task.word.compare_exchange_weak(word, next, sync::acq_rel, sync::relaxed)) return true;
  }
  return false;
}

bool startable(const task_base& task) noexcept {
  return phase_of(task.word.load(sync::relaxed)) == phase::queued;
}

bool try_start_drained(task_base& task) noexcept {
  return move_phase(task, phase::drained, phase::running, 0);
}

bool try_drain(task_base& task) noexcept {
  return move_phase(task, phase::queued, phase::drained, 0);
}

bool try_cancel_unstarted(task_base& task, cancel_reason reason, bool& was_drained) noexcept {
  const std::uint32_t bits = with_reason(reason) | with_kind(cancellation::never_started);
  was_drained = false;
  if (move_phase(task, phase::queued, phase::cancelling, bits)) return true;
  was_drained = move_phase(task, phase::drained, phase::cancelling, bits);
  return was_drained;
}

bool request_stop(task_base& task, cancel_reason reason) {
  if (!move_phase(task, phase::running, phase::cancel_requested, with_reason(reason))) return false;
  // A body in this_task::sleep_for sleeps on the word.
  if ((task.word.load(sync::relaxed) & k_waited) != 0) wake_waiters(task);
  stop_extras(task);
  return true;
}

void request_stop_of_claimed(task_base& task, cancel_reason reason) {
  while (!request_stop(task, reason)) {
    std::uint32_t word = task.word.load(sync::relaxed);
    if (phase_of(word) != phase::queued && phase_of(word) != phase::running) return;
    const std::uint32_t next = word | k_stop_on_start | with_reason(reason);
    if (phase_of(word) == phase::queued &&
        // ordering: task-phase
        task.word.compare_exchange_strong(word, next, sync::acq_rel, sync::relaxed)) {
      return;
    }
  }
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

body_end fixed_outcome(const task_base& task) noexcept {
  const std::uint32_t word = task.word.load(sync::relaxed);
  if (phase_of(word) == phase::stopped) return body_end::cancelled;
  WEIR_ASSERT(phase_of(word) == phase::returned);
  return (word & k_threw) != 0 ? body_end::failed : body_end::succeeded;
}

bool publish(task_base& task, body_end end) noexcept {
  const phase to = end == body_end::succeeded ? phase::succeeded
                   : end == body_end::failed  ? phase::failed
                                              : phase::cancelled;
  std::uint32_t word = task.word.load(sync::relaxed);
  for (;;) {
    WEIR_ASSERT(!terminal(word));
    const std::uint32_t next = (word & ~(k_phase_mask | k_waited)) | static_cast<std::uint32_t>(to);
    // ordering: task-phase
    if (task.word.compare_exchange_weak(word, next, sync::acq_rel, sync::relaxed)) break;
  }
  return (word & k_waited) != 0;
}

void wake_waiters(task_base& task) noexcept { sync::futex_wake(&task.word, k_everyone); }

}  // namespace weir::detail
