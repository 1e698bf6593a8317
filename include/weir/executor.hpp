#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "weir/detail/executor_verbs.hpp"
#include "weir/future.hpp"
#include "weir/pool_options.hpp"
#include "weir/submission.hpp"

namespace weir {

namespace detail {

/// What the concept asks with: a callable that can only be moved.
struct executor_probe {
  std::unique_ptr<int> held;
  int operator()() { return 0; }
};

}  // namespace detail

/// Who brings tasks to a thread: a pool, a strand, a limiter, an executor of your own.
///
/// `submit` returns the task's future and `execute` nothing; both throw `rejected` when they refuse
/// it. `try_submit` answers instead, and follows no policy that would wait, run the task here or
/// drop another. A refused callable is left intact if its move cannot throw. An accepted one is run
/// once, or destroyed unrun.
template <class E>
concept executor = requires(E& on, const task_options& options, detail::executor_probe task) {
  { on.submit(std::move(task)) } -> std::same_as<future<int>>;
  { on.submit(options, std::move(task)) } -> std::same_as<future<int>>;
  on.execute(std::move(task));
  on.execute(options, std::move(task));
  { on.try_submit(std::move(task)) } -> std::same_as<submission<int>>;
  { on.try_submit(options, std::move(task)) } -> std::same_as<submission<int>>;
};

/// Any executor behind one type: two words, not owning, copied freely, never empty. It is an
/// executor itself and adds nothing: refusals, cancellation and order are those of what it refers
/// to, which must outlive it. To weir's own executors a task is handed as it is; around a foreign
/// one's it costs a second allocation, and a cancelled task is gone at once but its shell is not.
/// Distinct and shared objects: safe.
class executor_ref : public detail::executor_verbs<executor_ref> {
 public:
  template <executor E>
  requires(!std::is_same_v<std::remove_cv_t<E>, executor_ref>) executor_ref(E& on)
  noexcept : on_(const_cast<std::remove_const_t<E>*>(std::addressof(on))), admit_(&admit_to<E>) {}

  /// Whether both refer to the same object.
  friend bool operator==(const executor_ref& left, const executor_ref& right) noexcept {
    return left.on_ == right.on_;
  }

 private:
  friend struct detail::executor_access;

  std::optional<detail::refusal> admit(detail::task_base& task,
                                       detail::admission_request& request) const {
    return admit_(on_, task, request);
  }

  template <class E>
  static std::optional<detail::refusal> admit_to(void* on, detail::task_base& task,
                                                 detail::admission_request& request) {
    E& executor = *static_cast<E*>(on);
    if constexpr (detail::executor_access::k_native<E>) {
      return detail::executor_access::admit(executor, task, request);
    } else {
      return wrap(executor, task, request);
    }
  }

  /// Brings the task inside a callable that runs it, and cancels it when dropped.
  template <class E>
  static std::optional<detail::refusal> wrap(E& executor, detail::task_base& task,
                                             detail::admission_request& request) {
    detail::detach(task);
    detail::detached_task shell(&task);
    try {
      if (request.how == detail::admission_request::mode::try_once) {
        auto answer = executor.try_submit(std::move(shell));
        if (!answer && shell.valid()) {
          (void)shell.detach();
          return detail::refusal{answer.why()};
        }
      } else {
        executor.execute(std::move(shell));
      }
    } catch (const rejected& refused) {
      if (!shell.valid()) return std::nullopt;  // dropped, so cancelled: its future says so
      (void)shell.detach();
      return detail::refusal{refused.why(), refused.what()};
    } catch (...) {
      if (shell.valid()) {
        (void)shell.detach();
      } else {
        *request.accepted = true;
      }
      throw;
    }
    return std::nullopt;
  }

  void* on_;
  std::optional<detail::refusal> (*admit_)(void*, detail::task_base&, detail::admission_request&);
};

static_assert(executor<executor_ref>);

}  // namespace weir
