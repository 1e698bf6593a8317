#pragma once

#include <chrono>
#include <future>
#include <optional>
#include <utility>

#include "weir/detail/detached.hpp"
#include "weir/detail/duration.hpp"
#include "weir/detail/task_node.hpp"
#include "weir/task_state.hpp"

namespace weir {

template <class T>
class shared_future;
template <class T>
class promise;

namespace detail {
struct future_access;
template <class Handle, class F>
auto follow_inline(Handle& upstream, F&& f);
template <class Handle, class Executor, class F>
auto follow_through(Handle& upstream, Executor& executor, F&& f);
}  // namespace detail

/// A copyable handle of a task without its result: asks, waits, cancels. Dropping it neither blocks
/// nor cancels; it may outlive the pool. Every call but the destructor, assignment and `valid`
/// needs `valid()` and throws `std::future_error(no_state)` without. Distinct objects: safe, also
/// on the same task. Shared objects: const members are safe.
class task_ref {
 public:
  task_ref() noexcept = default;
  task_ref(const task_ref& other) noexcept;
  task_ref(task_ref&& other) noexcept : task_(std::exchange(other.task_, nullptr)) {}
  task_ref& operator=(task_ref other) noexcept {
    std::swap(task_, other.task_);
    return *this;
  }
  ~task_ref();

  [[nodiscard]] bool valid() const noexcept { return task_ != nullptr; }
  /// Whether both are handles of the same task.
  friend bool operator==(const task_ref&, const task_ref&) noexcept = default;

  /// Asks the task to end. Queued: it never starts, is terminal when this returns, and its waiting
  /// place is free again; its captures are destroyed here, on the calling thread. Running: it is
  /// asked to stop; stop callbacks run here. Never blocks for the body; may be repeated.
  cancel_result cancel() const;
  /// The same for a queued task; a running one is left alone (`too_late`).
  cancel_result cancel(if_queued_t) const;

  [[nodiscard]] task_state state() const;
  /// How a cancelled task ended; none in other states.
  [[nodiscard]] std::optional<weir::cancellation> cancellation() const;
  /// The number that the pool gave it: ascending in the order of admission, from 1.
  [[nodiscard]] std::uint64_t id() const;
  /// When it is due on its pool's clock; none for a task that was due at once.
  [[nodiscard]] std::optional<std::chrono::steady_clock::time_point> due() const;

  /// Blocks until terminal. Throws `std::system_error(resource_deadlock_would_occur)` inside the
  /// task itself, and `std::system_error(owner_dead)` in the child of a fork that has left the
  /// unfinished task behind. Real time, whatever clock the pool has. Memory order: what the body
  /// did is visible after.
  void wait() const;
  /// The same with a limit; returns whether it is terminal. Zero and less look once.
  template <class Rep, class Period>
  bool wait_for(std::chrono::duration<Rep, Period> limit) const {
    return wait_until_real(limit_to_deadline(detail::saturating_nanoseconds(limit)));
  }
  bool wait_until(std::chrono::steady_clock::time_point until) const {
    return wait_until_real(until);
  }
  /// The same until a stop of the waiter, not of the task, is requested.
  bool wait(const std::stop_token& stop) const;

 private:
  template <class T>
  friend class future;
  template <class T>
  friend class shared_future;
  friend class drained_task;
  friend struct detail::future_access;

  /// Takes over one reference.
  explicit task_ref(detail::task_base* task) noexcept : task_(task) {}

  detail::task_base& checked() const;
  bool wait_until_real(std::chrono::steady_clock::time_point until) const;
  static std::chrono::steady_clock::time_point limit_to_deadline(
      std::chrono::nanoseconds limit) noexcept;

  detail::task_base* task_ = nullptr;
};

/// The result of a task, to be taken once. Move-only; T may be move-only, a reference or void.
/// Dropping it neither blocks nor cancels. Members beyond `task_ref`'s see below.
/// Distinct objects: safe. Shared objects: const members are safe.
template <class T>
class future {
 public:
  using value_type = T;

  future() noexcept = default;
  future(future&&) noexcept = default;
  future& operator=(future&&) noexcept = default;

  [[nodiscard]] bool valid() const noexcept { return ref_.valid(); }

  /// Blocks until terminal, then takes the value, rethrows the body's own exception, or throws
  /// `task_cancelled`. Afterwards `valid()` is false. Throws `std::future_error(no_state)` when it
  /// is already, and `std::system_error(resource_deadlock_would_occur)`, consuming nothing, inside
  /// the task.
  T get() {
    ref_.wait();
    return take();
  }

  /// The same with a limit in real time; throws `timed_out`, consuming nothing, when it is over.
  template <class Rep, class Period>
  T get_for(std::chrono::duration<Rep, Period> limit) {
    if (!ref_.wait_for(limit)) throw timed_out();
    return take();
  }

