#include <cstdio>
#include <string>

#include "pool/pool_core.hpp"
#include "pool/time_limit.hpp"
#include "task/run_body.hpp"
#include "task/task_home.hpp"
#include "weir/detail/duration.hpp"

/// What pool and tasks have to do with the guard: docs/design/guard.md.
namespace weir::detail {

void need_guard() { guard::instance().start(); }

body_report run_body_in_real_time(task_base& task) {
  const time_limit limit(task, nullptr);
  return run_body(task);
}

// The lock orders this before the reading that follows: whoever moves the clock later finds
// `guarded_`, and what moved earlier is seen by that reading (G4).
alarm_clock& pool_core::alarms() noexcept {
  if (&clock() == &steady_clock::instance()) return guard::instance().real_time();
  const sync::lock_guard lock(mutex_);
  guarded_ = true;
  return alarms_;
}

void pool_core::begin_errand() noexcept {
  retain();
  const sync::lock_guard lock(mutex_);
  ++errands_;
}

void pool_core::end_errand() noexcept {
  {
    const sync::lock_guard lock(mutex_);
    if (--errands_ == 0) wake_all(errand_waiters_);
  }
  release();
}

void pool_core::start_watching() {
  need_guard();
  (void)alarms();
}

void pool_core::body_begins(body_watch& watch) noexcept {
  const time_point now = clock().now();
  if (!watch.begins(now)) return;
  guard::instance().arm_watch(alarms(), watch, now, options_.watchdog.limit);
}

pool_core::outside_watch::outside_watch(pool_core& core, const outside_run& run) noexcept {
  if (!core.watches()) return;
  watch_.emplace();
  watch_->core = &core;
  watch_->task = &run.task;
  if (run.host != nullptr) watch_->index = run.host->index;
  core.body_begins(*watch_);
}

pool_core::outside_watch::~outside_watch() {
  if (watch_) guard::instance().disarm(*watch_);
}

// What a worker runs cannot change while both locks are held, and `since` is then of that body or
// of none.
long_body pool_core::find_long_body(body_watch& watch, time_point now) noexcept {
  const sync::lock_guard lock(mutex_);
  if (watch.task != nullptr) return judge(watch, watch.task, now);
  claims& of = places_[watch.index]->claims;
  const sync::lock_guard hold(of.mutex);
  return judge(watch, of.running, now);
}

long_body pool_core::judge(body_watch& watch, task_base* task, time_point now) noexcept {
  using std::chrono::nanoseconds;
  const body_watch::rep since = watch.since.load(sync::relaxed);
  if (task == nullptr || since == body_watch::k_no_body) {
    watch.due = saturating_add(now, options_.watchdog.limit);
    return {};
  }
  if (task->id != watch.seen_id) {
    watch.seen_id = task->id;
    watch.next_report = options_.watchdog.limit;
  }
  const time_point began{time_point::duration(since)};
  watch.due = saturating_add(began, watch.next_report);
  if (watch.due > now) return {};
  while (watch.due <= now && watch.next_report != nanoseconds::max()) {
    const bool fits = watch.next_report <= nanoseconds::max() / 2;
    watch.next_report = fits ? watch.next_report * 2 : nanoseconds::max();
    watch.due = saturating_add(began, watch.next_report);
  }
  detail::retain(*task);
  retain();
  ++errands_;
  return {task, watch.index, now - began, facade_ != nullptr};
}

void pool_core::report_long_body(const long_body& found) noexcept {
  const task_info info{found.task->id, name_of(*found.task)};
  try {
    if (found.heard && options_.watchdog.report) {
      options_.watchdog.report(info, {options_.name, found.index}, found.running_for);
    } else {
      print_long_body(info, found);
    }
  } catch (...) {
    handle_unhandled(std::current_exception(), info);
  }
  detail::release(found.task);
  end_errand();
}

void pool_core::print_long_body(const task_info& info, const long_body& found) const {
  const bool on_worker = found.index != worker_info::k_caller;
  const std::string where =
      on_worker ? "worker " + std::to_string(found.index) : std::string("a caller's thread");
  const double seconds = std::chrono::duration<double>(found.running_for).count();
  std::fprintf(stderr, "weir: task %llu%s%.*s has run for %.3g s on %s, %s\n",
               static_cast<unsigned long long>(info.id), info.name.empty() ? "" : " ",
               static_cast<int>(info.name.size()), info.name.data(), seconds, options_.name.c_str(),
               where.c_str());
}

void time_limit::arm(task_base& task, task_extras& extras, pool_core* core) noexcept {
  alarm_clock& clock = core != nullptr ? core->alarms() : guard::instance().real_time();
  const time_point now = clock.source != nullptr ? clock.source->now() : sync::real_now();
  alarm_.emplace();
  alarm_->id = task.id;
  alarm_->task = &task;
  extras.deadline = guard::instance().arm_limit(clock, *alarm_, now, extras.timeout);
}

void time_limit::disarm() noexcept { guard::instance().disarm(*alarm_); }

}  // namespace weir::detail
