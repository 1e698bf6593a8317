#pragma once

#include <exception>
#include <future>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "weir/detail/detached.hpp"
#include "weir/detail/task_node.hpp"
#include "weir/shared_future.hpp"

namespace weir {

namespace detail {

/// The body of a task whose result somebody brings.
template <class T>
struct promised {
  [[noreturn]] T operator()() const { throw std::future_error(std::future_errc::no_state); }
};

/// Has the node's value be what `make` returns, as the end of its task. False: it was cancelled. An
/// exception of `make` is the failure of the task.
template <class T, class Make>
bool fulfil(result_node<T>& node, Make&& make) {
  try {
    node.keep(std::forward<Make>(make));
  } catch (...) {
    fail_by_hand(node, std::current_exception());
    throw;
  }
  return succeed_by_hand(node);
}

}  // namespace detail

/// A result that somebody brings, instead of a body. Move-only. Destroyed before it was set it
/// fails its future with `std::future_error(broken_promise)`.
/// Distinct objects: safe. Shared objects: setting and asking are safe, the first to set wins.
template <class T>
class promise {
 public:
  promise() : promise(detail::make_detached(detail::promised<T>{})) {}
  promise(promise&&) noexcept = default;
  promise& operator=(promise&& other) noexcept {
    if (this != &other) {
      abandon();
      task_ = std::move(other.task_);
      future_ = std::move(other.future_);
    }
    return *this;
  }
  ~promise() { abandon(); }

  /// The future of the result, once. Throws `std::future_error`: `future_already_retrieved`, or
  /// `no_state` when moved from. Not to be called by two threads at once.
  [[nodiscard]] future<T> get_future() {
    checked();
    if (!future_.valid()) throw std::future_error(std::future_errc::future_already_retrieved);
    return std::move(future_);
  }

  /// Completes the future; continuations run here. False, and nothing has happened: the future has
  /// been cancelled. Throws `std::future_error`: `promise_already_satisfied`, or `no_state` when
  /// moved from. What the construction of the value throws is rethrown and the failure of the
  /// future. Memory order: what the caller did before is visible to whoever gets or waits.
  template <class U = T>
  requires(!std::is_void_v<T> && std::is_convertible_v<U, T>) bool set_value(U&& value) {
    if (!begin()) return false;
    return detail::fulfil(node(), [&]() -> T { return std::forward<U>(value); });
  }
  bool set_value() requires std::is_void_v<T> {
    if (!begin()) return false;
    return detail::fulfil(node(), [] {});
  }
  /// The same with a failure, which must not be null.
  bool set_exception(std::exception_ptr error) {
    if (error == nullptr) throw std::invalid_argument("weir: a failure without an exception");
    if (!begin()) return false;
    return detail::fail_by_hand(checked(), std::move(error));
  }

  /// Whether a result would still reach somebody: it has not been set, the future has not been
  /// cancelled, and not all of its handles are gone. Once false it stays so.
  [[nodiscard]] bool wanted() const {
    const detail::task_base& task = checked();
    return detail::state_of(task) == task_state::queued &&
           (future_.valid() || detail::held_by_others(task));
  }

 private:
  explicit promise(std::pair<detail::detached_task, future<T>> made) noexcept
      : task_(std::move(made.first)), future_(std::move(made.second)) {}

  detail::task_base& checked() const {
    if (!task_.valid()) throw std::future_error(std::future_errc::no_state);
    return task_.task();
  }
  detail::result_node<T>& node() const { return static_cast<detail::result_node<T>&>(checked()); }

  bool begin() {
    if (detail::begin_by_hand(checked())) return true;
    if (detail::cancelled_unstarted(checked())) return false;
    throw std::future_error(std::future_errc::promise_already_satisfied);
  }

  // A future that nobody has ever seen, or that nobody has any more, is cancelled without a report.
  void abandon() noexcept {
    if (task_.valid() && !future_.valid() && detail::held_by_others(task_.task()) &&
        detail::begin_by_hand(task_.task())) {
      detail::fail_by_hand(task_.task(), std::make_exception_ptr(
                                             std::future_error(std::future_errc::broken_promise)));
    }
    task_.reset();
  }

  detail::detached_task task_;
  future<T> future_;
};

/// A future that has its result already.
template <class T>
[[nodiscard]] future<std::decay_t<T>> make_ready_future(T&& value) {
  promise<std::decay_t<T>> made;
  auto result = made.get_future();
  made.set_value(std::forward<T>(value));
  return result;
}
[[nodiscard]] inline future<void> make_ready_future() {
  promise<void> made;
  auto result = made.get_future();
  made.set_value();
  return result;
}
/// A future that has failed with this exception, which must not be null.
template <class T>
[[nodiscard]] future<T> make_failed_future(std::exception_ptr error) {
  promise<T> made;
  auto result = made.get_future();
  made.set_exception(std::move(error));
  return result;
}

}  // namespace weir
