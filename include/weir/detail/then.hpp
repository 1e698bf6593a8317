#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <stop_token>
#include <type_traits>
#include <utility>

#include "weir/detail/carrier.hpp"
#include "weir/detail/continuation.hpp"
#include "weir/detail/detached.hpp"
#include "weir/detail/plain_future.hpp"
#include "weir/detail/prerequisites.hpp"
#include "weir/detail/task_node.hpp"

namespace weir::detail {

/// What a continuation is given of a value: the value, to move from, or, where others read it too,
/// a look at it.
template <class Handle>
struct result_argument;
template <class T>
struct result_argument<future<T>> {
  using type = T&&;
};
template <class T>
struct result_argument<shared_future<T>> {
  using type = const T&;
};

template <class F, class... Args>
concept continues_with = std::invocable<F, std::stop_token, Args...> || std::invocable<F, Args...>;

template <class F, class Handle>
constexpr bool takes_value() {
  if constexpr (std::is_void_v<typename Handle::value_type>) {
    return continues_with<F>;
  } else {
    return continues_with<F, typename result_argument<Handle>::type>;
  }
}

template <class F, class... Args>
decltype(auto) call_continuation(F& f, Args&&... args) {
  if constexpr (std::invocable<F, std::stop_token, Args...>) {
    return std::invoke(std::move(f), current_stop_token(), std::forward<Args>(args)...);
  } else {
    return std::invoke(std::move(f), std::forward<Args>(args)...);
  }
}

/// The body of the task that follows another one.
template <class Handle, class F>
struct follower {
  Handle upstream;
  F f;

  decltype(auto) operator()() {
    if constexpr (!takes_value<F, Handle>()) {
      return call_continuation(f, std::move(upstream));
    } else if constexpr (std::is_void_v<typename Handle::value_type>) {
      return call_continuation(f);
    } else {
      using argument = typename result_argument<Handle>::type;
      return call_continuation(f, static_cast<argument>(future_access::node(upstream).look()));
    }
  }
};

/// The failure of a task, for the one that takes it over: who reads a `future` is the only one.
template <class T>
std::exception_ptr pass_failure(const future<T>*, task_base& upstream) noexcept {
  return std::exchange(static_cast<result_node<T>&>(upstream).failure, nullptr);
}
template <class T>
std::exception_ptr pass_failure(const shared_future<T>*, task_base& upstream) noexcept {
  return static_cast<result_node<T>&>(upstream).failure;
}

/// What becomes of the follower of a task that has ended without a value. False: there is one.
template <class Handle>
bool skip_follower(detached_task& next, task_base& upstream) noexcept {
  switch (state_of(upstream)) {
    case task_state::failed:
      mark_observed(upstream);
      if (begin_by_hand(next.task())) {
        fail_by_hand(next.task(), pass_failure(static_cast<const Handle*>(nullptr), upstream));
      }
      return true;
    case task_state::cancelled:
      next.cancel(reason_of(upstream));
      return true;
    default:
      return false;
  }
}

/// Joins a task to its follower.
struct follow_link : continuation, prerequisites {
  explicit follow_link(function follow) noexcept
      : continuation(follow), prerequisites(&look, true) {}

  static answer look(prerequisites& self, std::size_t index) noexcept {
    if (index > 0) return {nullptr, true};
    task_base* const input = static_cast<follow_link&>(self).upstream;
    if (input != nullptr) retain(*input);
    return {input, false};
  }
};

/// The follower runs on the thread that ends the task.
template <class Handle, bool TakesValue>
struct follow_here final : follow_link {
  explicit follow_here(detached_task task) noexcept : follow_link(&follow), next(std::move(task)) {}

  static void follow(continuation& self, task_base& upstream) noexcept {
    const std::unique_ptr<follow_here> own(static_cast<follow_here*>(&self));
    clear_prerequisites(own->next.task());
    adopt_home(own->next.task(), self);
    if (TakesValue && skip_follower<Handle>(own->next, upstream)) return;
    own->next();
  }

  detached_task next;
};

/// The same by way of an executor.
template <class Handle, bool TakesValue, class Executor>
struct follow_there final : follow_link, carriage {
  template <class Given>
  follow_there(Given&& given, detached_task task)
      : follow_link(&follow), carriage(std::move(task), &dispose), to(given) {}

  static void follow(continuation& self, task_base& upstream) noexcept {
    auto& own = static_cast<follow_there&>(self);
    clear_prerequisites(own.task.task());
    adopt_home(own.task.task(), self);
    if (TakesValue && skip_follower<Handle>(own.task, upstream)) return dispose(own);
    try {
      own.to->execute(carrier(own));
    } catch (...) {
      return own.refused(std::current_exception());
    }
    own.submitted();
  }
  static void dispose(carriage& own) noexcept { delete static_cast<follow_there*>(&own); }

  Executor to;
};

/// An executor that can be copied is a handle; another one is an object that must stay.
template <class E>
struct kept_executor {
  explicit kept_executor(const E& given) : copy(given) {}
  E* operator->() noexcept { return &copy; }
  E copy;
};
template <class E>
requires(!std::copy_constructible<E>) struct kept_executor<E> {
  explicit kept_executor(E& given) noexcept : address(&given) {}
  E* operator->() noexcept { return address; }
  E* address;
};

/// The task that follows `upstream`; `make_link` makes the record that joins them.
template <class Handle, class F, class MakeLink>
auto follow(Handle& upstream, F&& f, MakeLink make_link) {
  task_base& task = future_access::task(upstream);
  require_callable<std::decay_t<F>>(f);
  prepare_attach(task);
  auto [next, result] = make_detached(
      follower<Handle, std::decay_t<F>>{future_access::again(upstream), std::forward<F>(f)});
  task_base& next_task = next.task();
  follow_link* const link = make_link(std::move(next));
  set_prerequisites(next_task, *link);
  upstream = Handle();
  attach(task, *link);
  return std::move(result);
}

template <class Handle, class F>
auto follow_inline(Handle& upstream, F&& f) {
  using body = std::decay_t<F>;
  return follow(upstream, std::forward<F>(f), [](detached_task next) -> follow_link* {
    return new follow_here<Handle, takes_value<body, Handle>()>(std::move(next));
  });
}

template <class Handle, class Executor, class F>
auto follow_through(Handle& upstream, Executor& executor, F&& f) {
  using body = std::decay_t<F>;
  using kept = kept_executor<std::remove_cv_t<Executor>>;
  return follow(upstream, std::forward<F>(f), [&executor](detached_task next) -> follow_link* {
    return new follow_there<Handle, takes_value<body, Handle>(), kept>(executor, std::move(next));
  });
}

}  // namespace weir::detail

namespace weir {

template <class T>
template <class F>
auto future<T>::then(F&& f) {
  return detail::follow_inline(*this, std::forward<F>(f));
}

template <class T>
template <class Executor, class F>
auto future<T>::then(Executor&& executor, F&& f) {
  static_assert(std::copy_constructible<std::remove_cvref_t<Executor>> ||
                    std::is_lvalue_reference_v<Executor>,
                "an executor that cannot be copied must be there until the task has ended");
  return detail::follow_through(*this, executor, std::forward<F>(f));
}

}  // namespace weir
