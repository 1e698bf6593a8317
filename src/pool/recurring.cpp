#include <stdexcept>
#include <system_error>
#include <utility>

#include "pool/pool_core.hpp"
#include "task/continuations.hpp"
#include "task/extras.hpp"
#include "task/state_word.hpp"
#include "weir/detail/duration.hpp"

/// Series: tasks that recur. Every run is a task of its own; the one that runs puts its successor
/// into the queue. The invariants S1 to S4 named below stand in docs/design/series.md.
namespace weir::detail {

namespace {

using std::chrono::nanoseconds;

[[noreturn]] void bad_series(const std::string& what) {
  throw std::invalid_argument("weir: submit_every: " + what);
}

void check_times(const series_times& times, const series_options& options) {
  if (times.when == nullptr) {
    if (times.period <= nanoseconds::zero()) bad_series("the period must be positive");
    if (options.jitter > times.period) bad_series("the jitter is longer than the period");
  } else if (options.mode == recurrence::fixed_delay) {
    bad_series("a schedule has times of its own, fixed_delay needs a period");
  } else if (times.first) {
    bad_series("a schedule has times of its own, `first` needs a period");
  }
  if (times.first && *times.first < nanoseconds::zero()) bad_series("`first` is negative");
}

void check(const series_times& times, const series_options& options) {
  check_times(times, options);
  if (options.jitter < nanoseconds::zero()) bad_series("the jitter is negative");
  if (options.limit == 0) bad_series("with a limit of 0 nothing runs");
  if (options.mode == recurrence::fixed_delay && options.overlap == overlap::allow) {
    bad_series("a delay that counts from the end of a run leaves nothing to overlap");
  }
}

occurrence* make_occurrence(series_core& series, std::size_t weight) {
  auto* const run = ::new (allocate_task(sizeof(occurrence), alignof(occurrence)))
      occurrence(series);
  task_options options = series.options.task;
  options.weight = weight;
  try {
    if (options.any()) set_options(*run, options);
  } catch (...) {
    destroy_unused(run);
    throw;
  }
  return run;
}

// An outcome that says more replaces that of a series which is about to finish.
void resolve(series_core& series, series_outcome outcome) noexcept {
  if (!series.outcome || series.outcome->state == series_state::finished) series.outcome = outcome;
}

}  // namespace

series_plan pool_core::make_plan(const series_times& times, const series_options& options) {
  if (times.when != nullptr) return {times.when, clock().wall_now(), options};
  time_point now = clock().now();
  {
    const sync::lock_guard lock(mutex_);
    now = std::max(now, now_floor_);
  }
  return {times.period, saturating_add(now, times.first.value_or(times.period)), options};
}

// A civil time that has passed is due now.
admission_request pool_core::request_for(const series_plan::slot& slot) {
  admission_request request;
  if (slot.wall) {
    request = request_by_wall(*slot.wall);
  } else {
    request.due = slot.due;
  }
  request.delayed = true;
  return request;
}

std::optional<refusal> pool_core::start_series(std::unique_ptr<series_body>& given,
                                               const series_times& times,
                                               const series_options& options, series& made) {
  check(times, options);
  series_plan plan = make_plan(times, options);
  const auto slot = plan.first();
  if (!slot) bad_series("the schedule has no time to come");
  auto* const of = new series_core(*this, nullptr, std::move(plan), options);
  series handle = series_access::handle(of);
  occurrence* const first = make_occurrence(*of, options.task.weight);
  of->body = std::move(given);
  std::optional<refusal> refused;
  try {
    admission_request request = request_for(*slot);
    refused = admit(*first, request);
  } catch (...) {
    given = std::move(of->body);
    destroy_unused(first);
    throw;
  }
  if (refused) {
    given = std::move(of->body);
    destroy_unused(first);
    return refused;
  }
  const sync::lock_guard lock(mutex_);
  if (!of->entered) {
    of->outcome = {series_state::cancelled, cancel_reason::discarded};
    of->over = true;
  }
  made = std::move(handle);
  return std::nullopt;
}

// S1: from acceptance to its end a series has one waiting place, that of the task which waits, or
// one that is held for the next.
void pool_core::enter_series(occurrence& run) noexcept {
  series_core& of = *run.series;
  if (!of.entered) {
    of.entered = true;
    of.id = run.id;
    series_.push_back(of);
    ++series_count_;
    (void)take_weight(run);  // it is the series' own now
  }
  drop_place(of);
  of.waiting = &run;
  ++of.live;
}

void pool_core::keep_place(occurrence& run) noexcept {
  give_place_back(run);
  run.series->waiting = nullptr;
  run.series->holds_place = true;
  ++held_places_;
}

void pool_core::drop_place(series_core& of) noexcept {
  if (std::exchange(of.holds_place, false)) --held_places_;
}

// In one step with the end of its last task: whoever sees the series over finds its place free.
void pool_core::leave_series(occurrence& run) noexcept {
  series_core& of = *run.series;
  if (of.waiting == &run) {
    of.waiting = nullptr;
    resolve(of, {series_state::cancelled, reason_of(run)});
  }
  if (--of.live > 0) return;
  WEIR_ASSERT(of.outcome.has_value());
  drop_place(of);
  series_.remove(of);
  --series_count_;
  counts_.weight -= of.options.task.weight;
  of.over = true;
  wake_all(of.waiters);
}

series_plan::reading pool_core::read_clocks(const series_record& record) {
  series_plan::reading at{};
  if (record.series.plan.wall()) {
    at.wall = clock().wall_now();
  } else {
    at.now = std::max(clock().now(), record.run.due);
  }
  return at;
}

void pool_core::run_occurrence(occurrence& run) {
  series_record record(*run.series, run);
  struct ender {
    pool_core& core;
    series_record& record;
    ~ender() { core.end_run(record); }
  };
  if (begin_run(record)) {
    const ender at_end{*this, record};
    record.call();
  }
  if (record.error != nullptr) std::rethrow_exception(record.error);
}

// S2: what follows is put into the queue before the run ends, or, where runs may overlap, before
// its body begins. A series that is to end is past this.
bool pool_core::begin_run(series_record& record) {
  series_core& of = record.series;
  bool starts = false;
  try {
    starts = of.plan.begins(read_clocks(record));
    record.wall = of.plan.wall();
  } catch (...) {
    fail_series(record, std::current_exception());
    return false;
  }
  {
    const sync::lock_guard lock(mutex_);
    if (of.outcome) return false;
    const std::uint64_t skipped = of.plan.take_skipped();
    of.skipped += skipped;
    of.untold += skipped;
    if (starts) {
      record.skipped = std::exchange(of.untold, 0);
      record.number = ++of.runs;
      of.running.push_back(record);
      if (of.runs == of.options.limit) resolve(of, {series_state::finished});
    }
  }
  if (!starts || of.options.overlap == overlap::allow) arm_next(record);
  return starts;
}

void pool_core::end_run(series_record& record) noexcept {
  series_core& of = record.series;
  const bool failed = record.error != nullptr && 
      state_word::phase_of(record.run.word.load(sync::relaxed)) == phase::running;
  std::exception_ptr before;  // dies outside of the lock
  occurrence* waiting = nullptr;
  {
    const sync::lock_guard lock(mutex_);
    if (!forked_) of.running.remove(record);
    if (failed) {
      ++of.failures;
      before = std::exchange(of.last_error, record.error);
    }
    if (failed && of.options.on_failure == on_failure::stop) resolve(of, {series_state::failed});
    if (record.last && !of.outcome) of.outcome = series_outcome{series_state::finished};
    if (of.outcome && of.waiting != nullptr) detail::retain(*(waiting = of.waiting));
  }
  if (of.options.overlap == overlap::never) return arm_next(record);
  if (waiting == nullptr) return;
  (void)cancel_task(*waiting, true);
  detail::release(waiting);
}

void pool_core::arm_next(series_record& record) noexcept {
  const sync::cancellation_hold hold;  // a schedule is user code and runs in a destructor
  series_core& of = record.series;
  occurrence* next = nullptr;
  try {
    {
      const sync::lock_guard lock(mutex_);
      if (of.outcome) return;
    }
    const auto slot = of.plan.next(read_clocks(record));
    next = make_occurrence(of, 0);
    enter_next(record, next, slot);
  } catch (...) {
    if (next != nullptr) destroy_unused(next);
    fail_series(record, std::current_exception());
  }
}

// S3: decided under the lock, so that no run follows once the series is to end.
void pool_core::enter_next(series_record& record, occurrence* next,
                           std::optional<series_plan::slot> slot) {
  series_core& of = record.series;
  admission_request request;
  if (slot) request = request_for(*slot);
  next->due = request.due;
  if (request.wall) need_extras(*next).wall_due = request.wall;
  if (measures_this()) stamp_submitted(*next, clock().now());
  std::optional<series_plan> replaced;
  worker* wake = nullptr;
  std::uint64_t id = 0;
  {
    const sync::lock_guard lock(mutex_);
    if (!of.outcome && closed_) {
      const auto reason = stopping_ ? cancel_reason::aborted : cancel_reason::closed;
      of.outcome = series_outcome{series_state::cancelled, reason};
    }
    if (!of.outcome && of.wanted) {
      replaced = std::exchange(of.plan, *std::exchange(of.wanted, std::nullopt));
      forget_wall_due(*next);
      next->due = of.plan.first()->due;
    } else if (request.wall) {
      place_by_wall(*next, *request.wall, request.wall_round);
    } else if (!of.outcome && !slot) {
      of.outcome = series_outcome{series_state::finished};
    }
    if (!of.outcome) {
      queue_.reserve(true);
      const std::uint64_t skipped = of.plan.take_skipped();
      of.skipped += skipped;
      of.untold += skipped;
      note_time(request.now);
      accept(*next);
      enter_queue(*next);
      id = next->id;
      if (of.options.overlap == overlap::allow &&
          decide_by_counts(true) == decision::start_worker) {
        (void)start_worker();
      }
      wake = whom_to_wake();
    }
  }
  if (id == 0) return destroy_unused(next);
  if (wake != nullptr) wake->parker.unpark();
  if (observer* const watch = watching()) watch->task_accepted({id, of.options.task.name});
}

void pool_core::fail_series(series_record& record, std::exception_ptr error) noexcept {
  series_core& of = record.series;
  if (record.error == nullptr) record.error = error;
  const sync::lock_guard lock(mutex_);
  resolve(of, {series_state::failed});
  std::swap(of.last_error, error);
}

// Each by itself, for a body that is asked to stop runs callbacks here, and ends when it likes.
bool pool_core::stop_bodies(series_core& of) {
  bool any = false;
  for (;;) {
    occurrence* found = nullptr;
    {
      const sync::lock_guard lock(mutex_);
      for (auto* at = of.running.front(); at != nullptr; at = of.running.next(*at)) {
        any = true;
        if (std::exchange(at->asked, true)) continue;
        detail::retain(*(found = &at->run));
        break;
      }
    }
    if (found == nullptr) return any;
    (void)request_stop(*found, cancel_reason::cancelled);
    detail::release(found);
  }
}

cancel_result pool_core::cancel_series(series_core& of) {
  occurrence* waiting = nullptr;
  {
    const sync::lock_guard lock(mutex_);
    const bool lost = forked_ && of.waiting == nullptr;  // nobody here would hear of it
    if (of.over || lost) return cancel_result::too_late;
    resolve(of, {series_state::cancelled, cancel_reason::cancelled});
    if (of.waiting != nullptr) detail::retain(*(waiting = of.waiting));
  }
  if (waiting != nullptr) {
    (void)cancel_task(*waiting, false);
    detail::release(waiting);
  }
  const bool ran = stop_bodies(of);
  const sync::lock_guard lock(mutex_);
  return of.over && !ran ? cancel_result::cancelled : cancel_result::requested;
}

bool pool_core::reschedule(series_core& of, const series_times& times) {
  check_times(times, of.options);
  std::optional<series_plan> plan = make_plan(times, of.options);
  worker* wake = nullptr;
  {
    const sync::lock_guard lock(mutex_);
    if (of.outcome || of.over || closed_) return false;
    occurrence* const waiting = of.waiting;
    if (waiting == nullptr) {
      of.wanted.swap(plan);
      return true;
    }
    if (waiting->place != task_place::delayed) return false;  // somebody cancels it right now
    std::swap(of.plan, *plan);
    forget_wall_due(*waiting);
    move_in_queue(*waiting, of.plan.first()->due);
    if (!inside_waits_.empty()) poke_waits();
    wake = whom_to_wake();
  }
  if (wake != nullptr) wake->parker.unpark();
  return true;
}

bool pool_core::await_series(series_core& of, sync::deadline until) {
  require_outside("series::wait");
  run_deferred();
  rest_waiter self;
  {
    const sync::lock_guard lock(mutex_);
    if (of.over) return true;
    if (forked_) throw std::system_error(std::make_error_code(std::errc::owner_dead),
                              "weir: a series of a pool that was left behind by a fork");
    if (until && *until <= sync::real_now()) return false;
    of.waiters.push_back(self);
  }
  for (;;) {
    const bool woken = self.parker.park_until(until);
    const sync::lock_guard lock(mutex_);
    if (!self.listed) return true;
    if (woken) continue;
    of.waiters.remove(self);
    return false;
  }
}

// Of every series that waits. What a canceller owns is his.
pool_core::task_chain pool_core::take_series(cancel_reason reason) noexcept {
  task_chain taken;
  for (auto* at = series_.front(); at != nullptr; at = series_.next(*at)) {
    occurrence* const waiting = at->waiting;
    bool was_detached = false;
    if (waiting == nullptr || !try_cancel_unstarted(*waiting, reason, was_detached)) continue;
    queue_.unlink(*waiting);
    taken.push_back(*waiting);
  }
  update_hint();
  return taken;
}

// But for the name, which takes memory.
series_snapshot pool_core::series_now(const series_core& of) noexcept {
  series_snapshot shown;
  shown.id = of.id;
  shown.runs = of.runs;
  shown.failures = of.failures;
  shown.skipped = of.skipped;
  for (auto* at = of.running.front(); at != nullptr; at = of.running.next(*at)) ++shown.running;
  if (of.outcome) {
    shown.state = of.over ? of.outcome->state : series_state::stopping;
    if (of.outcome->state == series_state::cancelled) shown.reason = of.outcome->reason;
  } else if (shown.running > 0 || of.waiting == nullptr) {
    shown.state = series_state::running;
  }
  if (of.waiting != nullptr && !of.outcome) {
    shown.next_due = of.waiting->due;
    shown.next_wall_due = wall_due_of(*of.waiting);
  }
  return shown;
}

series_snapshot pool_core::show_series(series_core& of) {
  series_snapshot shown;
  {
    const sync::lock_guard lock(mutex_);
    shown = series_now(of);
  }
  shown.name = of.options.task.name;
  return shown;
}

// Memory first, the lock then; anew with more where the pool has more series by then.
void pool_core::show_all_series(std::vector<series_snapshot>& shown) {
  std::vector<series_core*> seen;
  const auto let_go = [&seen] {
    for (series_core* each : seen) each->release();
    seen.clear();
  };
  for (std::size_t room = 0;;) {
    shown.reserve(room);
    seen.reserve(room);
    const sync::lock_guard lock(mutex_);
    if (series_count_ > room) {
      room = series_count_ + 4;
      continue;
    }
    for (auto* at = series_.front(); at != nullptr; at = series_.next(*at)) {
      at->retain();
      seen.push_back(at);
      shown.push_back(series_now(*at));
    }
    break;
  }
  try {
    for (std::size_t at = 0; at < seen.size(); ++at) shown[at].name = seen[at]->options.task.name;
  } catch (...) {
    let_go();
    throw;
  }
  let_go();
}


std::exception_ptr pool_core::last_error_of(series_core& of) {
  const sync::lock_guard lock(mutex_);
  return of.last_error;
}

}  // namespace weir::detail
