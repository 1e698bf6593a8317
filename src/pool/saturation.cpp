#include <stdexcept>
#include <utility>
#include <vector>

#include "pool/pool_core.hpp"
#include "pool/rest_guard.hpp"
#include "task/extras.hpp"
#include "task/state_word.hpp"

namespace weir::detail {

// Room may appear between two looks at the lock: every path below looks again before it acts, so
// that no task is discarded, run here or refused while a place is free.

std::optional<refusal> pool_core::admit_when_full(task_base& task, admission_request& request) {
  if (request.how == admission_request::mode::try_once) return refuse_full(task, request);
  if (request.how == admission_request::mode::wait_until) return wait_for_room(task, request);
  const standing_policy now = policy();
  switch (now.function == nullptr ? now.fixed : (*now.function)(stats())) {
    case saturation::reject:
      break;
    case saturation::caller_runs:
      if (task.delayed) break;
      return run_on_caller(task, request);
    case saturation::discard:
      return discard_new(task, request);
    case saturation::discard_oldest:
      return discard_oldest(task, request);
    case saturation::block:
      if (task.delayed && current_limits().capacity == 0) {
        throw std::invalid_argument(
            "weir: a delayed task needs a waiting place and this pool has none: waiting is no "
            "help");
      }
      return wait_for_room(task, request);
  }
  return refuse_full(task, request);
}

std::optional<refusal> pool_core::refuse_full(task_base& task, admission_request& request) {
  const entry entered = enter(task, request);
  if (entered.what != entry::kind::full) return conclude(entered, request);
  {
    const sync::lock_guard lock(mutex_);
    ++counts_.refused;
  }
  return refuse(reject_reason::saturated, request);
}

std::optional<refusal> pool_core::run_on_caller(task_base& task, admission_request& request) {
  outside_run run{task};
  entry entered{entry::kind::full};
  {
    const sync::lock_guard lock(mutex_);
    entered = enter_locked(task, request);
    if (entered.what == entry::kind::full) {
      (void)take_weight(task);  // it stands outside of the bound (R8)
      accept(task);
      ++counts_.caller_ran;
      ++outside_;
      outside_runs_.push_back(run);
      const bool started = try_start(task);
      WEIR_ASSERT(started);
    }
  }
  if (entered.what != entry::kind::full) return conclude(entered, request);
  if (request.accepted != nullptr)
    *request.accepted = true;  // its body may end this thread by force
  accepted_event(task.id, request);
  struct finisher {
    pool_core& core;
    outside_run& run;
    ~finisher() { core.finish_outside(run); }
  } const finish{*this, run};
  const outside_watch watch(*this, run);
  run_reported(task, {options_.name}, this);
  return std::nullopt;
}

std::optional<refusal> pool_core::discard_new(task_base& task, admission_request& request) {
  const entry entered = enter(task, request);
  if (entered.what != entry::kind::full) return conclude(entered, request);
  {
    const sync::lock_guard lock(mutex_);
    ++counts_.refused;
    ++counts_.discarded;
  }
  bool was_detached = false;
  const bool ours = try_cancel_unstarted(task, cancel_reason::discarded, was_detached);
  WEIR_ASSERT(ours);
  task.ops->drop_callable(task);
  if (publish(task, body_end::cancelled)) detail::tell_end(task);
  detail::release(&task);
  return std::nullopt;
}

// The oldest due task that waits, that is, beyond those which free workers are about to take: what
// is discarded does not depend on how fast a worker wakes up. Whatever it is, taking it makes room.
task_base* pool_core::take_victim() noexcept {
  for (;;) {
    std::size_t ahead = free_workers();
    if (task_base* victim = discard_claimed(ahead)) return victim;
    task_base* oldest = queue_.waiting_behind(ahead, now_floor_);
    if (oldest == nullptr) return nullptr;
    queue_.unlink(*oldest);
    bool was_detached = false;
    if (try_cancel_unstarted(*oldest, cancel_reason::discarded, was_detached)) return oldest;
  }
}

// As many of the oldest as the task needs, or none of them (R9). More than one is needed only where
// weights count, or where a limit has been lowered.
task_chain pool_core::take_victims(const task_base& task) {
  task_chain victims;
  const std::size_t weight = counts_.weight + weight_of(task);
  const std::size_t too_much =
      weight > limits_.capacity_weight ? weight - limits_.capacity_weight : 0;
  const std::size_t waiting = waiting_with(task.delayed ? 0 : 1, task.delayed ? 1 : 0);
  const std::size_t too_many = waiting > limits_.capacity ? waiting - limits_.capacity : 0;
  if (too_much == 0 && too_many <= 1) {
    if (task_base* victim = take_victim()) victims.push_back(*victim);
    return victims;
  }
  take_claims_back();
  std::vector<task_base*> chosen;
  std::size_t ahead = free_workers();
  std::size_t freed = 0;
  const bool enough = queue_.find_ready([&](task_base& oldest) {
    if (!startable(oldest)) return false;
    if (ahead > 0) return --ahead, false;
    chosen.push_back(&oldest);
    freed += weight_of(oldest);
    return freed >= too_much && chosen.size() >= too_many;
  }) != nullptr;
  if (!enough) return victims;
  for (task_base* oldest : chosen) {
    queue_.unlink(*oldest);
    bool was_detached = false;
    if (try_cancel_unstarted(*oldest, cancel_reason::discarded, was_detached)) {
      victims.push_back(*oldest);
    }
  }
  return victims;
}

std::optional<refusal> pool_core::discard_oldest(task_base& task, admission_request& request) {
  task_chain victims;
  entry entered{entry::kind::full};
  {
    const sync::lock_guard lock(mutex_);
    entered = enter_locked(task, request);
    if (entered.what == entry::kind::full) {
      queue_.reserve(task.delayed);
      victims = take_victims(task);
    }
    for (task_base* each = victims.front(); each != nullptr; each = each->next) {
      give_place_back(*each);
      counts_.weight -= take_weight(*each);
      ++counts_.discarded;
      ++outside_;
    }
    // A canceller may have been faster at one of them, and have its place still.
    if (victims.front() != nullptr && decide(task) != decision::saturated) {
      accept(task);
      enter_queue(task);
      entered = {entry::kind::accepted, {}, whom_to_wake(), task.id};
    }
  }
  end_victims(victims);
  if (entered.what == entry::kind::full) return discard_new(task, request);
  return conclude(entered, request);
}

void pool_core::end_victims(task_chain victims) noexcept {
  while (task_base* victim = victims.pop_front()) {
    victim->ops->drop_callable(*victim);
    cancelled_event(*victim);
    bool waited = false;
    {
      const rest_guard lock(*this);
      --outside_;
      waited = complete_counted(*victim, body_end::cancelled);
    }
    after_end(*victim, waited);
  }
}

// Whoever makes room admits the first in line on its behalf (admit_blocked) and wakes it under the
// lock.
std::optional<refusal> pool_core::wait_for_room(task_base& task, admission_request& request) {
  blocked_submitter self(task);
  const own_place place = here();
  const bool inside = place.pool == this;
  std::optional<inside_wait> wait;
  if (inside) wait.emplace(*place.self, nullptr, request.until || request.stop.stop_possible());
  entry entered{entry::kind::full};
  {
    const sync::lock_guard lock(mutex_);
    ask_for_starts();
    entered = enter_locked(task, request);
    if (entered.what == entry::kind::full) {
      if (inside) enter_wait(*wait);
      blocked_.push_back(self);
      ++blocked_count_;
      retain();  // under the lock: once listed it may be refused, and the pool be gone
    }
  }
  if (entered.what != entry::kind::full) return conclude(entered, request);

  struct keeper {
    pool_core& core;
    ~keeper() { core.release(); }
  } const keep{*this};
  const std::stop_callback on_stop(request.stop, [&self] { self.parker.unpark(); });
  for (;;) {
    const bool woken = self.parker.park_until(request.until);
    const sync::lock_guard lock(mutex_);
    if (!self.listed) break;
    if (request.stop.stop_requested()) {
      unlist_blocked(self, reject_reason::stopped);
      break;
    }
    if (!woken) {
      unlist_blocked(self, reject_reason::deadline);
      break;
    }
  }
  if (inside) {
    const sync::lock_guard lock(mutex_);
    leave_wait(*wait);
  }
  if (self.no_memory) throw std::bad_alloc();
  if (self.refused) return refuse(*self.refused, request);
  accepted_event(self.id, request);
  return std::nullopt;
}

void pool_core::unlist_blocked(blocked_submitter& waiter,
                               std::optional<reject_reason> refused) noexcept {
  blocked_.remove(waiter);
  --blocked_count_;
  waiter.listed = false;
  waiter.refused = refused;
  if (refused) ++counts_.refused;
}

// First come, first served among those that compete for the same room: an immediate task that a
// free worker takes needs no waiting place and does not stand behind a delayed one that does.
void pool_core::admit_blocked() noexcept {
  bool full[2] = {false, false};
  blocked_submitter* next = nullptr;
  for (auto* waiter = blocked_.front(); waiter != nullptr && !(full[0] && full[1]); waiter = next) {
    next = blocked_.next(*waiter);
    task_base& task = waiter->task;
    if (full[task.delayed]) continue;
    const decision how = decide(task);
    full[task.delayed] = how == decision::saturated;
    if (how == decision::saturated && limits_.capacity_weight != unbounded) return;
    if (how == decision::saturated) continue;
    if (!task.delayed && queue_.has_delayed()) task.due = now_floor_;
    std::optional<reject_reason> why;
    try {
      why = take_in(task, how);
    } catch (const std::bad_alloc&) {
      // Nothing has changed, and there may be no later end to try again at: it is told.
      waiter->no_memory = true;
      unlist_blocked(*waiter, std::nullopt);
      waiter->parker.unpark();
      continue;
    }
    full[task.delayed] = why == reject_reason::saturated;
    if (full[task.delayed]) continue;
    waiter->id = task.id;
    unlist_blocked(*waiter, why);
    waiter->parker.unpark();
  }
}

void pool_core::refuse_blocked(reject_reason why) noexcept {
  while (auto* waiter = blocked_.front()) {
    unlist_blocked(*waiter, why);
    waiter->parker.unpark();
  }
}

}  // namespace weir::detail
