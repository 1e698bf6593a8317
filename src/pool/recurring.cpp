#include <cxxabi.h>
#include <unistd.h>

#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/sanitize.hpp"
#include "pool/pool_core.hpp"
#include "task/extras.hpp"
#include "task/run_body.hpp"
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

// Another one in each process, and for each series.
std::uint64_t fresh_seed(const void* here) noexcept {
  static sync::atomic<std::uint64_t> count{0};
  const auto time = static_cast<std::uint64_t>(sync::real_now().time_since_epoch().count());
  return time ^ (static_cast<std::uint64_t>(::getpid()) << 40) ^
         reinterpret_cast<std::uintptr_t>(here) ^ (count.fetch_add(1, sync::relaxed) << 20);
}

occurrence* make_occurrence(series_core& series, std::size_t weight) {
  task_options options = series.options.task;
  options.weight = weight;
  auto* const run =
      ::new (allocate_task(sizeof(occurrence), alignof(occurrence))) occurrence(series);
  try {
    if (options.any()) set_options(*run, options);
  } catch (...) {
    destroy_unused(run);
    throw;
  }
  return run;
}

// Whether the run was asked to stop by somebody. One whose time was over has failed if it threw.
bool gave_way(const task_base& run) noexcept {
  const std::uint32_t word = run.word.load(sync::relaxed);
  return state_word::phase_of(word) != phase::running && reason_of(run) != cancel_reason::timed_out;
}

// An outcome that says more replaces that of a series which is about to finish.
void resolve(series_core& series, series_outcome outcome) noexcept {
  if (!series.outcome || series.outcome->state == series_state::finished) series.outcome = outcome;
}

}  // namespace

series_plan pool_core::make_plan(const series_times& times, const series_options& options) {
  if (times.when != nullptr) return {times.when, clock().wall_now(), options};
  return {times.period, saturating_add(latest_now(), times.first.value_or(times.period)), options};
}

// A reading that lies before what the pool has seen is not obeyed.
time_point pool_core::latest_now() {
  const time_point now = clock().now();
  const sync::lock_guard lock(mutex_);
  return std::max(now, now_floor_);
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
                                               const series_options& options,
                                               admission_request::mode how, series& made) {
  check(times, options);
  series_options chosen = options;
  if (!chosen.seed) chosen.seed = fresh_seed(&chosen);
  series_plan plan = make_plan(times, chosen);
  const auto slot = plan.first();
  if (!slot) bad_series("the schedule has no time to come");
  auto* const of = new series_core(*this, nullptr, std::move(plan), chosen);
  series handle = series_access::handle(of);
  occurrence* const first = make_occurrence(*of, options.task.weight);
  of->body = std::move(given);
  std::optional<refusal> refused;
  try {
    admission_request request = request_for(*slot);
    request.how = how;
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
    at.now = latest_now();
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

void pool_core::count_skipped(series_core& of) noexcept {
  const std::uint64_t skipped = of.plan.take_skipped();
  of.skipped += skipped;
  of.untold += skipped;
}

// S2: what follows is put into the queue before the run ends, or, where runs may overlap, before
// its body begins. A series that is to end is past this.
WEIR_NO_SANITIZE_NULL bool pool_core::begin_run(series_record& record) {
  series_core& of = record.series;
  bool starts = false;
  try {
    starts = of.plan.begins(read_clocks(record));
    record.wall = of.plan.wall();
  } catch (abi::__forced_unwind&) {
    fail_series(record, forced_unwinding_error());
    throw;
  } catch (...) {
    fail_series(record, std::current_exception());
    return false;
  }
  {
    const sync::lock_guard lock(mutex_);
    // Without a body it ends as cancelled, and not as a success.
    if (of.outcome || !starts) {
      (void)mark_stop(record.run, of.outcome ? cancel_reason::cancelled : cancel_reason::discarded);
    }
    if (of.outcome) return false;
    count_skipped(of);
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
  const bool failed = record.error != nullptr && !gave_way(record.run);
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
  const sync::cancellation_hold hold;  // in a destructor, with code of those who follow the task
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
  set_wall_due(*next, request.wall);
  if (measures_this()) stamp_submitted(*next, clock().now());
  std::optional<rescheduled> replaced;
  worker* wake = nullptr;
  std::uint64_t id = 0;
  {
    const sync::lock_guard lock(mutex_);
    if (!of.outcome && closed_) {
      const auto reason = stopping_ ? cancel_reason::aborted : cancel_reason::closed;
      of.outcome = series_outcome{series_state::cancelled, reason};
    }
    if (!of.outcome && of.wanted) {
      replaced = std::exchange(of.wanted, std::nullopt);
      apply(*replaced, of, *next);
      next->due = replaced->request.due;
    } else if (request.wall) {
      next->due = due_by_wall(*request.wall, request.wall_round, next->due);
    } else if (!of.outcome && !slot) {
      of.outcome = series_outcome{series_state::finished};
    }
    if (!of.outcome) {
      queue_.reserve(true);
      count_skipped(of);
      note_time(request.now);
      accept(*next);
      enter_queue(*next);
      id = next->id;
      // Whoever runs this one may be busy for long: the next wants a worker of its own.
      const bool wanted = of.options.overlap == overlap::allow && free_workers() == 0 &&
                          workers_ - blocking_ < limits_.core && workers_ < limits_.max;
      if (wanted && !paused_) (void)start_worker();
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

// The clock is read only while the pool needs it anyway: the errand keeps the pool object.
bool pool_core::reschedule(series_core& of, const series_times& times) {
  check_times(times, of.options);
  {
    const sync::lock_guard lock(mutex_);
    if (of.outcome || of.over || closed_) return false;
    ++errands_;
  }
  struct errand {
    pool_core& core;
    ~errand() { core.end_errand(); }
  };
  retain();
  const errand during{*this};
  series_plan plan = make_plan(times, of.options);
  const auto slot = plan.first();
  if (!slot) bad_series("the schedule has no time to come");
  return replace_plan(of, {std::move(plan), request_for(*slot)});
}

bool pool_core::replace_plan(series_core& of, rescheduled wanted) {
  std::optional<rescheduled> before;  // its schedule dies outside of the lock
  worker* wake = nullptr;
  {
    const sync::lock_guard lock(mutex_);
    if (of.outcome || of.over || closed_) return false;
    occurrence* const waiting = of.waiting;
    if (waiting == nullptr) {
      before = std::exchange(of.wanted, std::move(wanted));
      return true;
    }
    if (!startable(*waiting)) return false;  // somebody cancels it right now
    apply(wanted, of, *waiting);
    before = std::move(wanted);
    move_in_queue(*waiting, before->request.due);
    if (!inside_waits_.empty()) poke_waits();
    wake = whom_to_wake();
  }
  if (wake != nullptr) wake->parker.unpark();
  return true;
}

// Gives the series its new plan, `wanted` the old one, and says in `wanted.request.due` when the
// task is due.
void pool_core::apply(rescheduled& wanted, series_core& of, occurrence& next) {
  set_wall_due(next, wanted.request.wall);
  std::swap(of.plan, wanted.plan);
  if (wanted.request.wall) {
    wanted.request.due =
        due_by_wall(*wanted.request.wall, wanted.request.wall_round, wanted.request.due);
  }
}

// Of every series that waits. What a canceller owns is his.
task_chain pool_core::take_series(cancel_reason reason) noexcept {
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

}  // namespace weir::detail
