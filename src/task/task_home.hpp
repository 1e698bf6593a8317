#pragma once

#include <optional>

#include "task/run_body.hpp"
#include "weir/detail/task_base.hpp"

/// What a task asks of the pool that accepted it. The pool's room defines these; the task's room
/// only calls them, so that no arrow runs backwards.
namespace weir::detail {

/// Ends a task that the caller has just moved to `cancelling`: destroys its captures on this
/// thread, gives its waiting place back and publishes `cancelled`. `was_detached`: it has no place.
void end_unstarted(task_base& task, bool was_detached) noexcept;

/// Waits for a task on a worker of the pool that accepted it, as `wait_terminal` does; none where
/// the calling thread is no such worker.
std::optional<bool> wait_inside(task_base& task, std::optional<time_point> until);

/// Tells the keeper of a kept task that it has ended, before it becomes terminal.
void leave_keeper(task_base& task) noexcept;

/// Whether the calling thread is a worker of any pool.
[[nodiscard]] bool on_a_worker() noexcept;

/// Reports a failure that nobody can read or has read: to the pool that accepted the task, else on
/// stderr.
void report_failure(task_base& task, const std::exception_ptr& error) noexcept;

/// Tells the pool of a task whose continuations it counts (`count_continuations`) that the last of
/// them has run.
void continuations_over(task_base& task) noexcept;

/// Has a task without a pool report its failure where `task` does, whose core the caller knows to
/// be alive, and keep that core. Others may wait for the follower already, but not run it.
void share_home(const task_base& task, task_base& follower) noexcept;

/// Whether the task was left behind by a fork: this process is a child, and what would end the
/// task runs in its parent. Does not touch the pool, which may be gone. False once terminal.
[[nodiscard]] bool lost_in_fork(const task_base& task) noexcept;
/// Makes sure that time limits are watched; throws `std::system_error` when they cannot be.
void need_guard();

/// `run_body` for a task without a pool: its time limit is watched, in real time.
body_report run_body_in_real_time(task_base& task);

/// Lets go of the core that a task with `holds_core` keeps.
void release_home(task_base& task) noexcept;

}  // namespace weir::detail
