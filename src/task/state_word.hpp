#pragma once

#include <cstdint>

#include "weir/detail/task_base.hpp"

/// The state word: phase, reason, kind of cancellation and two flags in 32 bits, so that every
/// question "what happens to this task" is decided by one atomic step. The table of transitions
/// stands in docs/design/task-state.md; the functions below are its rows.
namespace weir::detail {

enum class phase : std::uint32_t {
  queued,      ///< accepted, in a queue or on its way into one
  drained,     ///< handed back by shutdown_now, no pool behind it
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
inline constexpr std::uint32_t k_waited = 1u << 9;          // someone may sleep on the word
inline constexpr std::uint32_t k_observed = 1u << 10;       // a failure that somebody has read
inline constexpr std::uint32_t k_stop_on_start = 1u << 12;  // asked to stop before it has started
inline constexpr std::uint32_t k_threw = 1u << 11;          // the body left by an exception

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

}  // namespace state_word

/// How a body ended, before the outcome is published.
enum class body_end : std::uint8_t { succeeded, failed, cancelled };

/// queued → running, or → cancel_requested where a stop was asked for before. False when a
/// canceller was faster. The caller holds the pool's lock or is the task's only owner.
bool try_start(task_base& task) noexcept;

/// Whether it is still `queued`, that is, nobody has claimed or cancelled it.
bool startable(const task_base& task) noexcept;

/// drained → running.
bool try_start_drained(task_base& task) noexcept;

/// queued → drained. The caller holds the pool's lock.
bool try_drain(task_base& task) noexcept;

/// queued → cancelling, or drained → cancelling; `was_drained` tells which. Whoever wins destroys
/// the captures and ends the task.
bool try_cancel_unstarted(task_base& task, cancel_reason reason, bool& was_drained) noexcept;

/// running → cancel_requested, then the stop callbacks, here. False when it does not run or has
/// been asked before. The caller holds a reference and no lock.
bool request_stop(task_base& task, cancel_reason reason);

/// The same for a task that a worker has claimed and may not have started yet: then it starts as
/// `cancel_requested`.
void request_stop_of_claimed(task_base& task, cancel_reason reason);

/// running → returned, cancel_requested → stopped: from here on the outcome is fixed.
body_end fix_outcome(task_base& task, bool threw) noexcept;

/// What `fix_outcome` fixed, for whoever did not hear it: the worker whose thread is unwound by
/// force.
body_end fixed_outcome(const task_base& task) noexcept;

/// returned, stopped, cancelling → terminal. Returns whether somebody may sleep on the task: then
/// `wake_waiters` must follow while the caller still holds a reference.
[[nodiscard]] bool publish(task_base& task, body_end end) noexcept;
void wake_waiters(task_base& task) noexcept;

}  // namespace weir::detail
