#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <stop_token>
#include <utility>
#include <variant>
#include <vector>

#include "weir/detail/admission.hpp"
#include "weir/detail/duration.hpp"
#include "weir/detail/invoke_any.hpp"
#include "weir/detail/series_body.hpp"
#include "weir/detail/task_node.hpp"
#include "weir/drained_task.hpp"
#include "weir/future.hpp"
#include "weir/pool_options.hpp"
#include "weir/schedule.hpp"
#include "weir/series.hpp"
#include "weir/snapshot.hpp"
#include "weir/stats.hpp"
#include "weir/submission.hpp"

namespace weir {

/// A bounded pool of workers with one queue: tasks start in the order of their due time, then of
/// their submission. That is exact with one worker, with an injected clock, and for tasks of more
/// than two microseconds; shorter ones may overtake a few that another worker has claimed, which
/// stay queued, cancellable and open to all workers until they start. With W workers allowed and a
/// capacity of Q it holds W + Q tasks, never one more, and never refuses a due task while a worker
/// is free.
///
/// Distinct objects: safe. Shared objects: safe, except that members must not race the destructor;
/// calls through handles may. Neither copied nor moved. No member is async-signal-safe. Memory
/// order: what the caller did before a submitting verb is visible to the body. Fork: in the child
/// the pool is closed and without threads, submissions are refused (`forked`), `join`, `wait_idle`
/// and the destructor return at once.
class thread_pool {
 public:
  /// Threads that one pool may have at most.
  static constexpr std::size_t max_workers = 32767;

  /// Starts no thread. Throws `std::invalid_argument` before anything else happens when the options
  /// contradict themselves.
  explicit thread_pool(pool_options options);

  /// `workers` threads at most, `capacity` waiting places; both at least 1.
  static thread_pool fixed(std::size_t workers, std::size_t capacity);
  /// No waiting place: every task is taken by a free worker, or by a new one up to `max`, or
  /// refused.
  static thread_pool cached(std::size_t max, std::chrono::nanoseconds keep_alive);

  /// Closes, cancels what is not yet due, lets ready and running work finish and joins the workers.
  /// On one of its own workers it does the same without joining: the workers finish and free the
  /// rest.
  ~thread_pool();
  thread_pool(const thread_pool&) = delete;
  thread_pool& operator=(const thread_pool&) = delete;

  // Submitting. Every verb takes a callable and its arguments, and task_options before them if
  // wanted. Each throws `std::invalid_argument` for an empty callable and `std::bad_alloc`, both
  // before anything changes. A refused callable is left intact if its move cannot throw.

  /// Accepts a task that is due now and returns its future. No room: the saturation policy decides.
  /// Throws `rejected`.
  template <class F, class... Args>
  requires detail::task_body<F, Args...>
  auto submit(F&& f, Args&&... args) {
    return start_at_once<true>(std::forward<F>(f), std::forward<Args>(args)...);
  }
  template <class F, class... Args>
  requires detail::task_body<F, Args...>
  auto submit(const task_options& options, F&& f, Args&&... args) {
    return start<true>(options, {}, std::forward<F>(f), std::forward<Args>(args)...);
  }

  /// The same without a future: an exception of the body goes to `on_unhandled`.
  template <class F, class... Args>
  requires detail::task_body<F, Args...>
  void execute(F&& f, Args&&... args) {
    start_at_once<false>(std::forward<F>(f), std::forward<Args>(args)...);
  }
  template <class F, class... Args>
  requires detail::task_body<F, Args...>
  void execute(const task_options& options, F&& f, Args&&... args) {
    start<false>(options, {}, std::forward<F>(f), std::forward<Args>(args)...);
  }

  /// Accepts a task that is due `delay` from now on the pool's clock. It takes a waiting place
  /// until it starts, and never starts early. A negative delay, or one past the end of time, is
  /// `std::invalid_argument`. Throws `rejected`.
  template <class Rep, class Period, class F, class... Args>
  requires detail::task_body<F, Args...>
  auto submit_after(std::chrono::duration<Rep, Period> delay, F&& f, Args&&... args) {
    return start<true>({}, request_after(detail::saturating_nanoseconds(delay)), std::forward<F>(f),
                       std::forward<Args>(args)...);
  }
  template <class Rep, class Period, class F, class... Args>
  requires detail::task_body<F, Args...>
  auto submit_after(const task_options& options, std::chrono::duration<Rep, Period> delay, F&& f,
                    Args&&... args) {
    return start<true>(options, request_after(detail::saturating_nanoseconds(delay)),
                       std::forward<F>(f), std::forward<Args>(args)...);
  }

