#include "process/cron_log.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <utility>

#include "process/excerpt.hpp"
#include "process/json_report.hpp"
#include "process/reporter.hpp"
#include "process/stream_output.hpp"
#include "process/time_text.hpp"
#include "weir/detail/duration.hpp"

namespace weir::process {
namespace {

using json = nlohmann::ordered_json;
using std::chrono::nanoseconds;
using wall_point = std::chrono::system_clock::time_point;

constexpr std::size_t k_excerpt = 160;

std::string seconds_text(nanoseconds length) {
  char text[64];
  std::snprintf(text, sizeof text, "%.2fs", std::chrono::duration<double>(length).count());
  return text;
}

double epoch_seconds(wall_point at) {
  return std::chrono::duration<double>(at.time_since_epoch()).count();
}

// Bytes that are no UTF-8 are replaced: the command stands in the file.
std::string line_of(const json& object) {
  return object.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string name_of(const cron_run& run) {
  return "line " + std::to_string(run.line) +
         (run.number == 0 ? "" : ", run " + std::to_string(run.number));
}

std::string command_of(const cron_run& run) {
  return ": " + excerpt(run.job.entry.command, k_excerpt);
}

// What is late by less is on time for whoever reads.
std::string lateness(const cron_run& run, wall_point now) {
  const bool late = run.due && now - *run.due >= std::chrono::seconds(1);
  return late ? ", " + seconds_text(now - *run.due) + " after its time" : "";
}

const char* to_string(cron_skip why) {
  switch (why) {
    case cron_skip::goes_on:
      return "goes_on";
    case cron_skip::missed:
      return "missed";
    case cron_skip::withdrawn:
      break;
  }
  return "withdrawn";
}

std::string describe(cron_skip why, std::uint64_t count) {
  switch (why) {
    case cron_skip::goes_on:
      return " not started, its last run still goes on";
    case cron_skip::missed:
      return " missed " + std::to_string(count) + (count == 1 ? " time" : " times") +
             ", the process slept or the clock was set";
    case cron_skip::withdrawn:
      break;
  }
  return " not started, it is no longer in the crontab";
}

}  // namespace

cron_log::cron_log(const cron_log_options& options, const wake_fd& give_up)
    : options_(options), out_(STDOUT_FILENO, give_up), err_(STDERR_FILENO, give_up) {
  thread_ = sync::thread([this] { loop(); });
}

cron_log::~cron_log() {
  (void)close_within(nanoseconds::max());
  thread_.join();
}

std::string cron_log::time_now() const {
  const weir::clock& clock = options_.clock == nullptr ? steady_clock::instance() : *options_.clock;
  return utc_text(clock.wall_now());
}

void cron_log::started(const cron_run& run) {
  if (options_.quiet) {
    return;
  }
  const weir::clock& clock = options_.clock == nullptr ? steady_clock::instance() : *options_.clock;
  const wall_point now = clock.wall_now();
  if (options_.json) {
    json object{{"event", "start"},
                {"time", utc_text(now)},
                {"seq", run.number},
                {"line", run.line},
                {"command", run.job.entry.command}};
    if (run.due) {
      object["due"] = utc_text(*run.due);
      object["late"] = epoch_seconds(now) - epoch_seconds(*run.due);
    }
    add(line_of(object));
    return;
  }
  add("weir: " + utc_text(now) + " " + name_of(run) + " starts" + lateness(run, now) +
      command_of(run) + "\n");
}

std::string cron_log::end_line(const cron_run& run, const finished_command& how) const {
  if (options_.json) {
    return "\"event\":\"end\",\"time\":\"" + time_now() + "\",";
  }
  if (options_.quiet && how.how == outcome::succeeded) {
    return {};
  }
  return "weir: " + time_now() + " " + name_of(run) +
         " ended: " + (how.how == outcome::cancelled ? "cancelled, " : "") +
         describe_end(how, options_.timeout) + " after " + seconds_text(how.run_time) +
         command_of(run) + "\n";
}

void cron_log::ended(const cron_run& run, finished_command&& how) {
  if (options_.json && options_.quiet && how.how == outcome::succeeded) {
    return;
  }
  how.what.tag = "line " + std::to_string(run.line);
  sync::parker written;
  push({end_line(run, how), &how, &written});
  written.park();
}

void cron_log::skipped(const cron_run& run, cron_skip why, std::uint64_t count,
                       std::uint64_t total) {
  if (options_.json) {
    json object{{"event", "skip"},       {"time", time_now()},
                {"line", run.line},      {"command", run.job.entry.command},
                {"why", to_string(why)}, {"count", count},
                {"total", total}};
    if (run.due) {
      object["due"] = utc_text(*run.due);
    }
    add(line_of(object));
    return;
  }
  add("weir: " + time_now() + " " + name_of(run) + describe(why, count) + " (" +
      std::to_string(total) + " so far)" + command_of(run) + "\n");
}

void cron_log::trouble(const std::string& what) {
  {
    const sync::lock_guard held(state_);
    trouble_ = true;
  }
  say(what);
}

void cron_log::say(const std::string& what) {
  if (options_.json) {
    add(line_of(json{{"event", "note"}, {"time", time_now()}, {"text", what}}));
  } else {
    add("weir: " + time_now() + " " + what + "\n");
  }
}

void cron_log::bad_line(const std::string& file, const crontab_problem& one) {
  if (options_.json) {
    add(line_of(json{{"event", "bad_line"},
                     {"time", time_now()},
                     {"file", file},
                     {"line", one.line},
                     {"column", one.column},
                     {"trouble", one.trouble}}));
  } else {
    add("weir: " + describe_problem(file, one) + "\n");
  }
}

// Of any length, since there is one at a time.
void cron_log::answer(std::string&& lines) {
  {
    const sync::lock_guard held(state_);
    if (std::exchange(answer_waits_, true)) {
      return;
    }
    queue_.push_back({std::move(lines), nullptr, nullptr, true});
  }
  wake_.unpark();
}

void cron_log::add(std::string&& line) { push({std::move(line)}); }

// The end of a run is taken whatever waits: its worker waits with it.
void cron_log::push(item&& one) {
  {
    const sync::lock_guard held(state_);
    if (one.record == nullptr) {
      if (unsent_ + one.line.size() > k_most_unsent) {
        ++dropped_;
        return;
      }
      unsent_ += one.line.size();
    }
    queue_.push_back(std::move(one));
  }
  wake_.unpark();
}

bool cron_log::take(item& next) {
  const sync::lock_guard held(state_);
  if (queue_.empty()) {
    return false;
  }
  next = std::move(queue_.front());
  queue_.pop_front();
  return true;
}

void cron_log::loop() {
  sync::name_this_thread("weir-log");
  for (;;) {
    item next;
    if (take(next)) {
      write(next);
      continue;
    }
    {
      const sync::lock_guard held(state_);
      if (closing_ && queue_.empty()) {
        break;
      }
    }
    wake_.park();
  }
  done_.set();
}

void cron_log::write(const item& one) {
  if (one.record != nullptr) {
    write_end(one);
  } else if (one.is_answer) {
    err_.write(one.line);
    const sync::lock_guard held(state_);
    answer_waits_ = false;
  } else {
    (options_.json ? out_ : err_).write(one.line);
    const sync::lock_guard held(state_);
    unsent_ -= one.line.size();
  }
  note_port_errors();
  write_dropped();
  if (one.written != nullptr) {
    one.written->unpark();
  }
}

void cron_log::write_end(const item& one) {
  const finished_command& record = *one.record;
  if (options_.json) {
    write_json(record, out_, one.line);
    return;
  }
  const std::string* tag = options_.tag ? &record.what.tag : nullptr;
  write_stream(record.out, tag, out_);
  write_stream(record.err, tag, err_);
  err_.write(one.line);
}

void cron_log::write_dropped() {
  std::uint64_t count = 0;
  {
    const sync::lock_guard held(state_);
    if (unsent_ > k_most_unsent / 2) {
      return;
    }
    count = std::exchange(dropped_, 0);
  }
  if (count > 0) {
    say(std::to_string(count) + " lines of this log were let go, since its reader did not read");
  }
}

void cron_log::note_port_errors() {
  const int error = out_.error() != 0 ? out_.error() : err_.error();
  if (error == 0 || std::exchange(port_error_noted_, true)) {
    return;
  }
  const std::string name = out_.error() != 0 ? "standard output" : "standard error";
  const std::string why =
      error == ECANCELED ? "its reader does not read, so the rest was let go"
                         : std::generic_category().message(error) + "; commands go on without it";
  err_.write("weir: " + name + ": " + why + "\n");
  const sync::lock_guard held(state_);
  trouble_ = true;
}

bool cron_log::close_within(nanoseconds limit) {
  {
    const sync::lock_guard held(state_);
    closing_ = true;
  }
  wake_.unpark();
  return done_.wait_until(limit == nanoseconds::max()
                              ? sync::deadline()
                              : detail::saturating_add(sync::real_now(), limit));
}

bool cron_log::in_trouble() const {
  const sync::lock_guard held(state_);
  return trouble_;
}

}  // namespace weir::process
