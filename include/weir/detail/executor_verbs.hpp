#pragma once

#include <optional>
#include <utility>

#include "weir/detail/admission.hpp"
#include "weir/detail/detached.hpp"
#include "weir/detail/task_node.hpp"
#include "weir/future.hpp"
#include "weir/pool_options.hpp"
#include "weir/submission.hpp"

namespace weir::detail {

struct executor_access {
  /// Whether E takes a task as it is, without a callable around it.
  template <class E>
  static constexpr bool k_native = requires(E& executor, task_base& task,
                                            admission_request& request) {
    executor.admit(task, request);
  };

  template <class E>
  static std::optional<refusal> admit(E& executor, task_base& task, admission_request& request) {
    return executor.admit(task, request);
  }
};

/// The submitting verbs of an executor. `Self` has a member
/// `std::optional<refusal> admit(task_base&, admission_request&) const`, open to executor_access:
/// none = the executor owns its reference of the task. What it throws, it throws before that, or
/// after having set `*request.accepted`.
///
/// Every verb takes a callable and its arguments, and task_options before them if wanted. Each
/// throws `std::invalid_argument` for an empty callable and `std::bad_alloc`, both before anything
/// changes. A refused callable is left intact if its move cannot throw. Memory order: what the
/// caller did before is visible to the body.
template <class Self>
class executor_verbs {
 public:
  /// Hands a task over and returns its future. Throws `rejected`.
  template <class F, class... Args>
  requires task_body<F, Args...>
  auto submit(F&& f, Args&&... args) const {
    return start<true>({}, {}, std::forward<F>(f), std::forward<Args>(args)...);
  }
  template <class F, class... Args>
  requires task_body<F, Args...>
  auto submit(const task_options& options, F&& f, Args&&... args) const {
    return start<true>(options, {}, std::forward<F>(f), std::forward<Args>(args)...);
  }

  /// The same without a future: an exception of the body goes to `on_unhandled` of the pool that
  /// lends the thread, else to stderr.
  template <class F, class... Args>
  requires task_body<F, Args...>
  void execute(F&& f, Args&&... args) const {
    start<false>({}, {}, std::forward<F>(f), std::forward<Args>(args)...);
  }
  template <class F, class... Args>
  requires task_body<F, Args...>
  void execute(const task_options& options, F&& f, Args&&... args) const {
    start<false>(options, {}, std::forward<F>(f), std::forward<Args>(args)...);
  }

  /// Asks for room and reports: no exception for a refusal, and no saturation policy.
  template <class F, class... Args>
  requires task_body<F, Args...>
  auto try_submit(F&& f, Args&&... args) const {
    return attempt({}, std::forward<F>(f), std::forward<Args>(args)...);
  }
  template <class F, class... Args>
  requires task_body<F, Args...>
  auto try_submit(const task_options& options, F&& f, Args&&... args) const {
    return attempt(options, std::forward<F>(f), std::forward<Args>(args)...);
  }

 protected:
  executor_verbs() = default;
  executor_verbs(const executor_verbs&) = default;
  executor_verbs& operator=(const executor_verbs&) = default;
  ~executor_verbs() = default;

  template <bool HasFuture, class F, class... Args>
  auto start(const task_options& options, admission_request request, F&& f, Args&&... args) const {
    auto* node = make_node<HasFuture>(std::forward<F>(f), std::forward<Args>(args)...);
    const auto refused =
        offer<HasFuture>(node, options, request, std::forward<F>(f), std::forward<Args>(args)...);
    if (refused) throw rejected(refused->why, refused->text);
    if constexpr (HasFuture) return future_access::make<body_result<F, Args...>>(node);
  }

  template <class F, class... Args>
  auto attempt(const task_options& options, F&& f, Args&&... args) const {
    using value = body_result<F, Args...>;
    auto* node = make_node<true>(std::forward<F>(f), std::forward<Args>(args)...);
    auto request = admission_request::without_waiting();
    const auto refused =
        offer<true>(node, options, request, std::forward<F>(f), std::forward<Args>(args)...);
    if (refused) return submission<value>(refused->why);
    return submission<value>(future_access::make<value>(node));
  }

 private:
  /// Why the task was refused, if it was: then the callable is back with the caller.
  template <bool HasFuture, class Node, class F, class... Args>
  std::optional<refusal> offer(Node* node, const task_options& options, admission_request& request,
                               F&& f, Args&&... args) const {
    const auto give_back = [&]() noexcept {
      return_to_caller(node, std::forward<F>(f), std::forward<Args>(args)...);
    };
    bool accepted = false;
    request.accepted = &accepted;
    std::optional<refusal> refused;
    try {
      if (options.any()) set_options(*node, options);
      refused = executor_access::admit(static_cast<const Self&>(*this), *node, request);
    } catch (...) {
      if (!accepted) {
        give_back();
      } else if constexpr (HasFuture) {
        release(node);  // what would have been the future's
      }
      throw;
    }
    if (refused) give_back();
    return refused;
  }
};

}  // namespace weir::detail
