#include "process/runner.hpp"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "process/attempt.hpp"
#include "process/errors.hpp"
#include "process/job.hpp"
#include "process/key_lanes.hpp"
#include "process/key_pattern.hpp"
#include "process/reporter.hpp"
#include "process/results_folder.hpp"
#include "process/roster.hpp"
#include "process/run_limits.hpp"
#include "process/run_snapshot.hpp"
#include "process/shell.hpp"
#include "process/signal_watch.hpp"
#include "process/start_gate.hpp"
#include "weir/detail/assert.hpp"
#include "weir/detail/sync.hpp"
#include "weir/thread_pool.hpp"

namespace weir::process {
namespace {

using std::chrono::nanoseconds;

constexpr std::chrono::milliseconds k_bar_period{200};
constexpr nanoseconds k_longest_backoff = std::chrono::hours(1);

// The roster admits no more than fit, so the pool has nobody to refuse: it has a place for each
// command even if all wait for a retry.
pool_options pool_options_of(const run_options& options) {
  pool_options pool;
  pool.core = pool.max = jobs_of(options);
  pool.capacity = most_held(options);
  pool.on_saturation = saturation::reject;
  pool.name = "weir run";
  pool.observer = options.observer;
  return pool;
}

bool wants_bar(const run_options& options) {
  switch (options.progress) {
    case run_options::progress_bar::always:
      return true;
    case run_options::progress_bar::never:
      return false;
    case run_options::progress_bar::automatic:
      return !options.quiet && !options.dry_run && ::isatty(STDERR_FILENO) == 1;
  }
  return false;
}

// Refuses a command that is heavier than all of them together may be.
void weigh(command& one, std::size_t max_bytes) {
  const std::size_t bytes = roster::bytes_of(one);
  if (one.refusal.empty() && max_bytes != 0 && bytes > max_bytes) {
    one.refusal = "has " + std::to_string(bytes) +
                  " bytes, --max-bytes lets all commands together have " +
                  std::to_string(max_bytes) + "; raise it or put the command in a script";
  }
}

nanoseconds backoff_before(nanoseconds first, unsigned attempts) {
  nanoseconds length = std::min(first, k_longest_backoff);
  for (unsigned i = 1; i < attempts && length < k_longest_backoff; ++i) {
    length = std::min(length * 2, k_longest_backoff);
  }
  return length;
}

const char* name_of(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name == nullptr ? "?" : name;
}

class runner : private job_owner, private signal_listener {
 public:
  /// Opens everything that the run needs, so that what is wrong is said before the first command.
  explicit runner(const run_options& options)
      : options_(options),
        roster_(most_held(options), options.max_bytes),
        source_(options.input, soft_stop_.fd()),
        shell_(options.shell, options.pipefail, spawner_),
        gate_(options.delay) {
    check_descriptors(options);
    if (!options.key.empty()) {
      pattern_.emplace(options.key);
    }
    if (!options.results.empty()) {
      results_.emplace(options.results);
    }
    if (options.resume) {
      history_ = joblog_history::read(options.joblog);
    }
    if (!options.joblog.empty()) {
      log_.emplace(options.joblog, options.resume);
    }
    reporter_.emplace(options, window_of(options), wants_bar(options), log_ ? &*log_ : nullptr,
                      hard_stop_);
    attempts_.emplace(options, shell_, spawner_, results_ ? &*results_ : nullptr, hard_stop_);
  }

  int run() {
    const sigset_t signals = take_signals();
    const bool bar = wants_bar(options_);
    if (const auto total = bar ? source_.count() : std::nullopt) {
      reporter_->set_total(*total);
    }
    pool_.emplace(pool_options_of(options_));
    {
      const signal_watch watch(signals, bar ? k_bar_period : std::chrono::milliseconds(0), *this);
      read_all();
      pool_->wait_idle();
    }
    pool_.reset();
    return conclude();
  }

 private:
  /// A job as the pool holds it.
  struct task {
    runner* self;
    job_ticket ticket;
    void operator()() {
      try {
        self->work(std::unique_ptr<job>(ticket.release()));
      } catch (const std::exception& error) {
        self->reporter_->trouble(error.what());
        self->stop_starting();
      }
    }
  };

  // Reading: on the main thread.

  void read_all() {
    command one;
    try {
      auto got = source_.next(one);
      while (got == command_source::result::command && take(std::move(one))) {
        got = source_.next(one);
      }
      if (got == command_source::result::failed) {
        reporter_->trouble(source_.failure());
      }
    } catch (const usage_error& error) {
      usage_failed_ = true;
      reporter_->trouble(error.what());
      stop_starting();
    }
  }

