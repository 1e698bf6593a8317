#include <array>

#include "pool/pool_core.hpp"

/// Claims: which task a worker runs next, what it takes ahead, and how others reach that. The
/// argument stands in docs/design/claims.md; the invariants C1 to C4 named below are its.
namespace weir::detail {

// The next task in order, moved to `running`; null when nothing is due. What others have claimed
// ahead is older than the queue (C1), but theirs to start while they get on with it.
task_base* pool_core::claim(worker& self) noexcept {
  leave_ahead(self);
  if (stands_back()) return nullptr;
  task_base* task = claim_from_stuck(self);
  if (task == nullptr) task = claim_from_queue(self);
  while (task == nullptr && !ahead_.empty()) task = claim_from(*ahead_.front(), self);
  if (task == nullptr) return nullptr;
  ++busy_;
  self.was_idle = false;
  // The last task of a closed pool: who is idle has nothing to stay for while its body runs.
  if (closed_ && ready_ == 0 && delayed_ == 0) wake_all_idle();
  if (task->delayed) admit_blocked();
  return task;
}

task_base* pool_core::claim_from_queue(worker& self) noexcept {
  task_base* const task = queue_.pick(now_floor_);
  if (task == nullptr) return nullptr;
  self.claims.running = task;
  note_start(*task);
  claim_ahead(self);
  return task;
}

void pool_core::note_start(task_base& task) noexcept {
  if (task.recurring) {
    keep_place(static_cast<occurrence&>(task));
  } else {
    give_place_back(task);
  }
  if (task.delayed) lateness_.record(now_floor_ - task.due);
}

// The next of what the worker itself has claimed ahead; null when nothing is left of that.
task_base* pool_core::start_claimed(worker& self) noexcept {
  if (!self.ahead) return nullptr;
  const sync::lock_guard hold(self.claims.mutex);
  task_base* const task = self.claims.start_next();
  if (task != nullptr) ++busy_;
  return task;
}

// As much as has paid: a worker whose tasks take their time claims one by one. So does everybody on
// a clock that is not the real one: a pool under test starts its tasks in their exact order.
void pool_core::claim_ahead(worker& self) noexcept {
  if (!claims_ahead_) return;
  const std::size_t count = std::min(queue_.ready_size(), self.pace.reach());
  if (count == 0) return;
  std::array<task_base*, claims::k_most> taken;
  const std::size_t found = queue_.take_ahead(taken.data(), count);
  if (found == 0) return;
  const sync::lock_guard hold(self.claims.mutex);
  self.claims.fill(taken.data(), found);
  enter_ahead(self);
  ahead_.push_back(self);
}

void pool_core::enter_ahead(worker& self) noexcept {
  self.claims.tell = !blocked_.empty();
  self.ahead = true;
  self.seen = self.folded - 1;
}

// The older half of what another one has claimed, the first of it started. They change places in
// the order of claims, for what is left there is younger.
task_base* pool_core::claim_from(worker& other, worker& self) noexcept {
  std::array<task_base*, claims::k_most> moved;
  std::size_t count = 0;
  bool emptied = false;
  {
    const sync::lock_guard hold(other.claims.mutex);
    count = other.claims.split(moved.data());
    emptied = other.claims.empty();
  }
  if (emptied) leave_ahead(other);
  ++counts_.steals;
  const sync::lock_guard hold(self.claims.mutex);
  self.claims.fill(moved.data(), count);
  task_base* const task = self.claims.start_next();
  if (task == nullptr) return nullptr;
  --ready_;
  ++self.folded;
  if (self.claims.empty()) return task;
  enter_ahead(self);
  ahead_.push_front(self);
  return task;
}

// The oldest unstarted task of all is the first of the front of `ahead_` (C1). Its owner must have
// started something since the last claim of anybody; else it is taken over (C3).
task_base* pool_core::claim_from_stuck(worker& self) noexcept {
  worker* const front = ahead_.front();
  if (front == nullptr) return nullptr;
  fold(*front);
  const bool stuck = front->folded == front->seen;
  front->seen = front->folded;
  return stuck ? claim_from(*front, self) : nullptr;
}

// Takes over into the counts what a worker has done with its claims since the last look.
void pool_core::fold(worker& owner) noexcept {
  const sync::lock_guard hold(owner.claims.mutex);
  fold_held(owner);
}

void pool_core::fold_held(worker& owner) noexcept {
  ready_ -= owner.claims.starts - owner.folded;
  owner.folded = owner.claims.starts;
  const end_counts ended = std::exchange(owner.claims.ended, {});
  counts_.succeeded += ended.succeeded;
  counts_.failed += ended.failed;
  counts_.cancelled += ended.cancelled;
  counts_.weight -= ended.weight;
  if (closed_ && ready_ == 0 && delayed_ == 0) wake_all_idle();
}

void pool_core::fold_all() noexcept {
  for (worker* at = ahead_.front(); at != nullptr; at = ahead_.next(*at)) fold(*at);
}

// Its claims are empty, and will be until it comes to the lock.
void pool_core::leave_ahead(worker& owner) noexcept {
  if (!owner.ahead) return;
  fold(owner);
  ahead_.remove(owner);
  owner.ahead = false;
  if (std::exchange(owner.orphaned, false)) free_places_.push_back(owner);
}

// Ends one body and starts the next that was claimed ahead, without the pool's lock. Null, and
// nothing has happened, when nothing is left to start.
task_base* pool_core::finish_ahead(worker& self, task_base& task, body_end end) noexcept {
  task_base* next = nullptr;
  bool waited = false;
  bool tell = false;
  {
    const sync::lock_guard hold(self.claims.mutex);
    // Null where the body has forked: in the child nothing more is started.
    if (self.claims.running == nullptr) return nullptr;
    next = self.claims.start_next();
    if (next == nullptr) return nullptr;
    waited = complete(self.claims.ended, task, end);
    tell = self.claims.tell;
  }
  after_end(task, waited);
  if (tell) tell_start(self);
  return next;
}

void pool_core::tell_start(worker& self) noexcept {
  worker* wake = nullptr;
  {
    const sync::lock_guard lock(mutex_);
    fold(self);
    admit_blocked();
    wake = whom_to_wake();
    const sync::lock_guard hold(self.claims.mutex);
    self.claims.tell = !blocked_.empty();
  }
  if (wake != nullptr) wake->parker.unpark();
}

// From here on every start out of claims passes through the pool's lock (C2). Comes before the look
// for room: the other way round a place that becomes free in between is told to nobody.
void pool_core::ask_for_starts() noexcept {
  for (worker* at = ahead_.front(); at != nullptr; at = ahead_.next(*at)) {
    const sync::lock_guard hold(at->claims.mutex);
    at->claims.tell = true;
  }
}

// For a task that its caller has won. Afterwards its place tells where else it is linked, also when
// a worker has dropped it meanwhile.
void pool_core::remove_claimed(task_base& task) noexcept {
  for (worker* at = ahead_.front(); at != nullptr; at = ahead_.next(*at)) {
    const sync::lock_guard hold(at->claims.mutex);
    if (at->claims.remove(task)) return;
  }
}

// The first task beyond the `ahead` first ones that may still start, moved to `cancelling`.
task_base* pool_core::discard_claimed(std::size_t& ahead) noexcept {
  for (worker* at = ahead_.front(); at != nullptr; at = ahead_.next(*at)) {
    const sync::lock_guard hold(at->claims.mutex);
    while (task_base* victim = at->claims.find_behind(ahead)) {
      at->claims.remove(*victim);
      bool was_detached = false;
      if (try_cancel_unstarted(*victim, cancel_reason::discarded, was_detached)) return victim;
    }
  }
  return nullptr;
}

}  // namespace weir::detail
