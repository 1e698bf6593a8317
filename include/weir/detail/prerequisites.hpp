#pragma once

#include <cstddef>

#include "weir/detail/task_base.hpp"

namespace weir::detail {

/// What a task without a pool needs before it can end: the tasks that it follows. A worker that
/// waits for such a task looks here for something to run (B10). Protocol:
/// docs/design/continuations.md.
class prerequisites {
 public:
  /// The input of some number, with a reference; null where it has arrived. `none`: there are not
  /// so many.
  struct answer {
    task_base* input;
    bool none;
  };
  /// Called under the follower's lock.
  using look = answer (*)(prerequisites&, std::size_t index) noexcept;

  prerequisites(look at, bool all) noexcept : needs_all(all), look_(at) {}
  prerequisites(const prerequisites&) = delete;
  prerequisites& operator=(const prerequisites&) = delete;

  [[nodiscard]] answer input(std::size_t index) noexcept { return look_(*this, index); }

  const bool needs_all;  ///< else one of them is enough

 private:
  const look look_;
};

/// Says what the follower needs; nobody else knows it yet.
void set_prerequisites(task_base& follower, prerequisites& of) noexcept;
/// It needs nothing any more. Before those are gone.
void clear_prerequisites(task_base& follower) noexcept;
/// An input has arrived: sets `input` to null under the follower's lock.
void forget_input(task_base& follower, task_base*& input) noexcept;

/// On a worker, runs a task here and now that is queued in the pool of that worker and that this
/// one follows, by however many others, or waits for it until it may run. False, and nothing has
/// happened, where there is none. Throws `std::system_error(resource_deadlock_would_occur)` where
/// the task follows one that runs here.
bool help_follower(task_base& task);

}  // namespace weir::detail
