#include <utility>
#include <vector>

#include "pool/pool_core.hpp"

/// Limits that change while the pool runs, pausing, and workers before their time. Whatever changes
/// here ends with a fresh look of all: idle workers wake and decide anew, blocked submitters get
/// the room that has come. Running bodies notice nothing.
namespace weir::detail {

limits pool_core::current_limits() noexcept {
  const sync::lock_guard lock(mutex_);
  return limits_;
}

void pool_core::change_limits(const std::function<void(limits&)>& change) {
  worker* wake = nullptr;
  {
    const sync::lock_guard lock(mutex_);
    limits wanted = limits_;
    change(wanted);
    check(wanted);
    if (wanted == limits_) return;
    limits_ = wanted;
    reconsider();
    wake = whom_to_wake();
  }
  if (wake != nullptr) wake->parker.unpark();
}

// The old policy may be user code: it is let go of outside of the lock.
void pool_core::set_saturation(saturation_policy policy) {
  check(policy);
  standing_policy next(std::move(policy));
  const sync::lock_guard lock(mutex_);
  std::swap(policy_, next);
}

// Idle workers start their keep-alive anew, or leave where there are too many of them.
void pool_core::reconsider() noexcept {
  grow();
  for (const auto& place : places_) place->was_idle = false;
  wake_all_idle();
  admit_blocked();
}

// As many workers as the limits want for what waits already. What finds no place any more where the
// capacity has been lowered gets a worker, as far as `max` allows.
void pool_core::grow() noexcept {
  if (paused_) return;
  const std::size_t wanted = limits_.growth == growth::eager ? limits_.max : limits_.core;
  const auto lacks_worker = [&]() WEIR_REQUIRES(mutex_) {
    if (workers_ >= limits_.max || ready_ <= free_workers()) return false;
    return workers_ < wanted || waiting_with(0, 0) > limits_.capacity;
  };
  while (lacks_worker() && start_worker()) {
  }
  ensure_worker();
}

std::size_t pool_core::prestart(std::size_t most) noexcept {
  const sync::lock_guard lock(mutex_);
  std::size_t started = 0;
  while (started < most && !closed_ && workers_ < limits_.core && start_worker()) ++started;
  return started;
}

// What was claimed ahead goes back to the front of the queue, where it came from.
void pool_core::take_claims_back() {
  std::size_t most = 0;
  for (worker* at = ahead_.front(); at != nullptr; at = ahead_.next(*at)) most += claims::k_most;
  std::vector<task_base*> claimed;
  claimed.reserve(most);
  queue_.reserve_front(most);
  while (worker* owner = ahead_.front()) {
    {
      const sync::lock_guard hold(owner->claims.mutex);
      while (task_base* task = owner->claims.pop()) claimed.push_back(task);
    }
    leave_ahead(*owner);
  }
  queue_.push_front(claimed.data(), claimed.size());
}

void pool_core::pause() {
  const sync::lock_guard lock(mutex_);
  if (paused_) return;
  take_claims_back();
  paused_ = true;
  // Their sleep ends at no due time and at no keep-alive from here on.
  wake_all_idle();
}

void pool_core::resume() noexcept {
  worker* wake = nullptr;
  {
    const sync::lock_guard lock(mutex_);
    if (!paused_) return;
    paused_ = false;
    reconsider();
    poke_waits();
    wake = whom_to_wake();
  }
  if (wake != nullptr) wake->parker.unpark();
}

bool pool_core::paused() noexcept {
  const sync::lock_guard lock(mutex_);
  return paused_;
}

}  // namespace weir::detail