  // Returns whether to read on.
  bool take(command&& one) {
    if (history_ && history_->succeeded(one.seq, one.text)) {
      reporter_->skipped();
      return true;
    }
    weigh(one, options_.max_bytes);
    if (pattern_ && one.refusal.empty()) {
      one.key = pattern_->key_of(one.text);
    }
    const std::uint64_t place = next_place_++;
    job_ticket ticket(new job{this, place, finished_command(), {}});
    ticket->record.what = std::move(one);
    const command& what = ticket->record.what;
    if (!reporter_->wait_for_turn(place) || !roster_.enter(what)) {
      return false;
    }
    ticket->held.emplace(roster_, what.seq);
    job_ticket free = lanes_.enter(std::move(ticket));
    return free == nullptr || start(std::move(free));
  }

  // On the main thread, or on the worker that has ended the command before it. Returns whether the
  // pool has taken it.
  bool start(job_ticket ticket) {
    roster_.is_ready(ticket->record.what.seq);
    const task_options shown = shown_by_observers(*ticket);
    try {
      pool_->execute(shown, task{this, std::move(ticket)});
      return true;
    } catch (const rejected& refusal) {
      if (refusal.why() != reject_reason::closed) {
        reporter_->trouble(std::string("no more commands can be started: ") + refusal.what());
        stop_starting();
      }
      return false;
    }
  }

  task_options shown_by_observers(const job& one) const {
    task_options shown;
    if (options_.observer != nullptr) {
      shown.name = one.record.what.text;
      shown.key = one.record.what.key.value_or("");
    }
    return shown;
  }

  // Running: on the workers.

  void work(std::unique_ptr<job> one) {
    if (!one->record.what.refusal.empty()) {
      one->record.how = outcome::failed;
      one->record.problem = one->record.what.refusal;
      finish(*one);
      return;
    }
    if (!gate_.pass(soft_stop_) || stopping_.load(sync::relaxed)) {
      let_go(*one);
      return;
    }
    reporter_->started();
    attempt(one->record);
    while (wants_retry(one->record)) {
      const nanoseconds length = backoff_before(options_.backoff, one->record.attempts);
      if (length > nanoseconds::zero()) {
        retry_later(job_ticket(one.release()), length);
        return;
      }
      attempt(one->record);
    }
    finish(*one);
  }

  void attempt(finished_command& record) {
    const std::uint64_t seq = record.what.seq;
    roster_.runs(seq, record.attempts + 1);
    const std::string unwritten =
        attempts_->run(record, [&](pid_t pid) { roster_.has_process(seq, pid); });
    if (!unwritten.empty()) {
      reporter_->trouble("results: " + unwritten + "; no further command is started");
    }
  }

  bool wants_retry(const finished_command& record) const {
    const bool failed = record.how == outcome::failed || record.how == outcome::timed_out;
    return failed && record.attempts <= options_.retries && !stopping_.load(sync::relaxed);
  }

  // Frees the worker until the next attempt. The command keeps its place in the roster and its key.
  void retry_later(job_ticket ticket, nanoseconds length) {
    const finished_command& record = ticket->record;
    reporter_->paused();
    roster_.retries(record.what.seq, record.attempts + 1,
                    std::chrono::steady_clock::now() + length);
    const task_options shown = shown_by_observers(*ticket);
    const auto offered = pool_->try_submit_after(shown, length, task{this, std::move(ticket)});
    WEIR_ASSERT(offered.accepted() || offered.why() == reject_reason::closed);
  }

  void finish(job& one) {
    const std::optional<std::string> key = one.record.what.key;
    roster_.ends(one.record.what.seq);
    report(one);
    if (key) {
      if (job_ticket next = lanes_.leave(*key)) {
        start(std::move(next));
      }
    }
  }

  void report(job& one) {
    switch (reporter_->finished(one.place, std::move(one.record))) {
      case reporter::verdict::go_on:
        return;
      case reporter::verdict::stop_starting:
        stop_starting();
        return;
      case reporter::verdict::stop_now:
        stop_starting();
        hard_stop_.set();
        return;
    }
  }

  // On whichever thread cancels, or on a worker.
  void let_go(job& one) noexcept override {
    if (one.record.attempts > 0) {
      reporter_->gave_up_retry(one.place, std::move(one.record));
    } else {
      reporter_->dropped(one.place, one.record.what.seq);
    }
  }

  // Stopping: on any thread.

  void stop_starting() {
    if (stopping_.exchange(true, sync::relaxed)) {
      return;
    }
    soft_stop_.set();
    reporter_->stop_waiting();
    roster_.stop();
    pool_->close();
    pool_->cancel_pending();
    (void)lanes_.close();
  }

