#pragma once

#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <stop_token>
#include <tuple>
#include <type_traits>
#include <utility>

#include "weir/detail/task_base.hpp"

namespace weir::detail {

/// The stop token of the running task; what a body that takes one is given first.
[[nodiscard]] std::stop_token current_stop_token();

/// How a value of type T waits for `get`: a reference as its address.
template <class T>
using stored_t = std::conditional_t<std::is_lvalue_reference_v<T>, std::remove_reference_t<T>*, T>;

/// The part of a task that a `future<T>` knows: the place of value or failure.
template <class T>
struct result_node : task_base {
  result_node(const task_ops& operations, std::uint32_t owners) noexcept
      : task_base(operations, owners) {}
  ~result_node() {}

  union {
    stored_t<T> value;
    std::exception_ptr failure;
  };

  /// Keeps what `make` returns, built in place.
  template <class Make>
  void keep(Make&& make) {
    void* place = const_cast<void*>(static_cast<const void*>(std::addressof(value)));
    if constexpr (std::is_lvalue_reference_v<T>) {
      ::new (place) stored_t<T>(std::addressof(make()));
    } else {
      ::new (place) T(make());
    }
  }
  T take() {
    if constexpr (std::is_lvalue_reference_v<T>) {
      return *value;
    } else {
      return std::move(value);
    }
  }
  std::remove_reference_t<T>& look() noexcept {
    if constexpr (std::is_lvalue_reference_v<T>) {
      return *value;
    } else {
      return value;
    }
  }
  void drop() noexcept { std::destroy_at(std::addressof(value)); }
};

template <>
struct result_node<void> : task_base {
  result_node(const task_ops& operations, std::uint32_t owners) noexcept
      : task_base(operations, owners) {}
  ~result_node() {}

  union {
    std::exception_ptr failure;
  };

  template <class Make>
  void keep(Make&& make) {
    make();
  }
  void take() noexcept {}
  void drop() noexcept {}
};

template <class T>
void keep_failure(task_base& task, std::exception_ptr error) noexcept {
  auto& node = static_cast<result_node<T>&>(task);
  ::new (static_cast<void*>(std::addressof(node.failure))) std::exception_ptr(std::move(error));
}

template <class T>
void drop_failure(task_base& task) noexcept {
  std::destroy_at(std::addressof(static_cast<result_node<T>&>(task).failure));
}

template <class T>
std::exception_ptr read_failure(const task_base& task) noexcept {
  return static_cast<const result_node<T>&>(task).failure;
}

/// How a callable is called: once, as an rvalue where it can be, with the stop token first where it
/// asks for one.
template <class F, class... Args>
decltype(auto) call_body(F& f, Args&... args) {
  if constexpr (std::is_invocable_v<F, std::stop_token, Args...>) {
    return std::invoke(std::move(f), current_stop_token(), std::move(args)...);
  } else if constexpr (std::is_invocable_v<F, Args...>) {
    return std::invoke(std::move(f), std::move(args)...);
  } else {
    return std::invoke(f, args...);
  }
}

template <class F, class... Args>
concept task_body = std::is_invocable_v<std::decay_t<F>, std::stop_token, std::decay_t<Args>...> ||
                    std::is_invocable_v<std::decay_t<F>, std::decay_t<Args>...> ||
                    std::is_invocable_v < std::decay_t<F>
&, std::decay_t<Args>&... > ;

/// What the body returns, as a future names it: an rvalue reference is kept as a value.
template <class F, class... Args>
using body_result = std::conditional_t<
    std::is_rvalue_reference_v<decltype(call_body(std::declval<std::decay_t<F>&>(),
                                                  std::declval<std::decay_t<Args>&>()...))>,
    std::remove_cvref_t<decltype(call_body(std::declval<std::decay_t<F>&>(),
                                           std::declval<std::decay_t<Args>&>()...))>,
    decltype(call_body(std::declval<std::decay_t<F>&>(), std::declval<std::decay_t<Args>&>()...))>;

/// The part of a task without a future.
struct no_result_node : task_base {
  using task_base::task_base;
};

/// A whole task: F and its arguments beside the place of the result. `HasFuture` is false for
/// `execute`.
template <class T, bool HasFuture, class... Parts>
struct task_node final : std::conditional_t<HasFuture, result_node<T>, no_result_node> {
  using base = std::conditional_t<HasFuture, result_node<T>, no_result_node>;
  union {
    std::tuple<Parts...> call;
  };

