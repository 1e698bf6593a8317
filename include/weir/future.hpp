#pragma once

#include <chrono>
#include <future>
#include <optional>
#include <utility>

#include "weir/detail/duration.hpp"
#include "weir/detail/task_node.hpp"
#include "weir/task_state.hpp"

namespace weir {

namespace detail {
struct future_access;
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
  /// task itself. Real time, whatever clock the pool has. Memory order: what the body did is
  /// visible after.
  void wait() const;
  /// The same with a limit; returns whether it is terminal. Zero and less look once.
  template <class Rep, class Period>
  bool wait_for(std::chrono::duration<Rep, Period> limit) const {
    return wait_until_real(limit_to_deadline(detail::saturating_nanoseconds(limit)));
  }
  bool wait_until(std::chrono::steady_clock::time_point until) const {
    return wait_until_real(until);
  }

 private:
  template <class T>
  friend class future;
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

  void wait() const { ref_.wait(); }
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

}  // namespace weir
