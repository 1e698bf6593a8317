#pragma once

#include <cstddef>
#include <exception>
#include <optional>
#include <utility>

#include "weir/detail/executor_verbs.hpp"
#include "weir/executor.hpp"

namespace weir {

namespace detail {
class group_lane;
}  // namespace detail

/// Tasks that begin and end together: none outlives the group. They run on an executor's threads as
/// far as it lends some, and on the thread that waits for them; so a group needs no room in its
/// executor, and may be used inside a pool's only worker. The first failure asks the other tasks to
/// stop, cancels those that have not started, and is what `wait` throws.
///
/// Distinct objects: safe. Shared objects: safe, tasks may `run` more in their own group; members
/// must not race the destructor. The executor outlives the group.
class task_group : private detail::executor_verbs<task_group> {
 public:
  /// At most `limit` of its tasks run at once. Throws `std::invalid_argument` for 0.
  explicit task_group(executor_ref on, std::size_t limit = unbounded);

  /// Waits like `wait`, and throws nothing: a failure that no `wait` has thrown is reported on
  /// stderr. When an exception is on its way through the group's scope it cancels first.
  ~task_group();
  task_group(const task_group&) = delete;
  task_group& operator=(const task_group&) = delete;

  /// Adds a task; what it returns is dropped. False: the group has failed or been cancelled, or
  /// is the parent's in the child of a fork; the callable is intact if its move cannot throw. Does
  /// not block, and asks the executor for a thread without following its saturation policy. How
  /// many tasks wait is bounded by the caller alone. Throws `std::invalid_argument` for an empty
  /// callable, a timeout or a weight, and `std::bad_alloc`; then nothing has changed.
  template <class F, class... Args>
  requires detail::task_body<F, Args...>
  bool run(F&& f, Args&&... args) {
    return attempt({}, std::forward<F>(f), std::forward<Args>(args)...).accepted();
  }
  template <class F, class... Args>
  requires detail::task_body<F, Args...>
  bool run(const task_options& options, F&& f, Args&&... args) {
    return attempt(options, std::forward<F>(f), std::forward<Args>(args)...).accepted();
  }

  /// Blocks until all its tasks have ended, running those that have not started on this thread.
  /// Throws the first failure, else `task_cancelled` when the group was cancelled or its executor
  /// aborted. A task that waits here and is asked to stop cancels the group. After a wait that
  /// threw nothing the group may be used again. Throws
  /// `std::system_error(resource_deadlock_would_occur)` inside one of its own tasks, and
  /// `std::system_error(owner_dead)` in the child of a fork that has left some of them behind.
  /// Memory order: what the tasks did is visible after.
  void wait();

  /// Cancels what has not started and asks what runs to stop; later `run`s add nothing. Stop
  /// callbacks run here. Does not wait.
  void cancel();
  /// Whether it has failed or been cancelled.
  [[nodiscard]] bool stopped() const noexcept;

 private:
  friend struct detail::executor_access;
  template <class Self>
  friend class detail::executor_verbs;

  std::optional<detail::refusal> admit(detail::task_base& task,
                                       detail::admission_request& request) const;

  detail::group_lane* lane_;
  const int exceptions_ = std::uncaught_exceptions();
};

}  // namespace weir
