#include <algorithm>

#include "base/prefetch.hpp"
#include "pool/pool_core.hpp"
#include "task/task_memory.hpp"
#include "weir/detail/duration.hpp"

/// Who sleeps and who is woken. The proof that no wake-up is lost stands in
/// docs/design/idle-workers.md; the invariants I1 and I2 named below are its.
namespace weir::detail {

time_point pool_core::read_clock(worker& self) noexcept {
  const time_point reading = clock().now();
  if (reading < self.last_reading) {
    ++self.regressions;
    return self.last_reading;
  }
  self.last_reading = reading;
  return reading;
}

void pool_core::note_time(time_point now) noexcept { now_floor_ = std::max(now_floor_, now); }

bool pool_core::may_time_out() const noexcept {
  return !paused_ && (workers_ > limits_.core || limits_.core_may_time_out);
}

// While a delayed task is pending one worker stays (R16), and it must be an idle one: a busy one
// may be busy for ever, and so may one that runs what follows its task.
bool pool_core::needed_for_delayed() const noexcept {
  return delayed_ > 0 && workers_ - busy_ - continuing_workers_ == 1;
}

bool pool_core::leaves(worker& self) noexcept {
  counts_.clock_regressions += std::exchange(self.regressions, 0);
  bool leaving = workers_ > limits_.max || (closed_ && ready_ == 0 && delayed_ == 0);
  if (!may_time_out()) self.was_idle = false;
  if (!leaving && may_time_out()) {
    if (!self.was_idle) self.leave_at = saturating_add(now_floor_, limits_.keep_alive);
    self.was_idle = true;
    leaving = self.leave_at <= now_floor_ && !needed_for_delayed();
  }
  if (!leaving) return false;
  --workers_;
  ++departing_;
  return true;
}

time_point pool_core::list_as_idle(worker& self) noexcept {
  idle_.push_back(self);
  self.listed = true;
  time_point until = time_point::max();
  const bool may_lead = queue_.has_delayed() && !paused_;
  if (may_lead && (leader_ == nullptr || queue_.earliest_delayed() < leader_until_)) {
    leader_ = &self;
    leader_until_ = until = queue_.earliest_delayed();
  }
  self.stays = self.was_idle && needed_for_delayed();
  if (self.was_idle && !self.stays) until = std::min(until, self.leave_at);
  return until;
}

void pool_core::unlist(worker& self) noexcept {
  if (self.woken) {
    self.woken = false;
    --waking_;
  }
  if (!self.listed) return;
  idle_.remove(self);
  self.listed = false;
  if (leader_ == &self) leader_ = nullptr;
}

void pool_core::mark_woken(worker& target) noexcept {
  unlist(target);
  target.woken = true;
  ++counts_.wakes;
  ++waking_;
}

// At most one worker is on its way at a time; it wakes the next one when it has claimed something
// and more is left (I1). The last to fall asleep is woken first, its caches being warm; the leader
// only when no other sleeps or when its own time has changed (I2).
worker* pool_core::choose_sleeper() noexcept {
  worker* target = nullptr;
  if (paused_) return nullptr;
  if (queue_.has_ready() || !ahead_.empty() || (queue_.has_delayed() && leader_ == nullptr)) {
    target = idle_.back();
    if (target == leader_ && idle_.prev(*target) != nullptr) target = idle_.prev(*target);
  } else if (queue_.has_delayed() && queue_.earliest_delayed() < leader_until_) {
    target = leader_;
  } else if (idle_.back()->stays && !needed_for_delayed()) {
    target = idle_.back();  // it sleeps past its keep-alive for a delayed task that is gone
  }
  if (target != nullptr) mark_woken(*target);
  return target;
}

void pool_core::wake_all_idle() noexcept {
  while (worker* sleeper = idle_.back()) {
    mark_woken(*sleeper);
    sleeper->parker.unpark();
  }
}

void pool_core::sleep(worker& self, time_point until) noexcept {
  self.pace.sleeps();
  sync::deadline real;
  if (until != time_point::max()) real = clock().real_time_of(until);
  if (!rest_before_trim(self, real)) (void)self.parker.park_until(real);
  fetch_shared_lines();
}

// Whoever woke this worker has just written them: all on their way at once they come sooner.
void pool_core::fetch_shared_lines() const noexcept {
  constexpr std::ptrdiff_t k_line = 64;
  const auto* line = reinterpret_cast<const char*>(&mutex_);
  for (const auto* end = reinterpret_cast<const char*>(this + 1); line < end; line += k_line) {
    prefetch_for_write(line);
  }
}

// After a burst one worker, of all pools, sleeps lightly at first: work that comes again soon finds
// the memory of the last still there; else it goes back to the system. Returns whether the worker
// must get up.
bool pool_core::rest_before_trim(worker& self, sync::deadline until) noexcept {
  constexpr auto k_rest = std::chrono::milliseconds(100);
  if (!take_trimming()) return false;
  const auto end = sync::real_now() + k_rest;
  const bool first = until && *until <= end;
  const bool woken = self.parker.park_until(first ? until : end);
  if (!woken && !first) trim_task_memory();
  leave_trimming();
  return woken || first;
}

void pool_core::update_hint() noexcept { delayed_hint_.store(queue_.has_delayed(), sync::relaxed); }

void pool_core::clock_moved(time_point now) noexcept {
  if (wake_for(now)) guard::instance().clock_moved(alarms_, now);
}

// Returns whether the guard wants to hear of it.
bool pool_core::wake_for(time_point now) noexcept {
  const sync::lock_guard lock(mutex_);
  note_time(now);
  if (!inside_waits_.empty()) poke_waits();
  if (leader_ != nullptr && leader_until_ <= now_floor_) {
    worker& leader = *leader_;
    mark_woken(leader);
    leader.parker.unpark();
  }
  if (!may_time_out() || needed_for_delayed()) return guarded_;
  worker* before = nullptr;
  for (worker* sleeper = idle_.back(); sleeper != nullptr; sleeper = before) {
    before = idle_.prev(*sleeper);
    if (!sleeper->was_idle || sleeper->leave_at > now_floor_) continue;
    mark_woken(*sleeper);
    sleeper->parker.unpark();
  }
  return guarded_;
}

std::optional<time_point> pool_core::next_due() noexcept {
  const sync::lock_guard lock(mutex_);
  if (!queue_.has_delayed()) return std::nullopt;
  return queue_.earliest_delayed();
}

}  // namespace weir::detail
