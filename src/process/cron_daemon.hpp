#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/thread_annotations.hpp"
#include "process/command.hpp"
#include "process/cron_table.hpp"
#include "process/run_counts.hpp"
#include "sync/mutex.hpp"
#include "weir/clock.hpp"
#include "weir/series.hpp"
#include "weir/thread_pool.hpp"

namespace weir::process {

/// How the lines of a table are run.
struct cron_policies {
  static constexpr std::size_t k_default_jobs = 64;

  std::size_t jobs = k_default_jobs;       ///< commands at a time
  weir::overlap overlap = overlap::never;  ///< `never`: a line that still goes on is passed over
  catch_up misfire = catch_up::coalesce;   ///< due times at which nobody could act
  std::chrono::nanoseconds jitter{0};
  weir::clock* clock = nullptr;  ///< null: real time
};

/// One run of a line, as those see it who run it or hear of it.
struct cron_run {
  const cron_job& job;
  std::uint64_t line = 0;    ///< where it stands in the table that holds now
  std::uint64_t number = 0;  ///< of all runs, from 1; 0: none was started
  /// The civil time that it was due at, without jitter; none where none was: `@reboot`.
  std::optional<std::chrono::system_clock::time_point> due = {};
};

/// Why a line was not run at a due time.
enum class cron_skip {
  goes_on,    ///< its last run still goes on, or waits for a place
  missed,     ///< nobody could act then: the process or the machine slept, or the clock was set
  withdrawn,  ///< it is no longer in the table
};

/// Hears what a daemon does, on any thread, outside of locks. Only `ended` may block, for it is
/// called by whoever ran the command.
class cron_listener {
 public:
  virtual void started(const cron_run& run) = 0;
  virtual void ended(const cron_run& run, finished_command&& how) = 0;
  /// `count` due times, `total` of this line so far.
  virtual void skipped(const cron_run& run, cron_skip why, std::uint64_t count,
                       std::uint64_t total) = 0;
  /// Something that weir itself failed at.
  virtual void trouble(const std::string& what) = 0;

 protected:
  ~cron_listener() = default;
};

/// What a new table has changed.
struct cron_changes {
  std::size_t kept = 0;
  std::size_t added = 0;
  std::size_t removed = 0;
};

/// A daemon at one moment: what runs, and what each line does next.
struct cron_view {
  using wall_point = std::chrono::system_clock::time_point;

  struct run {
    std::uint64_t number = 0;
    std::uint64_t line = 0;
    std::string command;   ///< an excerpt
    bool retired = false;  ///< its line is no longer in the table
    std::chrono::nanoseconds elapsed{0};
  };
  struct line {
    std::uint64_t number = 0;        ///< where it stands
    std::string command;             ///< an excerpt
    std::optional<wall_point> next;  ///< jitter included; none where none is to come
    bool waiting = false;            ///< a run of it has no place yet
    std::uint64_t owed = 0;          ///< further runs of a burst
    std::size_t running = 0;
    std::uint64_t runs = 0;      ///< that have started
    std::uint64_t failures = 0;  ///< of them, that failed or timed out
    std::uint64_t skipped = 0;   ///< due times that were passed over
  };

  wall_point now;
  std::vector<run> running;  ///< in the order of their numbers
  std::vector<line> lines;   ///< in the order of the table
  run_counts counts;
};

/// Runs the lines of a table when they are due. Shared objects: safe; one thread at a time calls
/// `start`, `replace` and `run_each`. Protocol: docs/design/cron-daemon.md.
class cron_daemon {
 public:
  /// Runs one command to its end, on a worker; the seam for tests.
  using runner = std::function<finished_command(const cron_run& run)>;

  /// Borrows the listener.
  cron_daemon(const cron_policies& policies, runner run, cron_listener& listener);
  /// Closes, and waits for what runs.
  ~cron_daemon();
  cron_daemon(const cron_daemon&) = delete;
  cron_daemon& operator=(const cron_daemon&) = delete;

