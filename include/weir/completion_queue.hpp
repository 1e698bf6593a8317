#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <stop_token>
#include <utility>

#include "weir/detail/completion_core.hpp"
#include "weir/shared_future.hpp"

namespace weir {

/// Futures in the order in which they finish. Add them, take them; none is lost: one that fails, is
/// cancelled, drained or dropped by a policy is yielded like any other. Destroying the queue
/// neither blocks nor cancels; a failure that nobody has taken is then reported as unread. Distinct
/// objects: safe. Shared objects: safe but for the destructor. Neither copied nor moved. Memory
/// order: what a task did is visible to whoever takes its future.
template <class T>
class completion_queue {
 public:
  completion_queue() : core_(detail::completion_core::make()) {}
  completion_queue(const completion_queue&) = delete;
  completion_queue& operator=(const completion_queue&) = delete;
  ~completion_queue() { core_->close(); }

  /// Takes over a future, finished or not. Throws `std::future_error(no_state)` and
  /// `std::bad_alloc`; then the future is dropped.
  void add(future<T> awaited) { core_->watch(detail::future_access::task(awaited)); }

  /// `add(executor.submit(f, args…))`. Returns a handle to ask or cancel by, the same task that the
  /// queue yields. Throws what `submit` throws; where there is no memory to add what was accepted,
  /// it is cancelled and `std::bad_alloc` thrown.
  template <class Executor, class F, class... Args>
  task_ref submit(Executor&& executor, F&& f, Args&&... args) {
    future<T> made = executor.submit(std::forward<F>(f), std::forward<Args>(args)...);
    task_ref handle = made.ref();
    try {
      add(std::move(made));
    } catch (...) {
      handle.cancel();
      throw;
    }
    return handle;
  }

  /// Blocks until a future has finished and takes it. None: no future is in the queue any more,
  /// that is, `while (auto done = queue.take())` ends. On a worker it blocks that worker.
  [[nodiscard]] std::optional<future<T>> take() { return wrap(core_->take({}, {})); }
  /// The same without blocking: none, too, when no future has finished yet.
  [[nodiscard]] std::optional<future<T>> try_take() { return wrap(core_->try_take()); }
  /// The same with a limit in real time.
  template <class Rep, class Period>
  [[nodiscard]] std::optional<future<T>> take_for(std::chrono::duration<Rep, Period> limit) {
    return wrap(core_->take_within(detail::saturating_nanoseconds(limit)));
  }
  /// The same until a stop of the taker is requested.
  [[nodiscard]] std::optional<future<T>> take(std::stop_token stop) {
    return wrap(core_->take({}, std::move(stop)));
  }

  /// Futures in the queue, finished or not.
  [[nodiscard]] std::size_t size() const noexcept { return core_->size(); }
  /// Those of them that have not finished.
  [[nodiscard]] std::size_t pending() const noexcept { return core_->pending(); }

 private:
  static std::optional<future<T>> wrap(detail::task_base* done) noexcept {
    if (done == nullptr) return std::nullopt;
    return detail::future_access::make(static_cast<detail::result_node<T>*>(done));
  }

  detail::completion_core* const core_;
};

}  // namespace weir