  /// The same for an instant of the pool's clock; one that has passed is due now.
  template <class F, class... Args>
  requires detail::task_body<F, Args...>
  auto submit_at(clock::time_point due, F&& f, Args&&... args) {
    return start<true>({}, request_at(due), std::forward<F>(f), std::forward<Args>(args)...);
  }
  template <class F, class... Args>
  requires detail::task_body<F, Args...>
  auto submit_at(const task_options& options, clock::time_point due, F&& f, Args&&... args) {
    return start<true>(options, request_at(due), std::forward<F>(f), std::forward<Args>(args)...);
  }

  /// The same for a civil time: the task runs when the clock on the wall shows it, also when that
  /// is set meanwhile. The first such task on real time starts a thread that sleeps until somebody
  /// sets the system's clock; where it cannot be had this throws `std::system_error`.
  template <class Length, class F, class... Args>
  requires detail::task_body<F, Args...>
  auto submit_at(std::chrono::time_point<std::chrono::system_clock, Length> due, F&& f,
                 Args&&... args) {
    return start<true>({}, request_at(detail::rounded_up(due)), std::forward<F>(f),
                       std::forward<Args>(args)...);
  }
  template <class Length, class F, class... Args>
  requires detail::task_body<F, Args...>
  auto submit_at(const task_options& options,
                 std::chrono::time_point<std::chrono::system_clock, Length> due, F&& f,
                 Args&&... args) {
    return start<true>(options, request_at(detail::rounded_up(due)), std::forward<F>(f),
                       std::forward<Args>(args)...);
  }

  // Recurring. A series holds one waiting place from here to its end, so that no later run can be
  // refused. The callable is called once a run; it may take a `std::stop_token`, a
  // `const series_run&`, or both in that order.

  /// Runs `f` every `period`. Throws `std::invalid_argument` for a period that is not positive and
  /// for options that contradict each other, and `rejected`, as `submit_after` does. Without memory
  /// for its next run a series ends as `failed`.
  template <class Rep, class Period, class F>
  requires detail::recurring_body<std::decay_t<F>> series submit_every(
      std::chrono::duration<Rep, Period> period, F&& f, const series_options& options = {}) {
    return start_series({detail::saturating_nanoseconds(period), options.first, nullptr},
                        std::forward<F>(f), options);
  }
  /// Runs `f` at the times of `when` from now on, which are civil times: what `submit_at` says of
  /// them holds. After the clock was set back nothing runs again for times that have been. What
  /// `when` throws ends the series as `failed`. Throws `std::invalid_argument` where nothing is to
  /// come.
  template <class F>
  requires detail::recurring_body<std::decay_t<F>> series
  submit_on(std::shared_ptr<const schedule> when, F&& f, const series_options& options = {}) {
    return start_series(detail::times_of(std::move(when), options), std::forward<F>(f), options);
  }

  // The try_ verbs ask for room and report: no exception for a refusal, and no saturation policy.

  /// Accepts a task that is due now, or says why not; then the callable is still with the caller.
  /// Does not block.
  template <class F, class... Args>
  requires detail::task_body<F, Args...>
  auto try_submit(F&& f, Args&&... args) {
    return attempt({}, detail::admission_request::without_waiting(), std::forward<F>(f),
                   std::forward<Args>(args)...);
  }
  template <class F, class... Args>
  requires detail::task_body<F, Args...>
  auto try_submit(const task_options& options, F&& f, Args&&... args) {
    return attempt(options, detail::admission_request::without_waiting(), std::forward<F>(f),
                   std::forward<Args>(args)...);
  }

  /// The same for a task that is due `delay` from now. A bad delay throws as in `submit_after`.
  template <class Rep, class Period, class F, class... Args>
  requires detail::task_body<F, Args...>
  auto try_submit_after(std::chrono::duration<Rep, Period> delay, F&& f, Args&&... args) {
    auto request = request_after(detail::saturating_nanoseconds(delay));
    request.how = detail::admission_request::mode::try_once;
    return attempt({}, std::move(request), std::forward<F>(f), std::forward<Args>(args)...);
  }