  void signalled(int number) override {
    if (number == SIGUSR1) {
      show_snapshot();
      return;
    }
    const std::string name = std::string("SIG") + name_of(number);
    if (signal_ == 0) {
      signal_ = number;
      stop_starting();
      say(name + ": running commands finish, no other is started; once more ends them");
    } else if (!hard_stop_.is_set()) {
      hard_stop_.set();
      say(name + ": running commands are ended");
    }
  }

  void show_snapshot() {
    run_snapshot seen;
    if (stopping_.load(sync::relaxed)) {
      seen.how = hard_stop_.is_set() ? run_snapshot::stage::ending : run_snapshot::stage::stopping;
    }
    seen.now = std::chrono::steady_clock::now();
    seen.elapsed = seen.now - begin_;
    seen.max_bytes = options_.max_bytes;
    seen.held = roster_.look(run_snapshot::k_few);
    seen.counts = reporter_->counts();
    reporter_->answer(options_.json ? snapshot_json(seen) : snapshot_text(seen));
  }

  void ticked() override { reporter_->draw_progress(); }

  void say(const std::string& what) {
    if (!options_.quiet) {
      reporter_->complain(what);
    }
  }

  // Of an input whose length can be known, what was never read was never started either.
  run_counts final_counts() const {
    run_counts counts = reporter_->counts();
    counts.total = stopping_.load(sync::relaxed) ? source_.count() : std::nullopt;
    if (counts.total) {
      const std::uint64_t known = counts.ended() + counts.skipped;
      counts.never_started = *counts.total - std::min(*counts.total, known);
    }
    if (counts.first_never_started == 0 && counts.never_started > 0) {
      counts.first_never_started = source_.commands_read() + 1;
    }
    return counts;
  }

  int conclude() {
    reporter_->flush();
    const run_counts counts = final_counts();
    const bool all_well = counts.succeeded == counts.ended() && counts.never_started == 0;
    if (signal_ != 0 || !all_well) {
      std::string text = summary(counts);
      if (signal_ != 0) {
        text = std::string("stopped by SIG") + name_of(signal_) + ": " + text;
      }
      if (stopping_.load(sync::relaxed) && !counts.total && source_.line_number() > 0) {
        text += "; the input was read to line " + std::to_string(source_.line_number());
      }
      say(text);
    }
    reporter_->flush();
    return usage_failed_ ? k_usage : exit_code_of(counts, signal_, reporter_->in_trouble());
  }

  const run_options& options_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  wake_fd soft_stop_;  // start nothing more
  wake_fd hard_stop_;  // end what runs
  roster roster_;
  key_lanes lanes_;
  spawner spawner_;
  command_source source_;
  shell shell_;
  start_gate gate_;
  std::optional<key_pattern> pattern_;
  std::optional<results_folder> results_;
  std::optional<joblog_history> history_;
  std::optional<joblog_writer> log_;
  std::optional<reporter> reporter_;
  std::optional<attempt_runner> attempts_;
  sync::atomic<bool> stopping_{false};
  std::uint64_t next_place_ = 0;  // of the main thread
  bool usage_failed_ = false;     // of the main thread
  int signal_ = 0;                // of the signal thread, then of the main thread
  std::optional<thread_pool> pool_;
};

// Shows what would run, in order.
int dry_run(const run_options& options) {
  const wake_fd never;
  command_source source(options.input, -1);
  if (!options.key.empty()) {
    const key_pattern sound(options.key);
  }
  std::optional<joblog_history> history;
  if (options.resume) {
    history = joblog_history::read(options.joblog);
  }
  output_port out(STDOUT_FILENO, never);
  command one;
  auto got = source.next(one);
  for (; got == command_source::result::command; got = source.next(one)) {
    weigh(one, options.max_bytes);
    if (!one.refusal.empty()) {
      throw run_error("command " + std::to_string(one.seq) + " (line " + std::to_string(one.line) +
                      ") " + one.refusal);
    }
    const bool done = history && history->succeeded(one.seq, one.text);
    if (!done && !out.write(one.text + "\n")) {
      throw run_error("standard output: " + std::generic_category().message(out.error()));
    }
  }
  if (got == command_source::result::failed) {
    throw run_error(source.failure());
  }
  return k_all_succeeded;
}

}  // namespace

int run(const run_options& options) {
  if (options.resume && options.joblog.empty()) {
    throw usage_error("--resume needs --joblog FILE, the log of the run to go on with");
  }
  hold_snapshot_signal();
  return options.dry_run ? dry_run(options) : runner(options).run();
}

}  // namespace weir::process
