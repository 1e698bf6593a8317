#pragma once

#include <exception>
#include <utility>

#include "weir/detail/task_node.hpp"

namespace weir::detail {

/// Says of a task that nobody knows yet that no pool stands behind it.
void detach(task_base& task) noexcept;

/// The same, and that `keeper` has it; the keeper lives until it has let go of it.
void keep(task_base& task, task_keeper& keeper) noexcept;

/// Runs the body of a detached task here and publishes its end. Does nothing when it has been
/// cancelled, and says so (false). The caller keeps its reference. A failure that no future can
/// carry is reported.
bool run_detached(task_base& task);

/// The same for a kept task: inside of a body of a pool, `this_task::pool` is that pool.
bool run_kept(task_base& task);

/// The same inside of a body of a pool, which carries it: a request to stop the carrier reaches
/// this task, and `this_task::pool` is the carrier's. Without a carrier it is `run_detached`.
void run_carried(task_base& task);

/// The three steps of a detached task that nobody runs: somebody else brings its result. False, and
/// nothing has happened: it has been cancelled, or somebody else was first.
[[nodiscard]] bool begin_by_hand(task_base& task) noexcept;
/// After the value is in its place. False: it was cancelled meanwhile, the value is gone.
bool succeed_by_hand(task_base& task) noexcept;
/// Instead of that.
bool fail_by_hand(task_base& task, std::exception_ptr error) noexcept;

/// Ends a detached task unrun; false when it has started or ended. Its captures are destroyed here.
bool cancel_detached(task_base& task, cancel_reason reason) noexcept;

/// A task without a pool, for those who bring tasks to a thread themselves: the one who may run it.
/// Owns one reference. Letting go of it unrun cancels the task (`aborted`), so its future never
/// waits for ever. Distinct objects: safe. Shared objects: unsafe.
class detached_task {
 public:
  detached_task() noexcept = default;
  /// Takes over one reference.
  explicit detached_task(task_base* task) noexcept : task_(task) {}
  detached_task(detached_task&& other) noexcept : task_(std::exchange(other.task_, nullptr)) {}
  detached_task& operator=(detached_task&& other) noexcept {
    if (this != &other) {
      reset();
      task_ = std::exchange(other.task_, nullptr);
    }
    return *this;
  }
  ~detached_task() { reset(); }

  [[nodiscard]] bool valid() const noexcept { return task_ != nullptr; }
  [[nodiscard]] task_base& task() const noexcept { return *task_; }

  /// Runs the body, unless it has been cancelled, and returns whether; afterwards `valid()` is
  /// false.
  bool run() {
    const detached_task keep(std::move(*this));
    return run_detached(*keep.task_);
  }
  void operator()() { run(); }
  /// Cancels it, if it has not started, and returns whether; afterwards `valid()` is false.
  bool cancel(cancel_reason reason) noexcept {
    if (task_ == nullptr) return false;
    const bool cancelled = cancel_detached(*task_, reason);
    release(std::exchange(task_, nullptr));
    return cancelled;
  }
  void reset() noexcept { cancel(cancel_reason::aborted); }

  /// Gives the reference up to the caller.
  [[nodiscard]] task_base* detach() noexcept { return std::exchange(task_, nullptr); }

 private:
  task_base* task_ = nullptr;
};

}  // namespace weir::detail
