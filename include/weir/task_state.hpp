#pragma once

#include <cstdint>
#include <stdexcept>

namespace weir {

/// What a task is at the moment it is asked. The last three are terminal and never change again.
enum class task_state : std::uint8_t {
  queued,            ///< accepted and not started; it may be cancelled without having run
  running,           ///< its body runs
  cancel_requested,  ///< its body still runs and has been asked to stop
  succeeded,
  failed,
  cancelled,
};

/// "queued", "running", …
[[nodiscard]] const char* to_string(task_state state) noexcept;

[[nodiscard]] constexpr bool is_terminal(task_state state) noexcept {
  return state >= task_state::succeeded;
}

/// Why a task ended as `cancelled`.
enum class cancel_reason : std::uint8_t {
  cancelled,  ///< somebody called `cancel` on it, or `cancel_pending` on its pool
  aborted,    ///< `abort` of its pool, a drained task dropped unrun, or no worker to be had for it
  discarded,  ///< the saturation policy let go of it
  closed,     ///< its pool was destroyed before it was due
  timed_out,  ///< its own time limit expired
};

[[nodiscard]] const char* to_string(cancel_reason reason) noexcept;

/// What the body of a cancelled task did. Effects that it made elsewhere stay made.
enum class cancellation : std::uint8_t {
  never_started,
  threw,     ///< it left by an exception after the stop request
  returned,  ///< it returned after the stop request; the value was dropped
};

[[nodiscard]] const char* to_string(cancellation kind) noexcept;

/// The answer of `cancel`.
enum class cancel_result : std::uint8_t {
  cancelled,  ///< it had not started and never will; it is terminal now
  requested,  ///< it runs, or another canceller is at work: the end is yet to come
  too_late,   ///< its outcome was fixed before
};

/// Tag: `cancel(if_queued)` never asks a running body to stop.
struct if_queued_t {
  explicit if_queued_t() = default;
};
inline constexpr if_queued_t if_queued{};

/// Thrown by `get` of a cancelled task.
class task_cancelled : public std::runtime_error {
 public:
  explicit task_cancelled(cancel_reason reason);
  [[nodiscard]] cancel_reason reason() const noexcept { return reason_; }

 private:
  cancel_reason reason_;
};

/// Thrown by `get_for` when the time is over before the task is.
class timed_out : public std::runtime_error {
 public:
  timed_out();
};

}  // namespace weir
