#pragma once

#include "task/state_word.hpp"
#include "weir/detail/continuation.hpp"

namespace weir::detail {

/// Whether somebody has attached a continuation. Once the outcome is fixed this does not change.
inline bool continued(const task_base& task) noexcept {
  return (task.word.load(sync::relaxed) & state_word::k_continued) != 0;
}

/// Says of a continued task that its pool waits for the continuations: after the last of them
/// `continuations_over` is called. By the thread that ends it, between `publish` and `tell_end`.
void count_continuations(task_base& task) noexcept;

/// Runs the continuations of a task that is terminal, oldest first, or leaves them to the
/// continuation that runs on this thread already.
void run_continuations(task_base& task) noexcept;

/// Whether this thread runs a continuation that a pool waits for: of this one.
[[nodiscard]] bool continues_for(const pool_core* core) noexcept;

}  // namespace weir::detail