  /// The same until a stop of the waiter is requested; then it throws `timed_out`, consuming
  /// nothing. The task is left alone.
  T get(const std::stop_token& stop) {
    if (!ref_.wait(stop)) throw timed_out();
    return take();
  }

  /// Has `f` run once this task has ended, and returns the future of what f returns; this one is
  /// consumed (`valid()` is false). f takes the value (nothing where T is void) or the finished
  /// `future<T>`, either after a `std::stop_token` if it wants one; where both would do, the value.
  /// Where it takes the value, a failure skips it and is the failure of the new future, the very
  /// same exception, and a cancellation is its cancellation, with the same reason. A new future
  /// that is cancelled before the task has ended never runs f; cancelling it does not cancel this
  /// task.
  ///
  /// f runs on the thread that ends the task, outside of locks, or here if it has ended; where such
  /// an f runs already, after that one. Does not block. An f that blocks holds up a worker, and one
  /// that ends its thread by force ends the program. Throws `std::future_error(no_state)`,
  /// `std::bad_alloc`, and `std::system_error(resource_deadlock_would_occur)` in the destructors of
  /// the task's own captures; then nothing has happened. Memory order: what the task did is visible
  /// to f.
  template <class F>
  auto then(F&& f);
  /// The same, but f runs where `executor.execute(callable)` has it run. The callable is
  /// move-only. A copy of the executor is kept, or, where it cannot be copied (a `thread_pool`),
  /// its address: it must live until the task has ended. What `execute` throws becomes the failure
  /// of the new future; a callable that is dropped unrun cancels it (`aborted`). Inside of a body
  /// of a pool f hears requests to stop that body as its own.
  template <class Executor, class F>
  auto then(Executor&& executor, F&& f);

  /// Makes it a handle that may be copied and read any number of times; this one is consumed.
  [[nodiscard]] shared_future<T> share();

  void wait() const { ref_.wait(); }
  bool wait(const std::stop_token& stop) const { return ref_.wait(stop); }
  template <class Rep, class Period>
  bool wait_for(std::chrono::duration<Rep, Period> limit) const {
    return ref_.wait_for(limit);
  }
  bool wait_until(std::chrono::steady_clock::time_point until) const {
    return ref_.wait_until(until);
  }

  cancel_result cancel() const { return ref_.cancel(); }
  cancel_result cancel(if_queued_t tag) const { return ref_.cancel(tag); }
  [[nodiscard]] task_state state() const { return ref_.state(); }
  [[nodiscard]] std::optional<weir::cancellation> cancellation() const {
    return ref_.cancellation();
  }
  [[nodiscard]] std::uint64_t id() const { return ref_.id(); }
  [[nodiscard]] std::optional<std::chrono::steady_clock::time_point> due() const {
    return ref_.due();
  }

  /// A copyable handle of the same task.
  [[nodiscard]] const task_ref& ref() const noexcept { return ref_; }

 private:
  friend class thread_pool;
  friend class shared_future<T>;
  friend struct detail::future_access;

  explicit future(detail::result_node<T>* node) noexcept : ref_(node) {}

  /// Says that nobody will miss this result, a failure neither.
  void disregard() const noexcept { detail::mark_observed(*ref_.task_); }

  T take() {
    const task_ref keep = std::move(ref_);
    auto& node = static_cast<detail::result_node<T>&>(*keep.task_);
    switch (detail::state_of(node)) {
      case task_state::succeeded:
        return node.take();
      case task_state::failed:
        detail::mark_observed(node);
        // Taken over: whoever frees the task later must not hold what the catcher is reading.
        std::rethrow_exception(std::exchange(node.failure, nullptr));
      default:
        throw task_cancelled(detail::reason_of(node));
    }
  }

  task_ref ref_;
};

namespace detail {

/// What makes handles out of nodes and looks into them, for verbs outside of the pool.
struct future_access {
  template <class T>
  static future<T> make(result_node<T>* node) noexcept {
    return future<T>(node);
  }
  /// Takes over one reference; null: a handle that is not valid.
  static task_ref handle(task_base* task) noexcept { return task_ref(task); }
  /// The task behind a handle; throws `std::future_error(no_state)` without one.
  template <class Handle>
  static task_base& task(const Handle& of) {
    return of.ref_.checked();
  }
  template <class Handle>
  static auto& node(const Handle& of) {
    return static_cast<result_node<typename Handle::value_type>&>(task(of));
  }
  /// A second handle of the same task, for whoever is to follow it.
  template <class Handle>
  static Handle again(const Handle& of) {
    Handle copy;
    copy.ref_ = of.ref_;
    return copy;
  }
};

/// A new task without a pool, and its future.
template <class F, class... Args>
auto make_detached(F&& f, Args&&... args) {
  using result = body_result<F, Args...>;
  auto* node = make_node<true>(std::forward<F>(f), std::forward<Args>(args)...);
  detach(*node);
  return std::pair(detached_task(node), future_access::make<result>(node));
}

}  // namespace detail
}  // namespace weir
