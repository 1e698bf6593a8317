#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "weir/clock.hpp"
#include "weir/observer.hpp"
#include "weir/stats.hpp"
#include "weir/task_state.hpp"

namespace weir {

/// One task as it was when it was looked at. Instants are of the pool's clock.
struct task_snapshot {
  std::uint64_t id = 0;
  std::string name;  ///< of an ended task what `pool_options::history` keeps of it
  std::string key;   ///< of a live task
  std::size_t weight = 0;
  task_state state = task_state::queued;
  /// Where it runs or has run: the place of a worker, or `worker_info::k_caller`. None where it has
  /// not started.
  std::optional<std::size_t> worker = {};
  std::optional<clock::time_point> due = {};  ///< of a task that was delayed
  // Of tasks that are measured (`pool_options::timing`).
  std::optional<clock::time_point> submitted = {};
  std::optional<clock::time_point> started = {};
  std::optional<clock::time_point> ended = {};
  std::optional<cancel_reason> reason = {};  ///< if it is cancelled, or asked to stop
  std::optional<weir::cancellation> cancellation = {};

  /// Since its submission, to its end if it has one. None where that was not measured.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> age(clock::time_point now) const noexcept {
    return between(submitted, now);
  }
  /// The same since the start of the body.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> running_for(
      clock::time_point now) const noexcept {
    return between(started, now);
  }

 private:
  [[nodiscard]] std::optional<std::chrono::nanoseconds> between(
      std::optional<clock::time_point> from, clock::time_point now) const noexcept {
    if (!from) return std::nullopt;
    return std::max(std::chrono::nanoseconds::zero(),
                    std::chrono::nanoseconds(ended.value_or(now) - *from));
  }
};

/// Where a series stands.
enum class series_state {
  waiting,   ///< for its next due time
  running,   ///< a body runs
  stopping,  ///< nothing starts any more; a body runs still
  finished,  ///< its limit was reached, its schedule has no further time, or a body has said so
  failed,    ///< a run threw, or there was no memory for the next one
  cancelled,
};

[[nodiscard]] const char* to_string(series_state state) noexcept;

/// A series as it was when it was looked at.
struct series_snapshot {
  std::uint64_t id = 0;  ///< of its first run
  std::string name;
  series_state state = series_state::waiting;
  std::uint64_t runs = 0;                          ///< that have started
  std::uint64_t failures = 0;                      ///< of them, that threw
  std::uint64_t skipped = 0;                       ///< due times without a run of their own
  std::size_t running = 0;                         ///< bodies right now
  std::optional<clock::time_point> next_due = {};  ///< on the pool's clock
  std::optional<std::chrono::system_clock::time_point> next_wall_due = {};  ///< of a schedule
  std::optional<cancel_reason> reason = {};                                 ///< of a cancelled one
};

/// A pool and its live tasks at one moment. Counts and lists agree: `counts.running`, `.queued` and
/// `.delayed` together are what the lists hold, plus `left_out`, plus `ending`.
struct pool_snapshot {
  std::string name;
  bool closed = false;
  bool paused = false;
  bool terminated = false;
  std::size_t core = 0;
  std::size_t max = 0;
  std::size_t capacity = 0;         ///< or `unbounded`
  std::size_t capacity_weight = 0;  ///< or `unbounded`
  clock::time_point taken;          ///< when, for `age` and `running_for`
  pool_counts counts;
  std::vector<task_snapshot> running;   ///< by worker, then those on callers' threads
  std::vector<task_snapshot> queued;    ///< in the order in which they will start
  std::vector<task_snapshot> delayed;   ///< by due time, then by id
  std::vector<series_snapshot> series;  ///< those that are not over, in the order of submission
  std::size_t left_out = 0;             ///< waiting tasks beyond the limit of the call
  /// Counted still, but in no list any more: somebody is just cancelling them.
  std::size_t ending = 0;
};

/// "pool-1: running, 4 workers (1 idle), 3 running, 20 queued, 1 delayed, 977 ended": one line for
/// people. The state is "running", "paused", "closing" or "terminated".
[[nodiscard]] std::string describe(const pool_snapshot& pool);

}  // namespace weir
