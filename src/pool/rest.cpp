#include <system_error>
#include <utility>

#include "pool/pool_core.hpp"
#include "pool/rest_guard.hpp"
#include "task/continuations.hpp"
#include "task/run_context.hpp"

namespace weir::detail {

pool_core::pool_core(pool_options options, thread_pool* facade)
    : options_(std::move(options)),
      // A history is kept under the pool's lock, which every end of a task must then pass.
      claims_ahead_(options_.clock == &steady_clock::instance() && options_.history == 0),
      keeps_history_(options_.history > 0),
      timing_(options_.timing),
      history_(options_.history),
      limits_(limits_of(options_)),
      policy_(options_.on_saturation),
      facade_(facade) {
  if (watches()) start_watching();
  sync::join_forks(*this, sync::fork_rank::pool);
  listen(clock());
}

pool_core::~pool_core() {
  sync::leave_forks(*this, sync::fork_rank::pool);
  // Only where the pool object died on one of its own workers is the last thread still unjoined: it
  // is this one, or one that is past everything but its return.
  if (!last_departed_.joinable()) return;
  if (last_departed_.is_current()) {
    last_departed_.detach();
  } else {
    last_departed_.join();
  }
}

void pool_core::retain() noexcept { owners_.fetch_add(1, sync::relaxed); }

void pool_core::release() noexcept {
  // ordering: core-owners pairs with itself: the last owner sees what all did
  if (owners_.fetch_sub(1, sync::acq_rel) == 1) delete this;
}

bool pool_core::at_rest() const noexcept {
  return ready_ == 0 && delayed_ == 0 && busy_ == 0 && outside_ == 0 && continuing_ == 0;
}

bool pool_core::ended() const noexcept { return terminated_; }

bool pool_core::without_errands() const noexcept { return errands_ == 0; }

void pool_core::wake_all(rest_list& list) noexcept {
  while (rest_waiter* waiter = list.pop_front()) {
    waiter->listed = false;
    waiter->parker.unpark();
  }
}

// Called after whatever may have been the last thing: tells idle workers of a closed pool to leave,
// and those who wait for rest or for the end that it has come.
void pool_core::check_rest() noexcept {
  if (closed_ && ready_ == 0 && delayed_ == 0) wake_all_idle();
  if (!at_rest()) return;
  wake_all(idle_waiters_);
  if (ending_ || !closed_ || workers_ != 0 || departing_ != 0) return;
  ending_ = true;
  end_untold_ = options_.on_terminated && !forked_;
  terminated_ = !end_untold_;
  if (terminated_) wake_all(end_waiters_);
}

void pool_core::tell_end() noexcept {
  try {
    options_.on_terminated();
  } catch (...) {
    handle_unhandled(std::current_exception(), {0, "on_terminated"});
  }
  const sync::lock_guard lock(mutex_);
  terminated_ = true;
  wake_all(end_waiters_);
}

void pool_core::close_admission() noexcept {
  closed_ = true;
  refuse_blocked(reject_reason::closed);
}

// Work may have been left without a worker by a thread that could not be had, or that was lost.
void pool_core::ensure_worker() noexcept {
  if (workers_ == 0 && !paused_ && has_queued()) (void)start_worker();
}

// A series has no end of its own, so it ends here: what waits of it is cancelled.
void pool_core::close() noexcept {
  task_chain taken;
  {
    const rest_guard lock(*this);
    close_admission();
    taken = take_series(cancel_reason::closed);
    ensure_worker();
  }
  end_taken(taken);
}

bool pool_core::await(rest_list pool_core::*list, bool (pool_core::*reached)() const noexcept,
                      sync::deadline until) noexcept {
  run_deferred();
  rest_waiter self;
  {
    const sync::lock_guard lock(mutex_);
    ensure_worker();
    if ((this->*reached)()) return true;
    if (forked_) return false;  // it never will be
    if (until && *until <= sync::real_now()) return false;
    (this->*list).push_back(self);
  }
  for (;;) {
    const bool woken = self.parker.park_until(until);
    const sync::lock_guard lock(mutex_);
    if (!self.listed) return true;
    if (woken) continue;
    (this->*list).remove(self);
    return false;
  }
}

// Also outside of any body: in a hook, or where a result is destroyed.
bool pool_core::is_own_thread() const noexcept {
  if (forked_) return false;  // and nobody waits for anybody
  return here().pool == this || run_context::inside(this) || continues_for(this);
}

void pool_core::require_outside(const char* what) const {
  if (!is_own_thread()) return;
  throw std::system_error(std::make_error_code(std::errc::resource_deadlock_would_occur),
                          std::string("weir: ") + what + " on a thread of the same pool");
}

bool pool_core::join(sync::deadline until) {
  require_outside("join");
  return await(&pool_core::end_waiters_, &pool_core::ended, until);
}

bool pool_core::wait_idle(sync::deadline until) {
  require_outside("wait_idle");
  return await(&pool_core::idle_waiters_, &pool_core::at_rest, until);
}

void pool_core::destroy() noexcept {
  if (forked_) return leave_husk();
  const sync::cancellation_hold hold;
  const time_point now = clock().now();
  task_chain taken;
  {
    const rest_guard lock(*this);
    note_time(now);
    close_admission();
    if (std::exchange(paused_, false)) {
      reconsider();
      poke_waits();
    }
    taken = take_series(cancel_reason::closed);
    taken.append(take_not_yet_due());
    if (workers_ == 0 && has_queued() && !start_worker()) {
      taken.append(take_stranded(cancel_reason::closed));  // ready, and nobody to run it
    }
  }
  end_taken(taken);
  const bool own = is_own_thread();
  // The time limits of bodies that still run go on with the clock.
  if (!own) (void)await(&pool_core::end_waiters_, &pool_core::ended, {});
  stop_listening(clock());
  // Whoever moved the clock just before may find no listener any more: what it would have said.
  if (own) clock_moved(clock().now());
  sync::thread last;
  bool errands = false;
  {
    const sync::lock_guard lock(mutex_);
    facade_ = nullptr;
    errands = errands_ != 0;
    if (!own) last = std::exchange(last_departed_, {});
  }
  if (last.joinable()) last.join();
  // A report that began before the facade was gone still uses the hook.
  if (!own) (void)await(&pool_core::idle_waiters_, &pool_core::at_rest, {});
  if (!own && errands) (void)await(&pool_core::errand_waiters_, &pool_core::without_errands, {});
  release();
}

bool pool_core::closed() noexcept {
  const sync::lock_guard lock(mutex_);
  return closed_;
}

bool pool_core::terminated() noexcept {
  const sync::lock_guard lock(mutex_);
  return terminated_;
}

thread_pool* pool_core::facade() noexcept {
  const sync::lock_guard lock(mutex_);
  return facade_;
}

std::size_t pool_core::size() noexcept {
  const sync::lock_guard lock(mutex_);
  return workers_;
}

}  // namespace weir::detail
