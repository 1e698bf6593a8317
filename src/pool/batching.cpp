#include <algorithm>

#include "pool/pool_core.hpp"
#include "task/run_body.hpp"

/// Claims ahead: while nobody is idle, a worker takes several tasks under one lock hold and runs
/// them without it. What it has taken stays queued, cancellable and open to others until it starts.
/// The argument stands in docs/design/claim-ring.md.
namespace weir::detail {

// Half of each worker's share, so that the others find something; one at a time while anybody
// sleeps, waits for room, or for a due time, since those must hear of every single step.
void pool_core::claim_ahead(worker& self, task_base& first) noexcept {
  if (!idle_.empty() || waking_ > 0 || !blocked_.empty() || queue_.has_delayed()) return;
  const std::size_t share = queue_.ready_size() / (sync::k_claim_share * workers_);
  if (share == 0) return;
  task_base** slots = self.ring.slots();
  slots[0] = &first;
  const std::size_t ahead = queue_.take_ahead(slots + 1, std::min(share, claim_ring::k_size - 1));
  self.progress.store(self.folded << 1 | 1, sync::relaxed);
  self.current = nullptr;
  self.batching = true;
  batchers_.push_back(self);
  self.ring.open(1 + ahead);
}

// Takes over into the counts what a batching worker has started since the last look. Returns
// whether it is between two bodies: then it is as good as idle, and its place is free.
bool pool_core::fold(worker& other) noexcept {
  // ordering: batch-progress
  const std::uint64_t progress = other.progress.load(sync::acquire);
  const std::uint64_t starts = progress >> 1;
  ready_ -= starts - other.folded;
  other.folded = starts;
  return (progress & 1) == 0;
}

std::size_t pool_core::fold_all() noexcept {
  std::size_t between = 0;
  for (worker* at = batchers_.front(); at != nullptr; at = batchers_.next(*at))
    between += fold(*at);
  return between;
}

// Puts what a ring still holds back into the queue, the youngest first. A task that a canceller has
// won meanwhile is not put back: if the canceller is done with it, only its memory is left to free.
bool pool_core::put_back(worker& owner, std::size_t head, std::size_t end) noexcept {
  bool any = false;
  while (end > head) {
    task_base& task = *owner.ring.at(--end);
    if (startable(task) && queue_.put_back(task)) {
      any = true;
    } else {
      drop_claim(task);
    }
  }
  return any;
}

// The claim on a task that its canceller has won ends: whoever of the two comes second frees it.
void pool_core::drop_claim(task_base& task) noexcept {
  if (task.place == task_place::abandoned) {
    detail::release(&task);
  } else {
    task.place = task_place::nowhere;
  }
}

// Everything claimed ahead comes back, in order: of all rings the one whose last task is the
// youngest goes first. What is in rings is older than what is in the queue, so the front is its
// place.
bool pool_core::recall_all() noexcept {
  bool any = false;
  std::size_t left = 0;
  for (worker* at = batchers_.front(); at != nullptr; at = batchers_.next(*at)) {
    const auto rest = at->ring.recall(false);
    at->recalled_head = rest.head;
    at->recalled_end = rest.end;
    left += rest.end - rest.head;
  }
  for (; left > 0; --left) {
    worker* youngest = nullptr;
    std::uint64_t youngest_id = 0;
    for (worker* at = batchers_.front(); at != nullptr; at = batchers_.next(*at)) {
      if (at->recalled_end == at->recalled_head) continue;
      const std::uint64_t id = at->ring.at(at->recalled_end - 1)->id;
      if (youngest != nullptr && id < youngest_id) continue;
      youngest = at;
      youngest_id = id;
    }
    any |= put_back(*youngest, youngest->recalled_end - 1, youngest->recalled_end);
    --youngest->recalled_end;
  }
  return any;
}

void pool_core::leave_batch(worker& self) noexcept {
  if (!self.batching) return;
  fold(self);
  batchers_.remove(self);
  self.batching = false;
  --busy_;
}

// A task out of the ring that a canceller was faster to.
void pool_core::settle_lost_claim(worker& self, task_base& task) noexcept {
  const sync::lock_guard lock(mutex_);
  self.ring.forget_last();
  drop_claim(task);
}

void pool_core::count_end(worker& self, body_end end) noexcept {
  auto& counter = end == body_end::succeeded ? self.ended.succeeded
                  : end == body_end::failed  ? self.ended.failed
                                             : self.ended.cancelled;
  counter.store(counter.load(sync::relaxed) + 1, sync::relaxed);
}

// The end of one body of a batch and the start of the next, without the lock. The order matters:
// the place is free before the end is public (R6), and the task is released only after the pop has
// told whether an aborter may be at it.
task_base* pool_core::finish_and_pop(worker& self, task_base& task, body_end end) noexcept {
  count_end(self, end);
  if (end == body_end::failed) hold_core_for_failure(task);
  std::uint64_t progress = self.progress.load(sync::relaxed) & ~std::uint64_t{1};
  // ordering: batch-progress
  self.progress.store(progress, sync::release);
  if (publish(task, end)) wake_waiters(task);
  task_base* next = nullptr;
  bool visited = false;
  bool first_look = true;
  do {
    next = self.ring.pop(visited);
    if (first_look) {
      if (visited) const sync::lock_guard wait_for_aborter(mutex_);
      detail::release(&task);
      first_look = false;
    }
    if (next == nullptr) return nullptr;
    if (try_start(*next)) break;
    settle_lost_claim(self, *next);
  } while (true);
  progress += 2;
  // ordering: batch-progress
  self.progress.store(progress | 1, sync::release);
  return next;
}

}  // namespace weir::detail