  /// Enters the first table; its `@reboot` lines are due now.
  void start(cron_table&& table);
  /// Another table holds from now on. Lines that are in both go on undisturbed, the others of the
  /// old one start no more; what runs is let run.
  cron_changes replace(cron_table&& table);
  /// Instead of `start`: every line is due now, once, in the order of the table.
  void run_each(cron_table&& table);

  /// Nothing starts any more; what runs is let run. Idempotent.
  void close();
  /// Blocks until no command runs, at most `limit` of real time; whether that is so. Call it after
  /// `close`, or after `run_each`.
  [[nodiscard]] bool wait_for(std::chrono::nanoseconds limit);
  void wait();

  [[nodiscard]] run_counts counts() const;
  /// Due times that were passed over since the start.
  [[nodiscard]] std::uint64_t skips() const;
  [[nodiscard]] std::size_t lines() const;
  /// When the next line is due, on the clock of the daemon; none if none is. For the thread that
  /// calls `start`.
  [[nodiscard]] std::optional<weir::clock::time_point> next_due() const;
  /// What runs and what each line does next. Blocks for no longer than it takes to copy that.
  [[nodiscard]] cron_view look() const;
  /// Lines of which a run waits for its place.
  [[nodiscard]] std::size_t waiting() const;

 private:
  using wall_point = std::chrono::system_clock::time_point;

  // One line of the table; those of an older one live as long as a run of theirs. The job is
  // constant; the series is changed by the thread that enters alone, and under state_, so that
  // thread reads it without; the rest is guarded by state_.
  struct cron_line {
    cron_job job;
    weir::series series;
    std::uint64_t number = 0;  // where it stands now
    bool waiting = false;      // a run of it is in the pool and has not started
    std::size_t running = 0;
    std::uint64_t owed = 0;     // runs of a burst that are to come one after the other
    std::uint64_t skipped = 0;  // due times
    std::uint64_t told = 0;     // of them, that are the series' own count
    std::uint64_t runs = 0;
    std::uint64_t failures = 0;
    wall_point decided{};  // when the last run was decided on
    std::optional<wall_point> due = {};
    bool retired = false;
  };
  using line_ref = std::shared_ptr<cron_line>;

  /// A run whose command has been started and whose output may still be written.
  struct live_run {
    line_ref line;
    weir::clock::time_point since;
  };

  [[nodiscard]] weir::clock& clock() const;
  static line_ref make_line(cron_job&& job);
  void enter(const line_ref& line);
  void fire(const line_ref& line, const series_run& run);
  void start_run(const line_ref& line);
  void work(const line_ref& line);
  void run_and_report(cron_line& line, std::uint64_t number, std::optional<wall_point> due);
  std::uint64_t begin(const line_ref& line, std::optional<wall_point>& due);
  [[nodiscard]] bool blocked_locked(const cron_line& line) const WEIR_REQUIRES(state_);
  void wait_locked(cron_line& line, wall_point now, std::optional<wall_point> due)
      WEIR_REQUIRES(state_);
  bool take_owed_locked(cron_line& line) WEIR_REQUIRES(state_);
  void count_locked(cron_line& line, outcome how) WEIR_REQUIRES(state_);
  void skip(const line_ref& line, cron_skip why, std::uint64_t count,
            std::optional<wall_point> due);

  const cron_policies policies_;
  const runner run_;
  cron_listener& listener_;

  mutable sync::mutex state_;
  std::vector<line_ref> lines_ WEIR_GUARDED_BY(state_);
  std::map<std::uint64_t, live_run> live_ WEIR_GUARDED_BY(state_);  // by number
  run_counts counts_ WEIR_GUARDED_BY(state_);
  std::uint64_t runs_ WEIR_GUARDED_BY(state_) = 0;
  std::uint64_t skips_ WEIR_GUARDED_BY(state_) = 0;
  bool closed_ WEIR_GUARDED_BY(state_) = false;

  thread_pool commands_;
  thread_pool timetable_;  // goes first, since it brings tasks to the other
};

}  // namespace weir::process
