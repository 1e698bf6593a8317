#include "process/cron_daemon.hpp"

#include <algorithm>
#include <exception>
#include <unordered_map>
#include <utility>

#include "process/excerpt.hpp"
#include "weir/cron.hpp"

namespace weir::process {
namespace {

// Each line has at most one task that waits, and each series one place, so that the table's bound
// is that of both pools.
pool_options timetable_options(const cron_policies& policies) {
  pool_options pool;
  pool.core = pool.max = 1;
  pool.capacity = unbounded;
  pool.clock = policies.clock;
  pool.name = "weir cron times";
  return pool;
}

pool_options command_options(const cron_policies& policies) {
  pool_options pool;
  pool.core = 1;
  pool.max = policies.jobs;
  pool.growth = growth::eager;
  pool.capacity = unbounded;
  pool.clock = policies.clock;
  pool.name = "weir cron";
  return pool;
}

constexpr std::size_t k_excerpt = 80;

std::string name_of_line(std::uint64_t line) { return "line " + std::to_string(line); }

}  // namespace

cron_daemon::cron_daemon(const cron_policies& policies, runner run, cron_listener& listener)
    : policies_(policies),
      run_(std::move(run)),
      listener_(listener),
      commands_(command_options(policies)),
      timetable_(timetable_options(policies)) {}

cron_daemon::~cron_daemon() {
  close();
  wait();
}

weir::clock& cron_daemon::clock() const {
  return policies_.clock == nullptr ? steady_clock::instance() : *policies_.clock;
}

cron_daemon::line_ref cron_daemon::make_line(cron_job&& job) {
  const auto line = std::make_shared<cron_line>();
  line->number = job.entry.line;
  line->job = std::move(job);
  return line;
}

void cron_daemon::start(cron_table&& table) {
  std::vector<line_ref> lines;
  for (cron_job& job : table.jobs) {
    lines.push_back(make_line(std::move(job)));
  }
  const wall_point now = clock().wall_now();
  {
    const sync::lock_guard held(state_);
    lines_ = lines;
    for (const line_ref& line : lines) {
      if (line->job.entry.schedule == nullptr) {
        wait_locked(*line, now, std::nullopt);
      }
    }
  }
  for (const line_ref& line : lines) {
    if (line->job.entry.schedule == nullptr) {
      start_run(line);
    } else {
      enter(line);
    }
  }
}

void cron_daemon::run_each(cron_table&& table) {
  const wall_point now = clock().wall_now();
  for (cron_job& job : table.jobs) {
    const line_ref line = make_line(std::move(job));
    {
      const sync::lock_guard held(state_);
      lines_.push_back(line);
      wait_locked(*line, now, std::nullopt);
    }
    start_run(line);
  }
  commands_.close();
}

cron_changes cron_daemon::replace(cron_table&& table) {
  std::unordered_multimap<std::string, line_ref> old;
  std::vector<line_ref> fresh;
  cron_changes changes;
  {
    const sync::lock_guard held(state_);
    // In reverse, so that of equal lines the first one is found first.
    for (auto line = lines_.rbegin(); line != lines_.rend(); ++line) {
      old.emplace((*line)->job.identity(), *line);
    }
    lines_.clear();
    for (cron_job& job : table.jobs) {
      if (const auto same = old.find(job.identity()); same != old.end()) {
        same->second->number = job.entry.line;
        lines_.push_back(same->second);
        old.erase(same);
        ++changes.kept;
      } else {
        lines_.push_back(make_line(std::move(job)));
        fresh.push_back(lines_.back());
      }
    }
    for (const auto& [identity, line] : old) {
      line->retired = true;
      line->owed = 0;
    }
  }
  for (const auto& [identity, line] : old) {
    if (line->series.valid()) {
      line->series.cancel();
    }
  }
  for (const line_ref& line : fresh) {
    if (line->job.entry.schedule != nullptr) {
      enter(line);
    }
  }
  changes.added = fresh.size();
  changes.removed = old.size();
  return changes;
}

void cron_daemon::enter(const line_ref& line) {
  series_options options;
  options.catch_up = policies_.misfire;
  // Whether runs overlap is decided here, when the next due time comes: see fire.
  options.overlap = overlap::allow;
  options.jitter = policies_.jitter;
  try {
    weir::series made = timetable_.submit_on(
        line->job.entry.schedule, [this, line](const series_run& run) { fire(line, run); },
        options);
    const sync::lock_guard held(state_);
    line->series = std::move(made);
  } catch (const std::exception& error) {
    listener_.trouble(name_of_line(line->job.entry.line) + " will not run: " + error.what());
  }
}

// On the timetable's worker, which waits for nobody.
void cron_daemon::fire(const line_ref& line, const series_run& run) {
  const wall_point now = clock().wall_now();
  if (run.skipped() > 0) {
    skip(line, cron_skip::missed, run.skipped(), std::nullopt);
  }
  bool start = false;
  {
    const sync::lock_guard held(state_);
    if (closed_ || line->retired) {
      return;
    }
    start = !blocked_locked(*line);
    if (start) {
      wait_locked(*line, now, run.wall_due());
    } else if (policies_.misfire == catch_up::burst && run.wall_due() <= line->decided) {
      ++line->owed;
      return;
    }
  }
  if (start) {
    start_run(line);
  } else {
    skip(line, cron_skip::goes_on, 1, run.wall_due());
  }
}

bool cron_daemon::blocked_locked(const cron_line& line) const {
  return line.waiting || (policies_.overlap == overlap::never && line.running > 0);
}

void cron_daemon::wait_locked(cron_line& line, wall_point now, std::optional<wall_point> due) {
  line.waiting = true;
  line.decided = now;
  line.due = due;
}

// Whether a further run of a burst waits now. When it was decided on does not change by that.
bool cron_daemon::take_owed_locked(cron_line& line) {
  if (line.owed == 0 || closed_ || line.retired || blocked_locked(line)) {
    return false;
  }
  --line.owed;
  line.waiting = true;
  line.due.reset();
  return true;
}

void cron_daemon::skip(const line_ref& line, cron_skip why, std::uint64_t count,
                       std::optional<wall_point> due) {
  std::uint64_t number = 0;
  std::uint64_t total = 0;
  {
    const sync::lock_guard held(state_);
    skips_ += count;
    total = line->skipped += count;
    if (why == cron_skip::missed) {
      line->told += count;
    }
    number = line->number;
  }
  listener_.skipped({line->job, number, 0, due}, why, count, total);
}

void cron_daemon::start_run(const line_ref& line) {
  try {
    commands_.execute([this, line] { work(line); });
  } catch (const std::exception& error) {
    bool closed = false;
    {
      const sync::lock_guard held(state_);
      line->waiting = false;
      closed = closed_;
    }
    if (!closed) {
      listener_.trouble(name_of_line(line->job.entry.line) +
                        " could not be started: " + error.what());
    }
  }
}

// The number of the run that begins now; 0 when none does.
std::uint64_t cron_daemon::begin(const line_ref& line, std::optional<wall_point>& due) {
  const auto now = clock().now();
  {
    const sync::lock_guard held(state_);
    line->waiting = false;
    due = line->due;
    if (closed_) {
      ++counts_.never_started;
      return 0;
    }
    if (!line->retired) {
      live_.emplace(runs_ + 1, live_run{line, now});
      ++line->running;
      ++line->runs;
      ++counts_.running;
      return ++runs_;
    }
  }
  skip(line, cron_skip::withdrawn, 1, due);
  return 0;
}

// On a worker of the commands.
void cron_daemon::work(const line_ref& line) {
  std::optional<wall_point> due;
  const std::uint64_t number = begin(line, due);
  if (number == 0) {
    return;
  }
  bool more = false;
  if (policies_.overlap == overlap::allow) {
    const sync::lock_guard held(state_);
    more = take_owed_locked(*line);
  }
  if (more) {
    start_run(line);
  }
  run_and_report(*line, number, due);
  {
    const sync::lock_guard held(state_);
    live_.erase(number);
    --line->running;
    --counts_.running;
    more = take_owed_locked(*line);
  }
  if (more) {
    start_run(line);
  }
}

void cron_daemon::run_and_report(cron_line& line, std::uint64_t number,
                                 std::optional<wall_point> due) {
  cron_run run{line.job, 0, number, due};
  {
    const sync::lock_guard held(state_);
    run.line = line.number;
  }
  outcome how = outcome::failed;
  try {
    listener_.started(run);
    finished_command done = run_(run);
    how = done.how;
    listener_.ended(run, std::move(done));
  } catch (const std::exception& error) {
    listener_.trouble(name_of_line(run.line) + ", run " + std::to_string(number) +
                      ", failed: " + error.what());
  }
  const sync::lock_guard held(state_);
  count_locked(line, how);
}

void cron_daemon::count_locked(cron_line& line, outcome how) {
  line.failures += how == outcome::failed || how == outcome::timed_out ? 1 : 0;
  switch (how) {
    case outcome::succeeded:
      ++counts_.succeeded;
      return;
    case outcome::failed:
      ++counts_.failed;
      return;
    case outcome::timed_out:
      ++counts_.timed_out;
      return;
    case outcome::cancelled:
      ++counts_.cancelled;
      return;
  }
}

// In this order: see docs/design/cron-daemon.md.
void cron_daemon::close() {
  {
    const sync::lock_guard held(state_);
    if (std::exchange(closed_, true)) {
      return;
    }
  }
  timetable_.close();
  commands_.close();
  const std::size_t withdrawn = commands_.cancel_pending();
  const sync::lock_guard held(state_);
  counts_.never_started += withdrawn;
}

bool cron_daemon::wait_for(std::chrono::nanoseconds limit) { return commands_.join_for(limit); }

void cron_daemon::wait() { commands_.join(); }

run_counts cron_daemon::counts() const {
  const sync::lock_guard held(state_);
  return counts_;
}

std::uint64_t cron_daemon::skips() const {
  const sync::lock_guard held(state_);
  return skips_;
}

std::size_t cron_daemon::lines() const {
  const sync::lock_guard held(state_);
  return lines_.size();
}

std::optional<weir::clock::time_point> cron_daemon::next_due() const {
  std::vector<line_ref> lines;
  {
    const sync::lock_guard held(state_);
    lines = lines_;
  }
  std::optional<weir::clock::time_point> first;
  for (const line_ref& line : lines) {
    const auto due = line->series.valid() ? line->series.next_due() : std::nullopt;
    first = first && (!due || *first < *due) ? first : due;
  }
  return first;
}

// Commands are cut and series asked after the lock, which lines that are due want.
cron_view cron_daemon::look() const {
  cron_view seen;
  seen.now = clock().wall_now();
  const auto now = clock().now();
  std::vector<std::pair<line_ref, weir::series>> lines;
  std::vector<live_run> live;
  std::vector<std::uint64_t> told;
  {
    const sync::lock_guard held(state_);
    seen.counts = counts_;
    for (const auto& [number, one] : live_) {
      seen.running.push_back({number, one.line->number, {}, one.line->retired, {}});
      live.push_back(one);
    }
    for (const line_ref& line : lines_) {
      seen.lines.push_back({line->number,
                            {},
                            {},
                            line->waiting,
                            line->owed,
                            line->running,
                            line->runs,
                            line->failures,
                            line->skipped});
      lines.emplace_back(line, line->series);
      told.push_back(line->told);
    }
  }
  for (std::size_t at = 0; at < live.size(); ++at) {
    seen.running[at].command = excerpt(live[at].line->job.entry.command, k_excerpt);
    seen.running[at].elapsed = std::max(std::chrono::nanoseconds(0), now - live[at].since);
  }
  for (std::size_t at = 0; at < lines.size(); ++at) {
    const auto& [line, series] = lines[at];
    seen.lines[at].command = excerpt(line->job.entry.command, k_excerpt);
    if (series.valid()) {
      const series_snapshot known = series.snapshot();
      seen.lines[at].next = known.next_wall_due;
      // Its next run is the first to tell of what was passed over since the last one.
      seen.lines[at].skipped += known.skipped - told[at];
    }
  }
  return seen;
}

std::size_t cron_daemon::waiting() const {
  const sync::lock_guard held(state_);
  return static_cast<std::size_t>(std::count_if(
      lines_.begin(), lines_.end(), [](const line_ref& line) { return line->waiting; }));
}

}  // namespace weir::process