  template <class... Given>
  explicit task_node(Given&&... given)
      : base(k_ops, HasFuture ? 2 : 1), call(std::forward<Given>(given)...) {}
  ~task_node() {}

  static void invoke(task_base& task) {
    auto& node = static_cast<task_node&>(task);
    auto body = [&node]() -> decltype(auto) {
      return std::apply([](auto&... parts) -> decltype(auto) { return call_body(parts...); },
                        node.call);
    };
    if constexpr (HasFuture) {
      node.keep(body);
    } else {
      static_cast<void>(body());
    }
  }
  static void drop_callable(task_base& task) noexcept {
    std::destroy_at(std::addressof(static_cast<task_node&>(task).call));
  }
  static void drop_value(task_base& task) noexcept {
    if constexpr (HasFuture) static_cast<task_node&>(task).drop();
  }
  static void destroy(task_base* task) noexcept {
    auto* node = static_cast<task_node*>(task);
    std::destroy_at(node);
    deallocate_task(node, sizeof(task_node), alignof(task_node));
  }

  static constexpr task_ops k_ops{&invoke,
                                  HasFuture ? &keep_failure<T> : nullptr,
                                  &drop_callable,
                                  &drop_value,
                                  HasFuture ? &detail::drop_failure<T> : nullptr,
                                  HasFuture ? &detail::read_failure<T> : nullptr,
                                  &destroy,
                                  std::is_trivially_destructible_v<std::tuple<Parts...>>};
};

template <bool HasFuture, class F, class... Args>
using node_for = task_node<std::conditional_t<HasFuture, body_result<F, Args...>, void>, HasFuture,
                           std::decay_t<F>, std::decay_t<Args>...>;

/// Refuses what is known to call nothing before anything else happens.
template <class F>
void require_callable(const F& f) {
  if constexpr (std::is_pointer_v<F> || std::is_member_pointer_v<F>) {
    if (f == nullptr) throw std::invalid_argument("weir: the callable is a null pointer");
  } else if constexpr (
      requires { f == nullptr; } && !requires { +f; }) {
    if (f == nullptr) throw std::invalid_argument("weir: the callable is empty");
  }
}

/// The one allocation of a task.
template <bool HasFuture, class F, class... Args>
auto* make_node(F&& f, Args&&... args) {
  using node = node_for<HasFuture, F, Args...>;
  require_callable<std::decay_t<F>>(f);
  void* memory = allocate_task(sizeof(node), alignof(node));
  try {
    return ::new (memory) node(std::forward<F>(f), std::forward<Args>(args)...);
  } catch (...) {
    deallocate_task(memory, sizeof(node), alignof(node));
    throw;
  }
}

/// Moves one part of a refused task back to where it came from, when it was moved from there and
/// the way back cannot throw.
template <class Given>
void give_back(std::remove_reference_t<Given>& source, std::decay_t<Given>& part) noexcept {
  using value = std::decay_t<Given>;
  if constexpr (!std::is_lvalue_reference_v<Given> &&
                std::is_same_v<value, std::remove_reference_t<Given>> &&
                std::is_nothrow_move_constructible_v<value>) {
    std::destroy_at(std::addressof(source));
    ::new (static_cast<void*>(std::addressof(source))) value(std::move(part));
  }
}

/// Takes a refused task apart: the caller has its callable and arguments back, the memory is free.
template <class Node, class F, class... Args>
void return_to_caller(Node* node, F&& f, Args&&... args) noexcept {
  std::apply(
      [&](auto& first, auto&... rest) {
        give_back<F>(f, first);
        (give_back<Args>(args, rest), ...);
      },
      node->call);
  destroy_unused(node);
}

}  // namespace weir::detail