  /// The same for a task that recurs: `submit_every`, `submit_on`. What they throw for bad
  /// arguments is thrown here as well.
  template <class Rep, class Period, class F>
  requires detail::recurring_body<std::decay_t<F>> series_submission try_submit_every(
      std::chrono::duration<Rep, Period> period, F&& f, const series_options& options = {}) {
    return attempt_series({detail::saturating_nanoseconds(period), options.first, nullptr},
                          std::forward<F>(f), options);
  }
  template <class F>
  requires detail::recurring_body<std::decay_t<F>> series_submission
  try_submit_on(std::shared_ptr<const schedule> when, F&& f, const series_options& options = {}) {
    return attempt_series(detail::times_of(std::move(when), options), std::forward<F>(f), options);
  }

  /// Waits for room at most `limit` of real time, behind whoever waits already.
  template <class Rep, class Period, class F, class... Args>
  requires detail::task_body<F, Args...>
  auto try_submit_for(std::chrono::duration<Rep, Period> limit, F&& f, Args&&... args) {
    return attempt({}, request_within(detail::saturating_nanoseconds(limit), {}),
                   std::forward<F>(f), std::forward<Args>(args)...);
  }
  /// The same until `stop` is set, whichever comes first.
  template <class Rep, class Period, class F, class... Args>
  requires detail::task_body<F, Args...>
  auto try_submit_for(std::chrono::duration<Rep, Period> limit, std::stop_token stop, F&& f,
                      Args&&... args) {
    return attempt({}, request_within(detail::saturating_nanoseconds(limit), std::move(stop)),
                   std::forward<F>(f), std::forward<Args>(args)...);
  }
  template <class F, class... Args>
  requires detail::task_body<F, Args...>
  auto try_submit_until(std::chrono::steady_clock::time_point until, F&& f, Args&&... args) {
    return attempt({}, detail::admission_request::waiting_until(until, {}), std::forward<F>(f),
                   std::forward<Args>(args)...);
  }
  template <class F, class... Args>
  requires detail::task_body<F, Args...>
  auto try_submit_until(std::chrono::steady_clock::time_point until, std::stop_token stop, F&& f,
                        Args&&... args) {
    return attempt({}, detail::admission_request::waiting_until(until, std::move(stop)),
                   std::forward<F>(f), std::forward<Args>(args)...);
  }

  /// The same with task_options before them.
  template <class Rep, class Period, class F, class... Args>
  requires detail::task_body<F, Args...>
  auto try_submit_after(const task_options& options, std::chrono::duration<Rep, Period> delay,
                        F&& f, Args&&... args) {
    auto request = request_after(detail::saturating_nanoseconds(delay));
    request.how = detail::admission_request::mode::try_once;
    return attempt(options, std::move(request), std::forward<F>(f), std::forward<Args>(args)...);
  }
  template <class Rep, class Period, class F, class... Args>
  requires detail::task_body<F, Args...>
  auto try_submit_for(const task_options& options, std::chrono::duration<Rep, Period> limit,
                      std::stop_token stop, F&& f, Args&&... args) {
    return attempt(options, request_within(detail::saturating_nanoseconds(limit), std::move(stop)),
                   std::forward<F>(f), std::forward<Args>(args)...);
  }
  template <class F, class... Args>
  requires detail::task_body<F, Args...>
  auto try_submit_until(const task_options& options, std::chrono::steady_clock::time_point until,
                        std::stop_token stop, F&& f, Args&&... args) {
    return attempt(options, detail::admission_request::waiting_until(until, std::move(stop)),
                   std::forward<F>(f), std::forward<Args>(args)...);
  }

  /// Submits every callable of a range in one publication. Under `reject` all are accepted or none;
  /// under the other policies one after the other. Callables are copied from an lvalue, moved from
  /// an rvalue.
  template <std::ranges::input_range Range>
  auto submit_all(Range&& tasks);

  /// Submits all and waits until all are terminal; the futures keep the order of the range. A
  /// failure stays in its own future. When this throws, what it had submitted is cancelled.
  template <std::ranges::input_range Range>
  auto invoke_all(Range&& tasks);
  /// The same with a limit in real time: what is not finished then has been cancelled, or, where it
  /// runs, asked to stop. No future is left out. The limit is that of the wait: where the policy
  /// is `block`, submitting may wait for room before.
  template <class Rep, class Period, std::ranges::input_range Range>
  auto invoke_all_for(std::chrono::duration<Rep, Period> limit, Range&& tasks);

