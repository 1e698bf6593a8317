#include "process/cron_service.hpp"

#include <signal.h>
#include <string.h>

#include <cstdio>
#include <exception>
#include <optional>
#include <utility>

#include "base/thread_annotations.hpp"
#include "cron/zones.hpp"
#include "process/attempt.hpp"
#include "process/cron_log.hpp"
#include "process/cron_snapshot.hpp"
#include "process/errors.hpp"
#include "process/run_limits.hpp"
#include "process/run_options.hpp"
#include "process/signal_watch.hpp"
#include "sync/mutex.hpp"
#include "sync/parker.hpp"
#include "sync/thread.hpp"
#include "weir/detail/sync.hpp"

namespace weir::process {
namespace {

using std::chrono::nanoseconds;

std::string lines_text(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " line" : " lines");
}

std::uint64_t bad_lines(const cron_table& table) {
  return table.problems.size() + table.further_problems;
}

std::string bad_text(const cron_table& table) {
  const std::uint64_t bad = bad_lines(table);
  return std::to_string(bad) + (bad == 1 ? " bad line" : " bad lines");
}

std::string signal_name(int number) {
  const char* name = ::sigabbrev_np(number);
  return std::string("SIG") + (name == nullptr ? "?" : name);
}

run_options attempt_options(const cron_service_options& options) {
  run_options run;
  run.timeout = options.timeout;
  run.kill_after = options.kill_after;
  return run;
}

// As many as were asked for, or the default, less where descriptors do not suffice for that.
std::size_t jobs_of(const cron_service_options& options) {
  if (options.once) {
    return 1;
  }
  run_options run;
  run.jobs = options.jobs == 0 ? cron_policies::k_default_jobs : options.jobs;
  for (;; run.jobs /= 2) {
    try {
      check_descriptors(run);
      return run.jobs;
    } catch (const usage_error&) {
      if (options.jobs != 0 || run.jobs == 1) {
        throw;
      }
    }
  }
}

cron_policies policies_of(const cron_service_options& options) {
  cron_policies policies;
  policies.jobs = jobs_of(options);
  policies.overlap = options.once ? overlap::never : options.overlap;
  policies.misfire = options.misfire;
  policies.jitter = options.jitter;
  return policies;
}

class service : private signal_listener {
 public:
  explicit service(const cron_service_options& options)
      : options_(options),
        attempt_options_(attempt_options(options)),
        policies_(policies_of(options)),
        signals_(take_signals()),
        watch_(signals_, std::chrono::milliseconds(0), *this),
        log_({options.json, options.quiet, options.tag, options.timeout}, hard_stop_) {}

  int run() {
    const answering open(*this);
    try {
      return read_and_run();
    } catch (const run_error&) {
      if (signal() == 0) {
        throw;
      }
      return exit_code_of(run_counts(), signal(), false);
    }
  }

 private:
  int read_and_run() {
    cron_table table = read();
    report(table);
    if (bad_lines(table) > 0 && options_.strict) {
      throw usage_error(options_.file + ": " + bad_text(table) +
                        "; with --strict nothing runs until all are mended");
    }
    if (bad_lines(table) > 0 && table.jobs.empty()) {
      throw usage_error(options_.file + ": " + bad_text(table) + ", and no other that could run");
    }
    daemon_.emplace(
        policies_, [this](const cron_run& run) { return attempt(run); }, log_);
    {
      const sync::lock_guard held(asking_);
      shown_ = &*daemon_;
    }
    if (options_.once) {
      daemon_->run_each(std::move(table));
      wait_for_each();
    } else {
      log_.say(options_.file + ": " + lines_text(table.jobs.size()) +
               (bad_lines(table) == 0 ? "" : ", and " + bad_text(table) + " that will not run"));
      daemon_->start(std::move(table));
      serve();
    }
    return conclude();
  }

  cron_table read() {
    return make_cron_table(read_crontab(read_crontab_file(options_.file, soft_stop_),
                                        {options_.seconds, zone_of(options_)}),
                           spawner_);
  }

  void report(const cron_table& table) {
    for (const crontab_problem& one : table.problems) {
      log_.bad_line(options_.file, one);
    }
    if (table.further_problems > 0) {
      log_.say(options_.file + ": and " + std::to_string(table.further_problems) +
               " further bad lines");
    }
  }

  // On a worker. The shell is another one for each line.
  finished_command attempt(const cron_run& run) {
    finished_command one;
    one.what.seq = run.number;
    one.what.line = run.line;
    one.what.text = run.job.entry.command;
    one.what.input = run.job.entry.input;
    one.what.variables = run.job.variables();
    const attempt_runner runner(attempt_options_, *run.job.shell, spawner_, nullptr, hard_stop_);
    runner.run(one, {});
    return one;
  }

  // Everything below is on the main thread, but for `signalled`.

  void serve() {
    while (!soft_stop_.is_set()) {
      // ordering: cron-reload
      if (reload_.exchange(false, sync::acq_rel)) {
        reload();
      } else {
        wake_.park();
      }
    }
    stop();
  }

