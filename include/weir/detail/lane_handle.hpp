#pragma once

#include <chrono>
#include <cstddef>

#include "weir/detail/admission.hpp"
#include "weir/detail/duration.hpp"
#include "weir/executor.hpp"

namespace weir::detail {

class lane;

/// What a strand and a limiter have in common. Tasks are accepted here, wait here, and are brought
/// to the executor's threads by a task of its own, a carrier, which runs up to 16 of them and then
/// queues behind the executor's other work. No thread is blocked by what waits.
///
/// Admission: a task beyond the bound is refused (`saturated`). A carrier is asked for only when no
/// other is on its way; if the executor refuses it, so is the submission that needed it, with the
/// executor's reason. `submit` and `execute` follow the executor's saturation policy, `try_submit`
/// does not. A policy that drops the carrier cancels the task (`discarded`), and the same policy
/// may later drop a carrier for somebody else's sake: then what waits here is cancelled
/// (`aborted`).
///
/// Endings: a carrier that may not queue again, because the executor is full or closed, goes on
/// where it is: what was accepted runs. After such a `closed` new tasks are refused. Aborting the
/// executor asks the running tasks to stop, cancels what waits (`aborted`) and closes this.
///
/// Destroying the handle changes nothing for accepted tasks; the executor must outlive them and the
/// handle. Options: `name` and `key` are kept; a timeout or a weight is `std::invalid_argument`.
/// A task's failure without a future goes to `on_unhandled` of the pool whose thread ran it.
///
/// A wait for one of these tasks does not run it: inside the executor's only worker it lasts for
/// ever. Distinct and shared objects: safe, except that members must not race the destructor.
class lane_handle {
 public:
  lane_handle(const lane_handle&) = delete;
  lane_handle& operator=(const lane_handle&) = delete;

  /// Refuses from now on (`closed`); accepted tasks still run. Idempotent; does not wait.
  void close() noexcept;
  [[nodiscard]] bool closed() const noexcept;
  /// Cancels what waits (`cancelled`) and leaves what runs alone. Returns how many.
  std::size_t cancel_pending() noexcept;

  /// Blocks until no accepted task is left; all futures are terminal then, except that of a task
  /// which another thread is just cancelling. Throws
  /// `std::system_error(resource_deadlock_would_occur)` inside one of its own tasks.
  void wait_idle();
  /// The same with a limit in real time; whether it is so.
  template <class Rep, class Period>
  [[nodiscard]] bool wait_idle_for(std::chrono::duration<Rep, Period> limit) {
    return wait_idle_within(saturating_nanoseconds(limit));
  }

  /// Accepted tasks that have not ended.
  [[nodiscard]] std::size_t size() const noexcept;
  /// Whether the calling thread is inside one of its tasks.
  [[nodiscard]] bool running_in_this_thread() const noexcept;

 protected:
  lane_handle(executor_ref on, const char* what, std::size_t width, std::size_t capacity);
  ~lane_handle();

  std::optional<refusal> admit_here(task_base& task, const admission_request& request) const;

 private:
  bool wait_idle_within(std::chrono::nanoseconds limit);

  lane* lane_;
};

}  // namespace weir::detail
