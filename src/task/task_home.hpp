#pragma once

#include "weir/detail/task_base.hpp"

/// What a task asks of the pool that accepted it. The pool's room defines these; the task's room
/// only calls them, so that no arrow runs backwards.
namespace weir::detail {

/// Ends a task that the caller has just moved to `cancelling`: destroys its captures on this
/// thread, gives its waiting place back and publishes `cancelled`. `was_drained`: it has no place.
void end_unstarted(task_base& task, bool was_drained) noexcept;

/// Lets go of the core that a task with `holds_core` keeps; `unread` = report its failure first.
void release_home(task_base& task, bool unread) noexcept;

}  // namespace weir::detail