  void reload() {
    if (options_.file == "-") {
      log_.say("SIGHUP: standard input cannot be read again, the crontab stays as it is");
      return;
    }
    try {
      cron_table table = read();
      report(table);
      if (bad_lines(table) > 0 && options_.strict) {
        log_.say("SIGHUP: " + options_.file + ": " + bad_text(table) +
                 ", and --strict: the crontab stays as it was");
        return;
      }
      const std::string bad = bad_lines(table) == 0 ? "" : "; " + bad_text(table);
      const cron_changes changes = daemon_->replace(std::move(table));
      log_.say("SIGHUP: " + options_.file + ": " + lines_text(changes.kept) + " unchanged, " +
               std::to_string(changes.added) + " new, " + std::to_string(changes.removed) +
               " gone" + bad);
    } catch (const std::exception& error) {
      if (!soft_stop_.is_set()) {
        log_.say(std::string("SIGHUP: ") + error.what() + "; the crontab stays as it was");
      }
    }
  }

  void stop() {
    daemon_->close();
    const std::uint64_t running = daemon_->counts().running;
    log_.say(signal_name(signal()) + ": nothing is started any more; " +
             (running == 0
                  ? "nothing runs"
                  : std::to_string(running) +
                        (running == 1 ? " command runs and has " : " commands run and have ") +
                        grace_text() + " to end; once more ends them at once"));
    if (!daemon_->wait_for(options_.grace)) {
      if (!hard_stop_.is_set()) {
        log_.say("running commands are ended, " + grace_text() + " are over");
      }
      hard_stop_.set();
    }
    daemon_->wait();
  }

  std::string grace_text() const {
    char text[64];
    std::snprintf(text, sizeof text, "%gs", std::chrono::duration<double>(options_.grace).count());
    return text;
  }

  void wait_for_each() {
    sync::thread waiter([this] {
      daemon_->wait();
      wake_.unpark();
    });
    while (!soft_stop_.is_set() && !daemon_->wait_for(nanoseconds::zero())) {
      wake_.park();
    }
    if (soft_stop_.is_set()) {
      stop();
    }
    waiter.join();
  }

  int conclude() {
    const run_counts counts = daemon_->counts();
    const int by = signal();
    const bool all_well = counts.succeeded == counts.ended() && counts.never_started == 0;
    if (by != 0 || !all_well) {
      const std::string skips =
          daemon_->skips() == 0 ? ""
                                : "; " + std::to_string(daemon_->skips()) + " times not started";
      log_.say((by == 0 ? "" : "stopped by " + signal_name(by) + ": ") + summary(counts) + skips);
    }
    if (!log_.close_within(options_.grace)) {
      hard_stop_.set();
    }
    (void)log_.close_within(nanoseconds::max());
    return exit_code_of(counts, by, log_.in_trouble());
  }

  int signal() const {
    // ordering: cron-signal
    return signal_.load(sync::acquire);
  }

  // On the signal thread, which waits for nobody.
  void signalled(int number) override {
    if (number == SIGUSR1) {
      return show_snapshot();
    }
    if (number == SIGHUP) {
      // ordering: cron-reload
      reload_.store(true, sync::release);
    } else if (number == SIGINT || number == SIGTERM) {
      if (soft_stop_.is_set()) {
        hard_stop_.set();
      } else {
        // ordering: cron-signal
        signal_.store(number, sync::release);
        soft_stop_.set();
      }
    }
    wake_.unpark();
  }

  void ticked() override {}

  void show_snapshot() {
    cron_snapshot now;
    now.elapsed = std::chrono::steady_clock::now() - begin_;
    const sync::lock_guard held(asking_);
    if (!answers_) {
      return;
    }
    if (shown_ == nullptr) {
      now.how = cron_snapshot::stage::reading;
      now.seen.now = std::chrono::system_clock::now();
    } else {
      now.seen = shown_->look();
    }
    if (soft_stop_.is_set()) {
      now.how = hard_stop_.is_set() ? cron_snapshot::stage::ending : cron_snapshot::stage::stopping;
    }
    log_.answer(options_.json ? snapshot_json(now) : snapshot_text(now));
  }

  // While it lives there are a log and, soon, a daemon: signals are heard before and after.
  class answering {
   public:
    explicit answering(service& of) : of_(of) {
      const sync::lock_guard held(of_.asking_);
      of_.answers_ = true;
    }
    ~answering() {
      const sync::lock_guard held(of_.asking_);
      of_.answers_ = false;
    }
    answering(const answering&) = delete;
    answering& operator=(const answering&) = delete;

   private:
    service& of_;
  };

  const cron_service_options& options_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  const run_options attempt_options_;
  const cron_policies policies_;
  wake_fd soft_stop_;  // start nothing more
  wake_fd hard_stop_;  // end what runs
  sync::parker wake_;  // of the main thread
  sync::atomic<bool> reload_{false};
  sync::atomic<int> signal_{0};
  sync::mutex asking_;
  bool answers_ WEIR_GUARDED_BY(asking_) = false;
  const cron_daemon* shown_ WEIR_GUARDED_BY(asking_) = nullptr;
  spawner spawner_;
  const sigset_t signals_;  // taken before the first thread
  const signal_watch watch_;
  cron_log log_;  // goes while signals are still heard, for it may wait for its reader
  std::optional<cron_daemon> daemon_;
};

}  // namespace

std::string zone_of(const cron_service_options& options) {
  return options.zone.empty() ? cron_room::local_zone_name() : options.zone;
}

int run_cron(const cron_service_options& options) {
  hold_snapshot_signal();
  return options.check ? check_cron(options) : service(options).run();
}

}  // namespace weir::process
