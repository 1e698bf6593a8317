#include <stdexcept>
#include <utility>

#include "pool/pool_core.hpp"
#include "task/extras.hpp"
#include "weir/detail/duration.hpp"

namespace weir::detail {

// The waiting places that would be in use with so many more tasks. A ready task that an idle worker
// will take waits nowhere, whether or not that worker has woken up.
std::size_t pool_core::waiting_with(std::size_t ready, std::size_t delayed) const noexcept {
  const std::size_t idle = free_workers();
  const std::size_t due = ready_ + ready;
  return held_places_ + delayed_ + delayed + (due > idle ? due - idle : 0);
}

// Whether so many more fit where so many workers take one ready task each. What a worker takes at
// once needs no place, and is not refused for the sake of others that have lost theirs to a lowered
// capacity.
bool pool_core::fits(std::size_t takers, std::size_t ready, std::size_t delayed) const noexcept {
  const std::size_t due = ready_ + ready;
  const std::size_t later = held_places_ + delayed_ + delayed;
  if (due <= takers) return delayed == 0 || later <= limits_.capacity;
  return later + (due - takers) <= limits_.capacity;
}

// The tree of contract B1: core worker, waiting place, extra worker, saturated; with eager growth
// the extra worker comes before the place. A delayed task needs a place in any case; a further
// worker makes one when it takes a ready task that waits. A paused pool has its places alone (R14).
decision pool_core::decide_by_counts(bool delayed) const noexcept {
  const std::size_t free = free_workers();
  const std::size_t ready = delayed ? 0 : 1;
  const bool place_free = fits(free, ready, 1 - ready);
  if (paused_) return place_free ? decision::enqueue : decision::saturated;
  const std::size_t at_work = workers_ - blocking_;
  const bool fits_grown = workers_ < limits_.max && fits(limits_.max - busy_, ready, 1 - ready);
  if (!delayed && at_work < limits_.core && fits_grown) return decision::start_worker;
  if (place_free) {
    const bool eager = limits_.growth == growth::eager && ready_ >= free;
    const bool wanted = at_work == 0 || (delayed ? at_work < limits_.core : eager);
    return wanted && fits_grown ? decision::start_worker : decision::enqueue;
  }
  return fits_grown && ready_ + ready > free ? decision::start_worker : decision::saturated;
}

// A task that a worker starts out of its claims frees its place without a word: the counts err on
// the full side. Where that makes a difference they are brought up to date, and the answer is
// exact.
decision pool_core::decide(const task_base& task) noexcept {
  const std::size_t weight = weight_of(task);
  const decision rough = too_heavy(weight) ? decision::saturated : decide_by_counts(task.delayed);
  if (rough == decision::enqueue || ahead_.empty()) return rough;
  fold_all();
  return too_heavy(weight) ? decision::saturated : decide_by_counts(task.delayed);
}

bool pool_core::start_worker() noexcept {
  if (forked_) return false;
  try {
    if (free_places_.empty()) {
      places_.push_back(std::make_unique<worker>(places_.size()));
      free_places_.push_back(*places_.back());
    }
    worker* const place = free_places_.front();
    place->settle_in();
    place->watch.index = place->watch.id = place->index;
    place->watch.core = this;
    retain();
    try {
      place->thread = sync::thread([this, place] { work(*place); });
    } catch (...) {
      owners_.fetch_sub(1, sync::relaxed);
      throw;
    }
    free_places_.remove(*place);
  } catch (...) {
    return false;
  }
  ++workers_;
  if (workers_ > counts_.workers_max) counts_.workers_max = workers_;
  return true;
}

// A thread that cannot be had leaves everything as it was (B9): with another worker there the task
// waits for that one, inside the bound of workers and places together.
std::optional<reject_reason> pool_core::take_in(task_base& task, decision how) {
  queue_.reserve(task.delayed);
  if (how == decision::start_worker && !start_worker()) {
    if (workers_ == 0) return reject_reason::no_thread;
    if (!all_fit(task.delayed ? 0 : 1, task.delayed ? 1 : 0, weight_of(task))) {
      return reject_reason::saturated;
    }
  }
  accept(task);
  enter_queue(task);
  return std::nullopt;
}

void pool_core::accept(task_base& task) noexcept {
  task.id = ++last_id_;
  task.core = this;
  counts_.weight += weight_of(task);
  ++counts_.accepted;
}

void pool_core::enter_queue(task_base& task) noexcept {
  if (task.delayed) {
    ++delayed_;
    queue_.push_delayed(task);
    update_hint();
    if (task.recurring) enter_series(static_cast<occurrence&>(task));
  } else {
    ++ready_;
    queue_.push_ready(task);
  }
  const std::size_t waiting = waiting_with(0, 0);
  if (waiting > counts_.waiting_max) counts_.waiting_max = waiting;
}

admission_entry pool_core::enter_locked(task_base& task, const admission_request& request) {
  note_time(request.now);
  if (!task.delayed && queue_.has_delayed()) task.due = now_floor_;
  // A delay counts from the latest time that the pool has seen, should this reading lie before it.
  if (request.relative) task.due = saturating_add(request.due, now_floor_ - request.now);
  if (request.wall) task.due = due_by_wall(*request.wall, request.wall_round, task.due);
  if (closed_) {
    ++counts_.refused;
    return {entry::kind::refused, why_closed(), nullptr};
  }
  if (request.stop.stop_requested()) {
    ++counts_.refused;
    return {entry::kind::refused, reject_reason::stopped, nullptr};
  }
  require_bearable(task);
  const decision how = must_stand_behind() ? decision::saturated : decide(task);
  if (how == decision::saturated) return {entry::kind::full};
  if (const auto why = take_in(task, how)) {
    if (*why == reject_reason::saturated) return {entry::kind::full};
    ++counts_.refused;
    return {entry::kind::refused, *why, nullptr};
  }
  return {entry::kind::accepted, {}, whom_to_wake(), task.id};
}

// An immediate task needs the clock only while a delayed one is pending, and the clock is user
// code: it is read outside the lock, and the look is taken again if that became necessary
// meanwhile.
admission_entry pool_core::enter(task_base& task, admission_request& request) {
  if (request.now == k_due_at_once && delayed_hint_.load(sync::relaxed)) {
    request.now = clock().now();
  }
  for (;;) {
    {
      const sync::lock_guard lock(mutex_);
      if (request.now != k_due_at_once || !queue_.has_delayed()) {
        return enter_locked(task, request);
      }
    }
    request.now = clock().now();
  }
}

refusal pool_core::refuse(reject_reason why, const admission_request& request) {
  if (request.how != admission_request::mode::by_policy) return {why};
  const pool_counts now = counts();
  return {why, "weir: " + options_.name + " refused a task: " + to_string(why) + " (" +
                   std::to_string(now.running) + " running on " + std::to_string(now.workers) +
                   " workers, " + std::to_string(now.queued + now.delayed) + " waiting" +
                   (now.held > 0 ? ", " + std::to_string(now.held) + " held by series)" : ")")};
}

void pool_core::accepted_event(std::uint64_t id, const admission_request& request) const noexcept {
  if (options_.observer != nullptr) options_.observer->task_accepted({id, request.name});
}

std::optional<refusal> pool_core::conclude(const entry& entered, const admission_request& request) {
  if (entered.wake != nullptr) entered.wake->parker.unpark();
  if (entered.what == entry::kind::refused) return refuse(entered.why, request);
  accepted_event(entered.id, request);
  return std::nullopt;
}

bool pool_core::admit_at_once(task_base& task) noexcept {
  if (options_.observer != nullptr || delayed_hint_.load(sync::relaxed)) return false;
  if (measures_next()) return false;
  worker* wake = nullptr;
  {
    const sync::lock_guard lock(mutex_);
    const bool usual = !closed_ && !queue_.has_delayed() && queue_.has_room() &&
                       !must_stand_behind() && decide_by_counts(false) == decision::enqueue;
    if (!usual) return false;
    accept(task);
    enter_queue(task);
    wake = whom_to_wake();
  }
  sampling::pass();
  if (wake != nullptr) wake->parker.unpark();
  return true;
}

std::optional<refusal> pool_core::admit(task_base& task, admission_request& request) {
  task.delayed = request.delayed;
  task.due = request.due;
  if (request.wall) set_wall_due(task, request.wall);
  if (measures_this()) {
    if (request.now == k_due_at_once) request.now = clock().now();
    stamp_submitted(task, request.now);
  }
  // The task may be over before this returns: what the observer is told is copied first.
  if (options_.observer != nullptr) request.name = name_of(task);
  const entry entered = enter(task, request);
  if (entered.what == entry::kind::full) return admit_when_full(task, request);
  return conclude(entered, request);
}

// Whether so many more fit into all workers that are allowed, started or not, and all places.
bool pool_core::all_fit(std::size_t ready, std::size_t delayed, std::size_t weight) noexcept {
  fold_all();
  if (too_heavy(weight)) return false;
  const std::size_t takers = paused_ || limits_.max < busy_ ? 0 : limits_.max - busy_;
  return fits(takers, ready, delayed);
}

// What would never fit is no question of room.
void pool_core::require_bearable(const task_base& task) const {
  const std::size_t weight = weight_of(task);
  if (weight <= limits_.capacity_weight) return;
  throw std::invalid_argument("weir: " + options_.name + ": a task of weight " +
                              std::to_string(weight) + " can never enter, capacity_weight is " +
                              std::to_string(limits_.capacity_weight));
}

standing_policy pool_core::policy() noexcept {
  const sync::lock_guard lock(mutex_);
  return policy_;
}

std::optional<refusal> pool_core::admit_all(std::vector<task_base*>& tasks) {
  const standing_policy now = policy();
  if (now.function != nullptr || now.fixed != saturation::reject) return admit_one_by_one(tasks);
  return admit_together(tasks);
}

std::optional<refusal> pool_core::admit_one_by_one(std::vector<task_base*>& tasks) {
  for (std::size_t at = 0; at < tasks.size(); ++at) {
    bool accepted = false;
    admission_request request;
    request.accepted = &accepted;
    try {
      if (auto refused = admit(*tasks[at], request)) {
        tasks.resize(at);
        return refused;
      }
    } catch (...) {
      tasks.resize(at + (accepted ? 1 : 0));
      throw;
    }
  }
  return std::nullopt;
}

std::optional<refusal> pool_core::admit_together(std::vector<task_base*>& tasks) {
  time_point now = delayed_hint_.load(sync::relaxed) ? clock().now() : k_due_at_once;
  for (task_base* task : tasks) {
    if (!measures_this()) continue;
    if (now == k_due_at_once) now = clock().now();
    stamp_submitted(*task, now);
  }
  std::optional<reject_reason> why;
  worker* wake = nullptr;
  std::size_t accepted = 0;
  try {
    const sync::lock_guard lock(mutex_);
    note_time(now);
    if (closed_)
      why = why_closed();
    else if (must_stand_behind() || !all_fit(tasks.size(), 0, 0))
      why = reject_reason::saturated;
    else
      queue_.reserve_ready(tasks.size());  // nothing below throws
    while (!why && accepted < tasks.size()) {
      task_base& task = *tasks[accepted];
      if (queue_.has_delayed()) task.due = now_floor_;
      decision how = decide(task);
      // Only a thread that could not be had makes the tree say so here; the places are counted
      // above.
      if (how == decision::saturated) how = decision::enqueue;
      why = take_in(task, how);
      if (!why) ++accepted;
    }
    if (why) counts_.refused += tasks.size() - accepted;
    wake = whom_to_wake();
  } catch (const std::bad_alloc&) {
    tasks.clear();  // none is the pool's
    throw;
  }
  if (wake != nullptr) wake->parker.unpark();
  tasks.resize(accepted);
  if (options_.observer != nullptr) {
    for (const task_base* task : tasks)
      options_.observer->task_accepted({task->id, name_of(*task)});
  }
  if (why) return refuse(*why, {});
  return std::nullopt;
}

}  // namespace weir::detail
