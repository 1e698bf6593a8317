#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "base/thread_annotations.hpp"
#include "process/cron_daemon.hpp"
#include "process/output_port.hpp"
#include "process/wake_fd.hpp"
#include "sync/event.hpp"
#include "sync/mutex.hpp"
#include "sync/parker.hpp"
#include "sync/thread.hpp"

namespace weir::process {

struct cron_log_options {
  bool json = false;
  bool quiet = false;  ///< say nothing of runs that start or succeed
  bool tag = false;    ///< put "line N" before each line of output
  std::chrono::nanoseconds timeout{0};
  weir::clock* clock = nullptr;  ///< null: real time
};

/// Shows what a daemon does: lines on standard error and the output of commands on both streams;
/// or objects, one a line, on standard output. One thread writes it all, in one order. Only `ended`
/// waits for it. Shared objects: safe. Protocol: docs/design/cron-daemon.md.
class cron_log final : public cron_listener {
 public:
  /// Bytes of lines that may wait for their reader; those beyond are counted and let go.
  static constexpr std::size_t k_most_unsent = 64 * 1024;

  /// Once `give_up` is set, readers that do not read are no longer waited for.
  cron_log(const cron_log_options& options, const wake_fd& give_up);
  /// Blocks until everything is written.
  ~cron_log();
  cron_log(const cron_log&) = delete;
  cron_log& operator=(const cron_log&) = delete;

  void started(const cron_run& run) override;
  /// Blocks until the output is written.
  void ended(const cron_run& run, finished_command&& how) override;
  void skipped(const cron_run& run, cron_skip why, std::uint64_t count,
               std::uint64_t total) override;
  void trouble(const std::string& what) override;

  void say(const std::string& what);
  void bad_line(const std::string& file, const crontab_problem& one);
  /// Lines on standard error, whatever is asked for otherwise. Does not wait: as long as an answer
  /// has not been written a new one is left out.
  void answer(std::string&& lines);

  /// Nothing is taken any more; blocks until what was is written, at most `limit` of real time.
  /// Whether that is so.
  [[nodiscard]] bool close_within(std::chrono::nanoseconds limit);
  /// Whether weir failed at something itself.
  [[nodiscard]] bool in_trouble() const;

 private:
  // A line, or the end of a run, whose worker waits for `written`.
  struct item {
    std::string line;
    const finished_command* record = nullptr;
    sync::parker* written = nullptr;
    bool is_answer = false;
  };

  [[nodiscard]] std::string time_now() const;
  [[nodiscard]] std::string end_line(const cron_run& run, const finished_command& how) const;
  void add(std::string&& line);
  void push(item&& one);
  bool take(item& next);
  void loop();
  void write(const item& one);
  void write_end(const item& one);
  void write_dropped();
  void note_port_errors();

  const cron_log_options options_;
  output_port out_;                // of the log's thread
  output_port err_;                // of the log's thread
  bool port_error_noted_ = false;  // of the log's thread
  sync::parker wake_;
  sync::event done_;

  mutable sync::mutex state_;
  std::deque<item> queue_ WEIR_GUARDED_BY(state_);
  std::size_t unsent_ WEIR_GUARDED_BY(state_) = 0;
  std::uint64_t dropped_ WEIR_GUARDED_BY(state_) = 0;
  bool answer_waits_ WEIR_GUARDED_BY(state_) = false;
  bool closing_ WEIR_GUARDED_BY(state_) = false;
  bool trouble_ WEIR_GUARDED_BY(state_) = false;

  sync::thread thread_;  // starts last
};

}  // namespace weir::process
