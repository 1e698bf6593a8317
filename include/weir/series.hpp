#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <optional>

#include "weir/clock.hpp"
#include "weir/detail/duration.hpp"
#include "weir/pool_options.hpp"
#include "weir/schedule.hpp"
#include "weir/snapshot.hpp"
#include "weir/task_state.hpp"

namespace weir {

namespace detail {
struct series_core;
struct series_record;
struct series_access;
}  // namespace detail

/// What the period of a series is the distance of.
enum class recurrence {
  fixed_rate,   ///< of the due times, which stay on their grid however long runs take
  fixed_delay,  ///< from the end of one run to the next
};

/// What becomes of due times that have passed while a run took long, workers were busy or the clock
/// was moved. A due time has passed when the next one has come as well, or, under `skip`, when it
/// came while the run before was not over. Of a fixed delay none ever has.
enum class catch_up {
  coalesce,  ///< one run for all of them, at once; then on the grid
  burst,     ///< every one of them, one right after the other
  skip,      ///< none of them; the next run is at the next due time to come
};

/// Whether a series goes on when a run of it has thrown. Either way the exception is recorded and
/// goes to `on_unhandled`. A run that throws after its time limit has failed here as well, though
/// its task is `cancelled` and nobody else hears; one that throws since it was cancelled has not.
enum class on_failure {
  go_on,
  stop,  ///< the series ends as `failed`
};

/// Whether a run may start while one before it is not over.
enum class overlap {
  never,
  allow,  ///< the callable is then called on several threads at once
};

/// How the runs of a series follow each other.
struct series_options {
  recurrence mode = recurrence::fixed_rate;
  /// From submission to the first due time. None: one period. Not for a schedule.
  std::optional<std::chrono::nanoseconds> first = {};
  weir::catch_up catch_up = weir::catch_up::coalesce;
  weir::on_failure on_failure = weir::on_failure::go_on;
  weir::overlap overlap = weir::overlap::never;
  /// Every due time is put off by a random length up to this; the grid stays. At most the period;
  /// with a schedule nothing is put off beyond the next time of it.
  std::chrono::nanoseconds jitter = std::chrono::nanoseconds::zero();
  /// Of the jitter: equal seeds, equal lengths. None: one that no other series has.
  std::optional<std::uint64_t> seed = {};
  /// The series ends as `finished` with this run. At least 1.
  std::uint64_t limit = std::numeric_limits<std::uint64_t>::max();
  /// Name and key are those of every run, and the timeout counts for each. The weight is the
  /// series' own, from its submission to its end.
  task_options task = {};
};

/// One run of a series, as its body sees it. The body may take it as an argument; valid until the
/// body returns.
class series_run {
 public:
  /// 1 for the first run.
  [[nodiscard]] std::uint64_t number() const noexcept;
  /// On the pool's clock.
  [[nodiscard]] clock::time_point due() const noexcept;
  /// Of a series that follows a schedule: the civil time that it is due at, without jitter.
  [[nodiscard]] std::optional<std::chrono::system_clock::time_point> wall_due() const noexcept;
  /// Due times without a run of their own since the run before.
  [[nodiscard]] std::uint64_t skipped() const noexcept;
  /// No run comes after this one: the series ends as `finished`.
  void stop() const noexcept;

 private:
  friend struct detail::series_access;
  explicit series_run(detail::series_record& record) noexcept : record_(&record) {}

  detail::series_record* record_;
};

/// A handle of a task that recurs; copies are handles of the same. Dropping it stops nothing. A
/// series holds one waiting place of its pool for life; every run is a task of its own, with a
/// number and an end; a due time that is passed over ends as `cancelled` (`discarded`). It ends by
/// `cancel`, by its limit, with its schedule, by a failure where that is asked for, without memory
/// for its next run, when its schedule throws, and when the pool closes or somebody cancels the run
/// that waits (`cancel_pending`, `abort`).
///
/// Distinct objects: safe. Shared objects: const members and calls through copies are safe. Handles
/// outlive the pool. Members other than `valid` throw `std::future_error(no_state)` on an empty
/// one.
class series {
 public:
  series() noexcept = default;
  series(const series& other) noexcept;
  series(series&& other) noexcept;
  series& operator=(series other) noexcept;
  ~series();

  [[nodiscard]] bool valid() const noexcept { return core_ != nullptr; }
  /// The number of its first run's task.
  [[nodiscard]] std::uint64_t id() const;
  [[nodiscard]] series_state state() const;
  /// The instant at which the next run is due, jitter included; none while one runs, unless runs
  /// may overlap, and after the end.
  [[nodiscard]] std::optional<clock::time_point> next_due() const;
  /// Counts and times from one moment. Throws `std::bad_alloc`.
  [[nodiscard]] series_snapshot snapshot() const;
  /// What the last run that failed has thrown, or what has ended the series; null if nothing has.
  [[nodiscard]] std::exception_ptr last_error() const;

  /// Ends the series: `cancelled` when no body ran, `requested` when one was asked to stop, which
  /// ends the series when it returns, `too_late` when it was over. No run starts after this
  /// returns. May be repeated, also inside the body.
  cancel_result cancel() const;

  /// From now on the series recurs each `period`, for the first time `first` from now, or one
  /// period. A run that is going on is not disturbed. False when the series is over. Throws as
  /// `submit_every`; the other options stay.
  template <class Rep, class Period>
  bool reschedule(std::chrono::duration<Rep, Period> period,
                  std::optional<std::chrono::nanoseconds> first = {}) const {
    return reschedule_each(detail::saturating_nanoseconds(period), first);
  }

  /// The same by a schedule, for a series of either kind. Throws what the schedule throws.
  bool reschedule(std::shared_ptr<const schedule> when) const;

  /// Blocks until the series is over and its last body has returned. Throws
  /// `std::system_error(resource_deadlock_would_occur)` on a worker of its pool, and
  /// `std::system_error(owner_dead)` in the child of a fork, where it never ends.
  void wait() const;
  /// The same with a limit in real time; returns whether it is over.
  template <class Rep, class Period>
  [[nodiscard]] bool wait_for(std::chrono::duration<Rep, Period> limit) const {
    return wait_within(detail::saturating_nanoseconds(limit));
  }

 private:
  friend struct detail::series_access;
  explicit series(detail::series_core* core) noexcept : core_(core) {}

  [[nodiscard]] detail::series_core& checked() const;
  bool reschedule_each(std::chrono::nanoseconds period,
                       std::optional<std::chrono::nanoseconds> first) const;
  bool wait_within(std::chrono::nanoseconds limit) const;

  detail::series_core* core_ = nullptr;
};

}  // namespace weir
