#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>

#include "weir/detail/plain_future.hpp"
#include "weir/detail/then.hpp"

namespace weir {

/// A result that many may read, any number of times. Copyable; every copy is a handle of the same
/// task, and the value lives as long as the last of them. Dropping it neither blocks nor cancels.
/// Waiting, cancelling and asking are as with `future`.
/// Distinct objects: safe. Shared objects: const members are safe.
template <class T>
class shared_future {
 public:
  using value_type = T;
  /// `const T&`; T itself where it is a reference or void.
  using reference =
      std::conditional_t<std::is_void_v<T>, void, std::add_lvalue_reference_t<std::add_const_t<T>>>;

  shared_future() noexcept = default;
  /// What `future::share` does.
  shared_future(future<T>&& from) noexcept : ref_(std::move(from.ref_)) {}

  [[nodiscard]] bool valid() const noexcept { return ref_.valid(); }

  /// Blocks until terminal, then shows the value, rethrows the body's own exception, the same one
  /// every time, or throws `task_cancelled`. Throws `std::future_error(no_state)` without a task,
  /// and `std::system_error(resource_deadlock_would_occur)` inside the task.
  reference get() const {
    ref_.wait();
    return look();
  }
  /// The same with a limit in real time; throws `timed_out` when it is over.
  template <class Rep, class Period>
  reference get_for(std::chrono::duration<Rep, Period> limit) const {
    if (!ref_.wait_for(limit)) throw timed_out();
    return look();
  }
  /// The same until a stop of the waiter is requested.
  reference get(const std::stop_token& stop) const {
    if (!ref_.wait(stop)) throw timed_out();
    return look();
  }

  /// As `future::then`, but nothing is consumed: any number of continuations may follow, and run in
  /// the order in which they were added. f takes `const T&` (nothing where T is void) or the
  /// finished `shared_future<T>`.
  template <class F>
  auto then(F&& f) const {
    auto self = *this;
    return detail::follow_inline(self, std::forward<F>(f));
  }
  template <class Executor, class F>
  auto then(Executor&& executor, F&& f) const {
    static_assert(std::copy_constructible<std::remove_cvref_t<Executor>> ||
                      std::is_lvalue_reference_v<Executor>,
                  "an executor that cannot be copied must be there until the task has ended");
    auto self = *this;
    return detail::follow_through(self, executor, std::forward<F>(f));
  }

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
  [[nodiscard]] const task_ref& ref() const noexcept { return ref_; }

 private:
  friend struct detail::future_access;

  reference look() const {
    auto& node = detail::future_access::node(*this);
    switch (state()) {
      case task_state::succeeded:
        if constexpr (std::is_void_v<T>) {
          return;
        } else {
          return node.look();
        }
      case task_state::failed:
        detail::mark_observed(node);
        std::rethrow_exception(node.failure);
      default:
        throw task_cancelled(detail::reason_of(node));
    }
  }

  task_ref ref_;
};

template <class T>
shared_future<T> future<T>::share() {
  return shared_future<T>(std::move(*this));
}

}  // namespace weir
