#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/thread_annotations.hpp"
#include "process/command.hpp"
#include "process/joblog.hpp"
#include "process/output_port.hpp"
#include "process/run_counts.hpp"
#include "process/run_options.hpp"
#include "process/wake_fd.hpp"
#include "sync/mutex.hpp"
#include "sync/parker.hpp"

namespace weir::process {

/// What a run shows: output of commands, whole and one command after the other; the log; the
/// progress bar; complaints; and the counts behind all of them. Shared objects: safe.
///
/// Two locks, never both wanted by whoever must not wait: `output_` is held while output is
/// written, which lasts as long as its reader likes; `state_` only for moments. Protocol:
/// docs/design/run.md.
class reporter {
 public:
  /// What a finished command means for the rest of the run.
  enum class verdict { go_on, stop_starting, stop_now };

  /// `give_up` ends waits for readers of the output. With `keep_order`, at most `window` commands
  /// may be ahead of the one whose output is due. `log` may be null.
  reporter(const run_options& options, std::size_t window, bool bar, joblog_writer* log,
           const wake_fd& give_up);

  /// Blocks until the command with this place in the order may be submitted; places count from 0
  /// without gaps. Returns false once `stop_waiting` was called. One thread calls it.
  bool wait_for_turn(std::uint64_t place);
  void stop_waiting();

  void set_total(std::uint64_t total);
  void skipped();
  void started();
  /// A command that was started is over for now and will be tried again.
  void paused();
  /// Takes a command that was started, or never can be, and has ended: logs it and writes its
  /// output when its turn has come.
  verdict finished(std::uint64_t place, finished_command&& one);
  /// The same for a command that ended before and was to be tried again. Never blocks on a reader.
  void gave_up_retry(std::uint64_t place, finished_command&& one);
  /// Takes a command that will not be started. Never blocks on a reader.
  void dropped(std::uint64_t place, std::uint64_t seq);

  /// Writes out what is left. Call it when no command runs any more.
  void flush();
  /// Writes one line "weir: …" on standard error. Never blocks on its reader: what it does not take
  /// now waits for the next `flush`.
  void complain(std::string_view what);
  /// Marks the run as one in which weir failed at something itself, and says at what.
  void trouble(std::string_view what);
  /// Writes lines on standard error, as `complain` does, and draws the bar again. While an earlier
  /// answer waits for its reader, a new one is left out.
  void answer(std::string_view lines);
  void draw_progress();

  [[nodiscard]] run_counts counts() const;
  [[nodiscard]] bool in_trouble() const;

 private:
  struct entry {
    bool to_print = false;  // false: a place that is passed over
    finished_command record;
  };

  void account(std::uint64_t place, finished_command&& one);
  void add_locked(std::uint64_t place, entry&& what) WEIR_REQUIRES(state_);
  void send_locked() WEIR_REQUIRES(state_);
  void write_unsent() WEIR_REQUIRES(output_) WEIR_EXCLUDES(state_);
  bool take_next(entry& next) WEIR_EXCLUDES(state_);
  void print(const finished_command& one) WEIR_REQUIRES(output_);
  void print_streams(const finished_command& one) WEIR_REQUIRES(output_);
  void note_port_errors() WEIR_REQUIRES(output_);
  void erase_bar_locked() WEIR_REQUIRES(state_);
  verdict judge_locked() const WEIR_REQUIRES(state_);

  const run_options& options_;
  const std::uint64_t window_;
  const bool bar_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  sync::parker turn_;

  sync::mutex output_;
  output_port out_ WEIR_GUARDED_BY(output_);
  output_port err_ WEIR_GUARDED_BY(output_);
  bool port_error_noted_ WEIR_GUARDED_BY(output_) = false;

  sync::mutex log_lock_;
  joblog_writer* log_ WEIR_GUARDED_BY(log_lock_);

  mutable sync::mutex state_;
  run_counts counts_ WEIR_GUARDED_BY(state_);
  std::map<std::uint64_t, entry> waiting_ WEIR_GUARDED_BY(state_);
  std::string unsent_ WEIR_GUARDED_BY(state_);
  bool answer_waits_ WEIR_GUARDED_BY(state_) = false;
  std::uint64_t next_place_ WEIR_GUARDED_BY(state_) = 0;
  bool stopped_ WEIR_GUARDED_BY(state_) = false;
  bool trouble_ WEIR_GUARDED_BY(state_) = false;
  bool printing_ WEIR_GUARDED_BY(state_) = false;
  bool bar_drawn_ WEIR_GUARDED_BY(state_) = false;
};

/// "exit code 2", "signal 9 (Killed)", "timed out after 5s", or what weir itself failed at.
std::string describe_end(const finished_command& one, std::chrono::nanoseconds timeout);

/// "command 3 (line 5) failed: exit code 2: make x", on one line whatever the command holds.
std::string describe_failure(const finished_command& one, std::chrono::nanoseconds timeout);

}  // namespace weir::process
