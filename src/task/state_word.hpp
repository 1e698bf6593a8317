#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>

#include "sync/fork.hpp"
#include "weir/detail/assert.hpp"
#include "weir/detail/task_base.hpp"

/// The state word: phase, reason, kind of cancellation and flags in 32 bits, so that every
/// question "what happens to this task" is decided by one atomic step. The table of transitions
/// stands in docs/design/task-state.md; the functions below are its rows.
namespace weir::detail {

enum class phase : std::uint32_t {
  queued,      ///< accepted, in a queue or on its way into one
  detached,    ///< no pool behind it: handed back by shutdown_now, or never given to one
  cancelling,  ///< a canceller owns it: it will never start
  running,
  cancel_requested,  ///< running, asked to stop
  returned,          ///< body over, outcome fixed; captures and place still to give back
  stopped,           ///< the same after a stop request
  succeeded,
  failed,
  cancelled,
};

namespace state_word {

inline constexpr std::uint32_t k_phase_mask = 0xF;
inline constexpr unsigned k_reason_shift = 4;  // 3 bits: cancel_reason
inline constexpr std::uint32_t k_reason_mask = 0x7u << k_reason_shift;
inline constexpr unsigned k_kind_shift = 7;  // 2 bits: cancellation
inline constexpr std::uint32_t k_kind_mask = 0x3u << k_kind_shift;
inline constexpr std::uint32_t k_waited = 1u << 9;      // someone may sleep on the word
inline constexpr std::uint32_t k_observed = 1u << 10;   // a failure that somebody has read
inline constexpr std::uint32_t k_threw = 1u << 11;      // the body left by an exception
inline constexpr std::uint32_t k_continued = 1u << 12;  // something follows: continuations.hpp
inline constexpr std::uint32_t k_poked = 1u << 15;      // changes to make a sleeper look again
inline constexpr unsigned k_process_shift = 24;  // 8 bits, of a detached start: fork_count there

constexpr phase phase_of(std::uint32_t word) noexcept {
  return static_cast<phase>(word & k_phase_mask);
}
constexpr bool terminal(std::uint32_t word) noexcept { return phase_of(word) >= phase::succeeded; }
constexpr std::uint32_t with_reason(cancel_reason reason) noexcept {
  return static_cast<std::uint32_t>(reason) << k_reason_shift;
}
constexpr std::uint32_t with_kind(cancellation kind) noexcept {
  return static_cast<std::uint32_t>(kind) << k_kind_shift;
}

inline std::uint32_t with_this_process() noexcept { return sync::fork_count() << k_process_shift; }
/// In the child of a fork: whether a thread of this very process runs it as a detached task.
inline bool started_detached_here(std::uint32_t word) noexcept {
  return (word >> k_process_shift) == (with_this_process() >> k_process_shift);
}

}  // namespace state_word

/// How a body ended, before the outcome is published.
enum class body_end : std::uint8_t {
  succeeded,
  failed,
  cancelled,
  open,  ///< it returned, and whoever publishes fixes the outcome first: `fix_late`
};

/// Replaces the phase, keeps the flags, adds `bits`; false when the phase is another one.
inline bool move_phase(task_base& task, phase from, phase to, std::uint32_t bits = 0) noexcept {
  std::uint32_t word = task.word.load(sync::relaxed);
  while (state_word::phase_of(word) == from) {
    const std::uint32_t next =
        (word & ~state_word::k_phase_mask) | static_cast<std::uint32_t>(to) | bits;
    // ordering: task-phase, stop-source (seq_cst: one half of the race between a canceller and a
    // body that asks for its stop source; see task-state.md)
    if (task.word.compare_exchange_weak(word, next, sync::seq_cst, sync::relaxed)) return true;
  }
  return false;
}

/// Whether the caller's reference is the only one. While it holds what every other way to the task
/// needs (the pool's lock, the claims' lock), the word is then its alone and needs no atomic step.
inline bool sole_owner(const task_base& task) noexcept {
  // ordering: task-refs
  return task.refs.load(sync::acquire) == 1;
}

/// queued → running. False when a canceller was faster. The caller holds the lock that guards the
/// task's place, or is its only owner.
inline bool try_start(task_base& task) noexcept {
  if (!sole_owner(task)) return move_phase(task, phase::queued, phase::running);
  const std::uint32_t word = task.word.load(sync::relaxed);
  if (state_word::phase_of(word) != phase::queued) return false;
  task.word.store((word & ~state_word::k_phase_mask) | static_cast<std::uint32_t>(phase::running),
                  sync::relaxed);
  return true;
}

/// Whether it is still `queued`, that is, nobody has claimed or cancelled it.
inline bool startable(const task_base& task) noexcept {
  return state_word::phase_of(task.word.load(sync::relaxed)) == phase::queued;
}

/// detached → running.
bool try_start_detached(task_base& task) noexcept;

/// queued → detached. The caller holds the pool's lock.
bool try_detach(task_base& task) noexcept;

/// queued → cancelling, or detached → cancelling; `was_detached` tells which. Whoever wins destroys
/// the captures and ends the task.
bool try_cancel_unstarted(task_base& task, cancel_reason reason, bool& was_detached) noexcept;

/// running → cancel_requested; the stop callbacks, `stop_extras`, are left to the caller. False
/// when it does not run or has been asked before. The caller holds a reference, or keeps the body
/// from ending.
[[nodiscard]] bool mark_stop(task_base& task, cancel_reason reason) noexcept;

/// The same, then the stop callbacks, here. The caller holds a reference and no lock.
bool request_stop(task_base& task, cancel_reason reason);

/// running → returned, cancel_requested → stopped: from here on the outcome is fixed.
body_end fix_outcome(task_base& task, bool threw) noexcept;

/// The same for a body that has returned and left it `open`. The caller holds the lock under which
/// others find running tasks.
inline body_end fix_late(task_base& task) noexcept {
  if (!sole_owner(task)) return fix_outcome(task, false);
  const std::uint32_t word = task.word.load(sync::relaxed);
  if (state_word::phase_of(word) == phase::running) return body_end::succeeded;
  WEIR_ASSERT(state_word::phase_of(word) == phase::cancel_requested);
  task.word.store(word | state_word::with_kind(cancellation::returned), sync::relaxed);
  return body_end::cancelled;
}

/// What `fix_outcome` fixed, or `fix_late` fixes now, for whoever did not hear it.
body_end fixed_outcome(task_base& task) noexcept;

/// Sleeps until the task is terminal, `until` has come or a stop is requested; returns whether it
/// is terminal. Does not ask what the task itself may be waiting for.
bool sleep_until_terminal(task_base& task, std::optional<time_point> until,
                          const std::stop_token& stop) noexcept;

/// Wakes whoever sleeps on the word.
void wake_waiters(task_base& task) noexcept;

/// Tells those who wait for the end: wakes who sleeps, then runs the continuations. Outside of
/// locks.
void tell_end(task_base& task) noexcept;

/// returned, stopped, cancelling → terminal. Returns whether somebody may wait for that: then
/// `tell_end` must follow while the caller still holds a reference. The caller holds the lock
/// under which others find running tasks, or nobody can find this one.
[[nodiscard]] inline bool publish(task_base& task, body_end end) noexcept {
  using namespace state_word;
  const phase to = end == body_end::succeeded ? phase::succeeded
                   : end == body_end::failed  ? phase::failed
                                              : phase::cancelled;
  std::uint32_t word = task.word.load(sync::relaxed);
  const auto next = [&word, to] {
    WEIR_ASSERT(!terminal(word));
    return (word & ~k_phase_mask) | static_cast<std::uint32_t>(to);
  };
  if (sole_owner(task)) {
    word = task.word.load(sync::relaxed);
    task.word.store(next(), sync::relaxed);
    return false;
  }
  // ordering: task-phase
  while (!task.word.compare_exchange_weak(word, next(), sync::acq_rel, sync::relaxed)) {
  }
  return (word & (k_waited | k_continued)) != 0;
}

}  // namespace weir::detail
