#include "pool/guard.hpp"

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "pool/pool_core.hpp"
#include "task/extras.hpp"
#include "task/state_word.hpp"
#include "weir/detail/duration.hpp"

/// Who is asked to stop and when. The invariants G1 to G5 named below stand in
/// docs/design/guard.md.
namespace weir::detail {

void guard::stopped_tasks::push_back(task_base& task) noexcept {
  (last_ != nullptr ? last_->extras.load(sync::relaxed)->next_stopped : first_) = &task;
  last_ = &task;
}

task_base* guard::stopped_tasks::pop_front() noexcept {
  task_base* const task = first_;
  if (task == nullptr) return nullptr;
  first_ = std::exchange(task->extras.load(sync::relaxed)->next_stopped, nullptr);
  if (first_ == nullptr) last_ = nullptr;
  return task;
}

namespace {

constinit guard* of_process = nullptr;

// After the destructors of static objects, or when the library is unloaded.
[[gnu::destructor]] void leave_process() noexcept {
  if (of_process != nullptr) of_process->leave();
}

}  // namespace

guard& guard::instance() {
  static guard& k_instance = *(of_process = new guard);
  return k_instance;
}

#ifndef WEIR_SYNC_SEAM
namespace {
// Made before main, so that no fork finds it half made.
[[maybe_unused]] const auto& made_early = guard::instance();
}  // namespace
#endif

void guard::start() {
  // ordering: guard-started
  if (started_.load(sync::acquire)) return;
  const sync::lock_guard lock(mutex_);
  if (started_.load(sync::relaxed)) return;
  thread_ = sync::thread([this] { run(); });
  process_.store(::getpid(), sync::relaxed);
  // ordering: guard-started
  started_.store(true, sync::release);
}

void guard::stop() noexcept {
  sync::thread ending;
  {
    const sync::lock_guard lock(mutex_);
    stopping_ = true;
    ending = std::move(thread_);
  }
  parker_.unpark();
  if (ending.joinable()) ending.join();
}

void guard::leave() noexcept {
  // In a child that nobody has prepared there is no thread, and the mutex may be held for ever.
  if (process_.load(sync::relaxed) != ::getpid()) return;
  {
    const sync::lock_guard lock(mutex_);
    if (outside_) return;
    leaving_ = true;
  }
  stop();
}

void guard::go_outside() noexcept {
  outside_ = true;
  mutex_.unlock();
}

void guard::come_back() noexcept {
  mutex_.lock();
  outside_ = false;
}

time_point guard::arm_limit(alarm_clock& clock, alarm& what, time_point now,
                            std::chrono::nanoseconds length) noexcept {
  bool wake = false;
  time_point due{};
  {
    const sync::lock_guard lock(mutex_);
    // A reading from before the latest one: the clock went backwards, or was moved meanwhile.
    what.due = due = saturating_add(std::max(now, clock.floor), length);
    wake = arm(clock.limits, clock, what);
  }
  if (wake) parker_.unpark();
  return due;
}

void guard::arm_watch(alarm_clock& clock, body_watch& watch, time_point now,
                      std::chrono::nanoseconds length) noexcept {
  bool wake = false;
  {
    const sync::lock_guard lock(mutex_);
    if (watch.heap != nullptr) return;  // the guard has seen the body itself
    watch.watched.store(true, sync::relaxed);
    watch.due = saturating_add(std::max(now, clock.floor), length);
    wake = arm(clock.watches, clock, watch);
  }
  if (wake) parker_.unpark();
}

// Returns whether the guard must be woken.
bool guard::arm(alarm_heap& heap, alarm_clock& clock, alarm& what) noexcept {
  what.clock = &clock;
  heap.insert(what);
  if (!clock.listed) {
    clock.listed = true;
    clocks_.push_back(clock);
  }
  // What another clock makes of real time is asked by the guard, outside of locks.
  const time_point look = clock.source == nullptr ? what.due : time_point::min();
  clock.look_at = std::min(clock.look_at, look);
  return must_wake(look);
}

void guard::disarm(alarm& what) noexcept {
  const sync::lock_guard lock(mutex_);
  if (what.heap == nullptr) return;
  what.heap->erase(what);
  unlist_if_idle(*what.clock);
}

void guard::clock_moved(alarm_clock& clock, time_point now) noexcept {
  bool wake = false;
  {
    const sync::lock_guard lock(mutex_);
    advance(clock, now);
    if (clock.listed) clock.look_at = time_point::min();
    if (clock.listed || !stopped_.empty()) wake = must_wake(time_point::min());
  }
  if (wake) parker_.unpark();
}

bool guard::must_wake(time_point at) noexcept {
  if (sleeps_until_ == time_point::min() || at >= sleeps_until_) return false;
  sleeps_until_ = time_point::min();
  return true;
}

void guard::unlist_if_idle(alarm_clock& clock) noexcept {
  if (!clock.listed || !clock.idle()) return;
  clock.listed = false;
  clock.look_at = time_point::max();
  clocks_.remove(clock);
}

// A body whose alarm is armed has not ended, for it disarms before: so its task may be referred to
// here, and whoever publishes its end sees that it has been (G2).
void guard::advance(alarm_clock& clock, time_point now) noexcept {
  clock.floor = std::max(clock.floor, now);
  while (alarm* first = clock.limits.front()) {
    if (first->due > clock.floor) break;
    clock.limits.erase(*first);
    task_base& task = *first->task;
    if (!mark_stop(task, cancel_reason::timed_out)) continue;
    detail::retain(task);
    stopped_.push_back(task);
  }
  unlist_if_idle(clock);
}

// All flags that are due are set before any stop callback is run: a slow one delays later deadlines
// by its own length at most, and none that is due already.
void guard::run() noexcept {
  sync::name_this_thread("weir-guard");
  mutex_.lock();
  const std::uint64_t forks = forks_;
  // In a child that was forked by a stop callback this thread goes on, but is the guard no more.
  while (forks == forks_ && !leaving_) {
    look_at_clocks();
    if (run_stop_callbacks() || look_at_long_body()) continue;
    if (stopping_) break;
    sleep();
  }
  mutex_.unlock();
}

bool guard::run_stop_callbacks() noexcept {
  task_base* const task = stopped_.pop_front();
  if (task == nullptr) return false;
  go_outside();
  stop_extras(*task);
  release(task);
  come_back();
  return true;
}

bool guard::look_at_long_body() noexcept {
  for (auto* at = clocks_.front(); at != nullptr; at = clocks_.next(*at)) {
    alarm* const first = at->watches.front();
    if (first == nullptr || first->due > at->floor || first->due == time_point::max()) continue;
    look_at_body(*at, static_cast<body_watch&>(*first));
    return true;
  }
  return false;
}

void guard::look_at_body(alarm_clock& clock, body_watch& watch) noexcept {
  clock.watches.erase(watch);
  if (watch.rests()) return unlist_if_idle(clock);
  pool_core& core = *watch.core;
  const long_body found = core.find_long_body(watch, clock.floor);
  clock.watches.insert(watch);
  if (found.task == nullptr) return;
  go_outside();
  core.report_long_body(found);
  come_back();
}

// Each clock once at most, so that one which says "look again" for ever holds up nobody else.
void guard::look_at_clocks() noexcept {
  ++round_;
  const time_point now = sync::real_now();
  alarm_clock* at = clocks_.front();
  while (at != nullptr) {
    if (at->look_at > now || at->round == round_) {
      at = clocks_.next(*at);
      continue;
    }
    at->round = round_;
    look(*at, now);
    at = clocks_.front();  // the lock was free meanwhile
  }
}

void guard::look(alarm_clock& clock, time_point real_now) noexcept {
  if (clock.source == nullptr) {
    advance(clock, real_now);
    clock.look_at = clock.earliest();
    return;
  }
  const time_point due = clock.earliest();
  clock.look_at = time_point::max();
  if (clock.core != nullptr) clock.core->begin_errand();
  go_outside();
  const time_point now = clock.source->now();
  sync::deadline real;
  if (due > now && due != time_point::max()) real = clock.source->real_time_of(due);
  come_back();
  advance(clock, now);
  // Another one is first now, or will be when a body has been looked at: its real time has not been
  // asked yet.
  const time_point next = clock.earliest();
  const bool unasked = next != time_point::max() && (next != due || due <= now);
  if (clock.listed && unasked) clock.look_at = time_point::min();
  if (clock.listed) clock.look_at = std::min(clock.look_at, real.value_or(time_point::max()));
  if (clock.core == nullptr) return;
  go_outside();
  clock.core->end_errand();
  come_back();
}

// What is armed from here on compares itself with `sleeps_until_` under the same lock (G3).
void guard::sleep() noexcept {
  time_point until = time_point::max();
  for (auto* at = clocks_.front(); at != nullptr; at = clocks_.next(*at)) {
    until = std::min(until, at->look_at);
  }
  // max(): no deadline at all.
  sync::deadline real;
  if (until != time_point::max()) real = until;
  sleeps_until_ = until;
  mutex_.unlock();
  (void)parker_.park_until(real);
  mutex_.lock();
  sleeps_until_ = time_point::min();
}

// The memory of other threads' frames is still there, their threads are not: their alarms must not
// stay linked, since new threads may use that memory again.
void guard::resume_child() noexcept WEIR_NO_THREAD_SAFETY_ANALYSIS {
  while (alarm_clock* clock = clocks_.pop_front()) {
    for (alarm_heap* heap : {&clock->limits, &clock->watches}) {
      while (alarm* first = heap->front()) heap->erase(*first);
    }
    clock->listed = false;
    clock->look_at = time_point::max();
  }
  stopped_ = {};
  ++forks_;
  thread_.forget();
  started_.store(false, sync::relaxed);
  mutex_.unlock();
}

}  // namespace weir::detail