  /// Submits all and returns the result of one that succeeded; the others are cancelled. Throws the
  /// last failure when none did, and `std::invalid_argument` for an empty range.
  template <std::ranges::forward_range Range>
  auto invoke_any(Range&& tasks);
  /// The same with a limit in real time; throws `timed_out`, and all are cancelled, when nobody has
  /// succeeded by then.
  template <class Rep, class Period, std::ranges::forward_range Range>
  auto invoke_any_for(std::chrono::duration<Rep, Period> limit, Range&& tasks);

  // Changing while it runs. A setter throws `std::invalid_argument`, and changes nothing, where the
  // constructor would. Lowering a limit evicts nothing: it refuses until below, and workers beyond
  // leave after their task. Running bodies notice nothing, and a value that stands already changes
  // nothing: idle workers' keep-alive goes on.

  void set_core(std::size_t workers);
  void set_max(std::size_t workers);
  /// Both at once, where one after the other would contradict itself in between.
  void set_sizes(std::size_t core, std::size_t max);
  void set_keep_alive(std::chrono::nanoseconds length);
  void set_core_may_time_out(bool allowed);
  void set_capacity(std::size_t places);
  void set_capacity_weight(std::size_t weight);
  /// Decides from the next submission on.
  void set_saturation(std::variant<saturation, saturation_function> policy);

  [[nodiscard]] std::size_t core() const noexcept;
  [[nodiscard]] std::size_t max() const noexcept;
  [[nodiscard]] std::chrono::nanoseconds keep_alive() const noexcept;
  [[nodiscard]] bool core_may_time_out() const noexcept;
  [[nodiscard]] std::size_t capacity() const noexcept;
  [[nodiscard]] std::size_t capacity_weight() const noexcept;

  /// Starts a worker if there are fewer than `core`; whether it did.
  bool prestart_one() noexcept;
  /// Starts workers up to `core`; how many.
  std::size_t prestart_core() noexcept;

  /// Starts nothing more until `resume`: running bodies go on, submissions fill the waiting places
  /// and no more. Throws `std::bad_alloc`, and nothing has changed. Idempotent. Closing and ending
  /// work as ever; the destructor resumes.
  void pause();
  void resume() noexcept;
  [[nodiscard]] bool paused() const noexcept;

  // Ending.

  /// Stops admission. Accepted work still runs, delayed tasks when due. Idempotent; does not wait.
  void close() noexcept;
  /// Closes, cancels queued tasks (`aborted`) and asks running ones to stop; captures of the
  /// cancelled and stop callbacks run here. Returns how many queued tasks were cancelled.
  std::size_t abort();
  /// Closes, hands queued tasks back in their order and asks running ones to stop.
  [[nodiscard]] std::vector<drained_task> shutdown_now();
  /// Cancels queued tasks and leaves running ones alone. Returns how many.
  std::size_t cancel_pending();

  /// Blocks until closed and everything has finished; does not close. Throws
  /// `std::system_error(resource_deadlock_would_occur)` on one of the pool's own workers.
  void join();
  /// The same with a limit in real time. False: unfinished work remains, nothing was stopped.
  template <class Rep, class Period>
  [[nodiscard]] bool join_for(std::chrono::duration<Rep, Period> limit) {
    return join_within(detail::saturating_nanoseconds(limit));
  }
  /// close, join_for(grace), then shutdown_now with the drained tasks dropped, so cancelled.
  /// Returns whether everything had finished within the grace.
  template <class Rep, class Period>
  bool shutdown(std::chrono::duration<Rep, Period> grace) {
    return shutdown_within(detail::saturating_nanoseconds(grace));
  }
  /// Blocks until no task is queued, delayed or running, and what follows one (`future::then`) is
  /// over. Throws as `join` does.
  void wait_idle();
  template <class Rep, class Period>
  [[nodiscard]] bool wait_idle_for(std::chrono::duration<Rep, Period> limit) {
    return wait_idle_within(detail::saturating_nanoseconds(limit));
  }

  // Asking.

