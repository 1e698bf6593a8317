#pragma once

#include <chrono>
#include <cstddef>
#include <utility>

#include "weir/clock.hpp"
#include "weir/detail/duration.hpp"
#include "weir/detail/executor_verbs.hpp"

namespace weir {

namespace detail {
class manual_core;
}  // namespace detail

/// An executor without threads, for tests: tasks wait until somebody cranks, and run on the thread
/// that does, in the order of their due time, then of their submission. With a `manual_clock` there
/// are delayed tasks too. It can be told to refuse, so that code which must bear refusals can be
/// shown some. Timeouts and weights have no effect.
///
/// Distinct objects: safe. Shared objects: safe, several threads may crank; members must not race
/// the destructor, calls through handles may.
class manual_executor : public detail::executor_verbs<manual_executor> {
 public:
  /// At most `capacity` tasks wait, delayed ones included. The clock outlives the executor.
  explicit manual_executor(std::size_t capacity = unbounded, manual_clock* clock = nullptr);
  explicit manual_executor(manual_clock& clock) : manual_executor(unbounded, &clock) {}

  /// Cancels what waits (`aborted`). Captures are destroyed here.
  ~manual_executor();
  manual_executor(const manual_executor&) = delete;
  manual_executor& operator=(const manual_executor&) = delete;

  /// Accepts a task that is due `delay` from now on the clock. Throws `std::invalid_argument`
  /// without a clock and for a negative delay, else as `submit` does.
  template <class Rep, class Period, class F, class... Args>
  requires detail::task_body<F, Args...>
  auto submit_after(std::chrono::duration<Rep, Period> delay, F&& f, Args&&... args) const {
    return start<true>({}, request_after(detail::saturating_nanoseconds(delay)), std::forward<F>(f),
                       std::forward<Args>(args)...);
  }

  /// Runs the first due task here; false when none is due.
  bool run_one();
  /// Runs what is due now, but not what is submitted meanwhile. Returns how many.
  std::size_t run_ready();
  /// Runs until nothing is due, what is submitted meanwhile included: for ever, if every task
  /// submits another. Returns how many.
  std::size_t run_all();
  /// Moves the clock by `length`, stopping at every due time to run what is due then. Returns how
  /// many tasks ran. Throws `std::invalid_argument` without a clock and for a negative length.
  template <class Rep, class Period>
  std::size_t run_for(std::chrono::duration<Rep, Period> length) {
    return run_within(detail::saturating_nanoseconds(length));
  }

  /// Tasks that wait: due ones, and all.
  [[nodiscard]] std::size_t ready() const;
  [[nodiscard]] std::size_t pending() const;

  /// Refuses the next `count` submissions, whatever room there is.
  void refuse_next(std::size_t count, reject_reason why = reject_reason::saturated);

  /// Refuses from now on (`closed`). What waits may still be run.
  void close() noexcept;
  /// Cancels what waits (`cancelled`). Returns how many.
  std::size_t cancel_pending();

 private:
  friend struct detail::executor_access;
  std::optional<detail::refusal> admit(detail::task_base& task,
                                       detail::admission_request& request) const;
  [[nodiscard]] detail::admission_request request_after(std::chrono::nanoseconds delay) const;
  std::size_t run_within(std::chrono::nanoseconds length);

  detail::manual_core* core_;
};

}  // namespace weir
