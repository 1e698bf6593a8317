#pragma once

#include "weir/detail/task_base.hpp"

namespace weir::detail {

/// What is to be done once a task has ended. Whoever attaches one keeps it alive until `run`, which
/// is called exactly once and may free it. Protocol: docs/design/continuations.md.
struct continuation {
  using function = void (*)(continuation&, task_base& upstream) noexcept;

  constexpr explicit continuation(function on_end) noexcept : run(on_end) {}
  continuation(const continuation&) = delete;
  continuation& operator=(const continuation&) = delete;

  const function run;
  continuation* next = nullptr;
  task_base* upstream = nullptr;  ///< with a reference, from `attach` until it has run
  task_base* root = nullptr;      ///< the task whose pool does not rest before this has run
};

/// Makes sure that `attach` to this task succeeds. Throws `std::bad_alloc`, and
/// `std::system_error(resource_deadlock_would_occur)` where the calling thread itself is about to
/// end the task. The caller holds a reference.
void prepare_attach(task_base& upstream);

/// Has `added` run once, after the end of the task: by the thread that ends it, or here, where it
/// has ended. Blocks for a moment where the body is over and the end is not yet public. Memory
/// order: what the body did is visible to `run`.
void attach(task_base& upstream, continuation& added) noexcept;

/// Reports of `follower`, should it fail unread, go where those of the task go that it follows, if
/// that pool is known to be alive. In `run` alone, before the follower starts.
void adopt_home(task_base& follower, const continuation& link) noexcept;

/// Runs what waits on this thread for the running continuation to return. For a thread that is
/// about to block: it may be waiting for just that.
void run_deferred() noexcept;

}  // namespace weir::detail