  /// Whether it takes nothing more.
  [[nodiscard]] bool closed() const noexcept;
  /// Whether it is closed, everything has finished and no worker is left.
  [[nodiscard]] bool terminated() const noexcept;
  /// Set by `abort` and `shutdown_now`.
  [[nodiscard]] std::stop_token stop_token() const noexcept;
  /// What the pool has done and holds. Blocks for no longer than it takes to copy numbers.
  [[nodiscard]] pool_stats stats() const;
  /// The histograms behind the summaries in `stats`.
  [[nodiscard]] pool_timings timings() const;
  /// The pool and its live tasks: all that run, and `limit` at most of those that wait, first those
  /// that are due, in their order; of more delayed tasks than that the earliest and any others. The
  /// pool's lock is held for some ten nanoseconds for each task listed; memory is taken before and
  /// names are copied after. Throws `std::bad_alloc`.
  [[nodiscard]] pool_snapshot snapshot(std::size_t limit = 10000) const;
  /// The task with this number, if it is live or the pool's history knows it. O(live tasks).
  [[nodiscard]] std::optional<task_snapshot> find(std::uint64_t id) const;
  /// When the earliest delayed task is due, on the pool's clock; none when no such task waits.
  [[nodiscard]] std::optional<clock::time_point> next_due() const noexcept;
  /// A handle of the live task with this number, to cancel it or to wait for it; `valid()` is false
  /// when there is none. O(live tasks).
  [[nodiscard]] task_ref ref(std::uint64_t id) const;
  [[nodiscard]] const std::string& name() const noexcept;
  /// Workers that exist right now.
  [[nodiscard]] std::size_t size() const noexcept;

 private:
  friend struct detail::executor_access;

  template <class F, class... Args>
  using result_of = detail::body_result<F, Args...>;

  /// Asks for admission of a task: why it was refused, if it was. Then the callable is back with
  /// the caller and the task gone.
  template <bool HasFuture, class Node, class F, class... Args>
  std::optional<detail::refusal> offer(Node* node, const task_options& options,
                                       detail::admission_request& request, F&& f, Args&&... args);
  template <bool HasFuture, class F, class... Args>
  auto start_at_once(F&& f, Args&&... args);
  template <bool HasFuture, class F, class... Args>
  auto start(const task_options& options, detail::admission_request request, F&& f, Args&&... args);
  template <class F, class... Args>
  auto attempt(const task_options& options, detail::admission_request request, F&& f,
               Args&&... args);

  [[nodiscard]] detail::admission_request request_after(std::chrono::nanoseconds delay) const;
  [[nodiscard]] detail::admission_request request_at(clock::time_point due) const;
  [[nodiscard]] detail::admission_request request_at(
      std::chrono::system_clock::time_point due) const;
  /// Asks for admission of a series, as `offer` does of a task.
  template <class F>
  std::optional<detail::refusal> offer_series(const detail::series_times& times, F&& f,
                                              const series_options& options,
                                              detail::admission_request::mode how, series& made);
  template <class F>
  series start_series(const detail::series_times& times, F&& f, const series_options& options);
  template <class F>
  series_submission attempt_series(const detail::series_times& times, F&& f,
                                   const series_options& options);
  std::optional<detail::refusal> admit_series(std::unique_ptr<detail::series_body>& body,
                                              const detail::series_times& times,
                                              const series_options& options,
                                              detail::admission_request::mode how, series& made);
  static detail::admission_request request_within(std::chrono::nanoseconds limit,
                                                  std::stop_token stop);

  template <class Futures, class Range>
  void submit_range(Range&& tasks, Futures& futures);
  template <class Range>
  auto invoke_all_until(std::optional<clock::time_point> until, Range&& tasks);
  template <class Range>
  auto invoke_any_until(std::optional<clock::time_point> until, Range&& tasks);
  template <class Futures>
  static std::optional<std::size_t> await_winner(detail::race& race, Futures& futures,
                                                 std::optional<clock::time_point> until);
  [[nodiscard]] static clock::time_point real_time_in(std::chrono::nanoseconds limit) noexcept;

  /// None = accepted or dealt with by the policy; then the pool owns its reference of the task.
  std::optional<detail::refusal> admit(detail::task_base& task, detail::admission_request& request);
  /// False: nothing has happened, `admit` must decide.
  [[nodiscard]] bool admit_at_once(detail::task_base& task) noexcept;
  /// Leaves in `tasks` those that are the pool's now, also when it throws.
  std::optional<detail::refusal> admit_all(std::vector<detail::task_base*>& tasks);

  bool join_within(std::chrono::nanoseconds limit);
  bool shutdown_within(std::chrono::nanoseconds grace);
  bool wait_idle_within(std::chrono::nanoseconds limit);

  detail::pool_core* core_;
};

}  // namespace weir

#include "weir/detail/thread_pool_inline.hpp"
