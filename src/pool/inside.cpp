#include <algorithm>
#include <string>
#include <system_error>

#include "pool/pool_core.hpp"
#include "sync/futex.hpp"
#include "task/extras.hpp"
#include "task/run_context.hpp"
#include "task/task_home.hpp"
#include "weir/this_task.hpp"

/// What happens when a body waits for its own pool: the awaited task is run in place, or the worker
/// sleeps, counted as blocked, unless nobody could ever wake it. The argument stands in
/// docs/design/nested-waits.md; N1 to N3 named below are its.
namespace weir::detail {

using namespace state_word;

namespace {

/// Bodies inside of each other on one worker; beyond that a wait sleeps, lest the stack overflow.
constexpr std::size_t k_deepest = 64;

}  // namespace

std::optional<bool> wait_inside(task_base& task, std::optional<time_point> until) {
  const own_place place = pool_core::here();
  if (place.pool == nullptr || task.core != place.pool) return std::nullopt;
  return place.pool->wait_inside(*place.self, task, until);
}

bool on_a_worker() noexcept { return pool_core::here().pool != nullptr; }

bool help_inside(task_base& task) {
  const own_place place = pool_core::here();
  return place.pool != nullptr && task.core == place.pool &&
         place.pool->run_inside(*place.self, task);
}

bool pool_core::run_inside(worker& self, task_base& task) {
  const time_point now = task.delayed ? read_clock(self) : k_due_at_once;
  outside_run run{task, &self};
  worker* wake = nullptr;
  {
    const sync::lock_guard lock(mutex_);
    note_time(now);
    if (!claim_inside(run)) return false;
    wake = whom_to_wake();
  }
  run_claimed(run, wake);
  return true;
}

// The worker's own body is on hold meanwhile, so it runs one at a time still.
void pool_core::run_claimed(outside_run& run, worker* wake) {
  if (wake != nullptr) wake->parker.unpark();
  struct finisher {
    pool_core& core;
    outside_run& run;
    ~finisher() {
      --run.host->depth;
      core.finish_outside(run);
    }
  } const finish{*this, run};
  const outside_watch watch(*this, run);
  run_reported(run.task, info_of(*run.host), this);
}

// As a canceller takes a task out: the word is won first, then every place where it may be linked
// is passed through.
bool pool_core::claim_inside(outside_run& run) noexcept {
  task_base& task = run.task;
  if (forked_) return false;
  if (paused_ || run.host->depth == k_deepest) return false;
  if (is_delayed(task) || !try_start(task)) return false;
  if (!task.delayed) remove_claimed(task);
  queue_.unlink(task);
  note_start(task);
  ++run.host->depth;
  ++outside_;
  outside_runs_.push_back(run);
  if (closed_ && ready_ == 0 && delayed_ == 0) wake_all_idle();
  admit_blocked();
  return true;
}

// With a limit nothing is run in place: nobody could say when it returns. The look at the task and
// the listing are one lock hold (N3).
bool pool_core::wait_inside(worker& self, task_base& task, sync::deadline until) {
  inside_wait wait{self, &task, until.has_value()};
  for (;;) {
    const time_point now = task.delayed ? read_clock(self) : k_due_at_once;
    outside_run run{task, &self};
    worker* wake = nullptr;
    std::uint32_t seen = 0;
    bool claimed = false;
    bool until_due = false;
    time_point due{};
    {
      const sync::lock_guard lock(mutex_);
      note_time(now);
      claimed = !until && claim_inside(run);
      if (claimed) {
        wake = whom_to_wake();
      } else {
        // ordering: task-phase
        seen = task.word.fetch_or(k_waited, sync::acquire) | k_waited;
        if (terminal(seen)) return true;
        until_due = !until && !paused_ && is_delayed(task);
        due = task.due;
        enter_wait(wait);
      }
    }
    if (claimed) {
      run_claimed(run, wake);
      return true;
    }
    sync::futex_wait(task.word, seen, until_due ? clock().real_time_of(due) : until);
    {
      const sync::lock_guard lock(mutex_);
      leave_wait(wait);
    }
    // ordering: task-phase
    if (terminal(task.word.load(sync::acquire))) return true;
    if (until && *until <= sync::real_now()) return false;
  }
}

bool pool_core::is_delayed(const task_base& task) const noexcept {
  return startable(task) && task.delayed && task.due > now_floor_;
}

void pool_core::enter_wait(inside_wait& wait) {
  inside_waits_.push_back(wait);
  enter_blocking(wait.self);
  if (wait.ends_by_itself || !is_dead(wait)) return;
  std::string chain;
  try {
    chain = describe(wait);
  } catch (...) {
    leave_wait(wait);
    throw;
  }
  leave_wait(wait);
  throw std::system_error(std::make_error_code(std::errc::resource_deadlock_would_occur), chain);
}

void pool_core::leave_wait(inside_wait& wait) noexcept {
  inside_waits_.remove(wait);
  leave_blocking(wait.self);
}

// N2: the waits that only wait for each other are those that are left when everything that can end
// has been taken away, again and again.
bool pool_core::is_dead(inside_wait& wait) noexcept {
  std::size_t waits = 0;
  for (auto* at = inside_waits_.front(); at != nullptr; at = inside_waits_.next(*at)) {
    at->can_end = at->ends_by_itself;
    ++waits;
  }
  bool somebody = waits < workers_;
  for (bool found = true; found;) {
    found = false;
    for (auto* at = inside_waits_.front(); at != nullptr; at = inside_waits_.next(*at)) {
      if (at->can_end || !can_end(*at, somebody)) continue;
      at->can_end = found = somebody = true;
    }
  }
  return !wait.can_end;
}

// `somebody`: a worker is there that will come for a task sooner or later.
bool pool_core::can_end(const inside_wait& wait, bool somebody) noexcept {
  if (wait.target == nullptr) return somebody || paused_;
  const task_base& task = *wait.target;
  switch (phase_of(task.word.load(sync::relaxed))) {
    case phase::queued:
      return somebody || paused_ || is_delayed(task);
    case phase::running:
    case phase::cancel_requested: {
      const inside_wait* host = host_of(task);
      return host == nullptr || host->can_end;
    }
    default:
      return true;  // its end is under way
  }
}

// The wait that holds up the worker on whose stack the task runs; null where nothing does. What a
// waiting worker runs does not change, and was written before it took this lock.
inside_wait* pool_core::host_of(const task_base& task) noexcept {
  const worker* host = nullptr;
  for (auto* run = outside_runs_.front(); run != nullptr; run = outside_runs_.next(*run)) {
    if (&run->task == &task) host = run->host;
  }
  for (auto* at = inside_waits_.front(); at != nullptr; at = inside_waits_.next(*at)) {
    if (&at->self == host || at->self.claims.running == &task) return at;
  }
  return nullptr;
}

std::string pool_core::describe(const inside_wait& first) {
  std::string text = "weir: " + options_.name + ": nobody is left to end this wait: ";
  const run_context* body = run_context::innermost();
  text += body != nullptr ? described(body->task()) : "a worker";
  std::size_t links = 0;
  for (const inside_wait* at = &first; at != nullptr && links < workers_; ++links) {
    text += links == 0 ? " waits for " : ", which waits for ";
    if (at->target == nullptr) return text + "room in the pool";
    text += described(*at->target);
    at = host_of(*at->target);
    if (at == &first) break;
  }
  return text;
}

// N3: a sleeper looks again when what kept it from running its task in place is over.
void pool_core::poke_waits() noexcept {
  for (auto* at = inside_waits_.front(); at != nullptr; at = inside_waits_.next(*at)) {
    if (at->target == nullptr) continue;
    at->target->word.fetch_xor(k_poked, sync::relaxed);
    wake_waiters(*at->target);
  }
}

void pool_core::enter_blocking(worker& self) noexcept {
  if (self.blocks++ > 0) return;
  ++blocking_;
  // Who runs what follows a task is free for the bound alone.
  const std::size_t free = free_workers() - std::min(free_workers(), continuing_workers_);
  if (!paused_ && workers_ < limits_.max && ready_ > free) (void)start_worker();
}

void pool_core::leave_blocking(worker& self) noexcept {
  if (--self.blocks == 0) --blocking_;
}

void pool_core::begin_blocking(worker& self) noexcept {
  const sync::lock_guard lock(mutex_);
  enter_blocking(self);
}

void pool_core::end_blocking(worker& self) noexcept {
  const sync::lock_guard lock(mutex_);
  leave_blocking(self);
}

}  // namespace weir::detail

namespace weir {

this_task::blocking::blocking() noexcept {
  const auto place = detail::pool_core::here();
  if (place.pool == nullptr || detail::run_context::innermost() == nullptr) return;
  pool_ = place.pool;
  pool_->begin_blocking(*place.self);
}

this_task::blocking::~blocking() {
  if (pool_ != nullptr) pool_->end_blocking(*detail::pool_core::here().self);
}

}  // namespace weir
