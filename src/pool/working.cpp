#include <cxxabi.h>

#include <cstdio>
#include <utility>

#include "base/sanitize.hpp"
#include "pool/pool_core.hpp"
#include "pool/rest_guard.hpp"
#include "pool/time_limit.hpp"
#include "task/continuations.hpp"
#include "task/extras.hpp"
#include "task/run_body.hpp"
#include "task/run_context.hpp"
#include "task/task_memory.hpp"
#include "task/unhandled.hpp"

namespace weir::detail {

namespace {

task_state public_state(body_end end) noexcept {
  switch (end) {
    case body_end::succeeded:
      return task_state::succeeded;
    case body_end::failed:
      return task_state::failed;
    case body_end::cancelled:
    case body_end::open:
      break;
  }
  return task_state::cancelled;
}

constinit WEIR_THREAD_LOCAL sync::per_thread<pool_core*> own_pool{};
constinit WEIR_THREAD_LOCAL sync::per_thread<worker*> own_worker{};

}  // namespace

worker_info pool_core::info_of(const worker& self) const noexcept {
  return {options_.name, self.index};
}

own_place pool_core::here() noexcept { return {own_pool, own_worker}; }

// A worker's life. Finishing one task and starting the next is a single step under one lock, its
// own while something is claimed ahead, else the pool's (finish_and_claim), so a finished task's
// place is free before its future is ready.
WEIR_NO_SANITIZE_NULL void pool_core::work(worker& self) {
  own_pool = this;
  own_worker = &self;
  const worker_info where = info_of(self);
  const bool watched = watches();
  sync::name_this_thread(options_.name.c_str(), self.index);
  sync::use_precise_sleep();
  will_trim_task_memory();
  try {
    if (!run_start_hook(where)) return give_up_start(self);
  } catch (abi::__forced_unwind&) {
    give_up_start(self);
    throw;
  }
  task_base* task = next_task(self);
  while (task != nullptr) {
    body_end end{};
    try {
      if (watched) body_begins(self.watch);
      end = run_reported(*task, where, this);
      if (watched) self.watch.ends();
    } catch (abi::__forced_unwind&) {
      lose_worker(self, *task);
      throw;
    }
    task = finish_and_claim(self, *task, end);
    if (task == nullptr) task = next_task(self);
  }
  if (forked_) return;
  try {
    run_stop_hook(where);
  } catch (abi::__forced_unwind&) {
    depart(self);
    throw;
  }
  depart(self);
}

task_base* pool_core::next_task(worker& self) {
  if (forked_) return nullptr;
  bool need_clock = false;
  for (;;) {
    const bool read = need_clock || delayed_hint_.load(sync::relaxed);
    const time_point now = read ? read_clock(self) : k_due_at_once;
    time_point until = time_point::max();
    {
      sync::unique_lock lock(mutex_);
      unlist(self);
      note_time(now);
      if (task_base* task = claim(self)) {
        worker* wake = whom_to_wake();
        lock.unlock();
        if (wake != nullptr) wake->parker.unpark();
        return task;
      }
      need_clock = !read && (queue_.needs_clock() || may_time_out());
      if (need_clock) continue;
      if (leaves(self)) {
        // It may have been the leader: somebody else must sleep until the next due time (I2).
        worker* wake = whom_to_wake();
        lock.unlock();
        if (wake != nullptr) wake->parker.unpark();
        return nullptr;
      }
      until = list_as_idle(self);
    }
    sleep(self, until);
  }
}

// The body with everything around it that is user code: hooks of the observer, failures nobody can
// read.
WEIR_NO_SANITIZE_NULL body_end pool_core::run_reported(task_base& task, const worker_info& where,
                                                       pool_core* context) {
  const run_context scope(task, context);
  const time_limit limit(task, this);
  observer* const watch = options_.observer;
  const auto info = [&task] { return task_info{task.id, name_of(task)}; };
  bool told = false;
  const auto finished = [&](body_end end, const std::exception_ptr& unhandled) {
    if (std::exchange(told, true)) return;  // the hook itself ends this thread by force
    if (unhandled != nullptr) handle_unhandled(unhandled, info());
    if (watch != nullptr && !forked_) watch->task_finished(info(), where, public_state(end));
  };
  if (watch != nullptr) watch->task_started(info(), where);
  try {
    body_report report = run_measured(task);
    if (report.end == body_end::open && watch != nullptr) report.end = fix_outcome(task, false);
    finished(report.end, report.unhandled);
    return report.end;
  } catch (abi::__forced_unwind&) {
    const body_end end = fixed_outcome(task);
    const bool unread = end == body_end::failed && task.ops->fail == nullptr;
    finished(end, unread ? forced_unwinding_error() : nullptr);
    throw;
  }
}

task_base* pool_core::finish_and_claim(worker& self, task_base& task, body_end end) noexcept {
  self.pace.finished();
  if (continued(task)) return finish_continued(self, task, end);
  if (!task.recurring) {
    if (task_base* ahead = finish_ahead(self, task, end)) return ahead;
  }
  if (forked_) return nullptr;  // the body has forked: this thread leaves the husk alone
  if (claims_ahead_) self.pace.claims_at(sync::real_now());
  const bool read = delayed_hint_.load(sync::relaxed);
  const time_point now = read ? read_clock(self) : k_due_at_once;
  task_base* next = nullptr;
  worker* wake = nullptr;
  bool waited = false;
  {
    const sync::lock_guard lock(mutex_);
    note_time(now);
    --busy_;
    self.claims.running = nullptr;
    waited = complete_here(task, end, self.index);
    admit_blocked();
    if (task.recurring) next = start_claimed(self);
    if (next == nullptr) next = claim(self);
    wake = whom_to_wake();
    if (next == nullptr) check_rest();
  }
  after_end(task, waited, wake);
  return next;
}

namespace {

void give_weight_back(pool_counts& counts, std::size_t weight) noexcept { counts.weight -= weight; }
void give_weight_back(end_counts& counts, std::size_t weight) noexcept { counts.weight += weight; }

}  // namespace

// Publishes under the lock that guards `counts`, so that counts and futures never disagree: whoever
// has seen the task end finds its place free and its number counted. The wake-up itself is the
// caller's, after the lock.
template <class Counts>
bool pool_core::complete(Counts& counts, task_base& task, body_end end) noexcept {
  if (end == body_end::open) end = fix_late(task);
  give_weight_back(counts, take_weight(task));
  switch (end) {
    case body_end::succeeded:
      ++counts.succeeded;
      break;
    case body_end::failed:
      ++counts.failed;
      if (task.ops->fail != nullptr && !task.holds_core) {
        task.holds_core = true;
        retain();
      }
      break;
    case body_end::cancelled:
    case body_end::open:
      ++counts.cancelled;
      break;
  }
  return publish(task, end);
}

template bool pool_core::complete(pool_counts&, task_base&, body_end) noexcept;
template bool pool_core::complete(end_counts&, task_base&, body_end) noexcept;

bool pool_core::complete_here(task_base& task, body_end end,
                              std::optional<std::size_t> where) noexcept {
  const bool waited = complete(counts_, task, end);
  if (keeps_history_) history_.add(task, where);
  if (task.recurring) leave_series(static_cast<occurrence&>(task));
  return waited;
}

void pool_core::after_end(task_base& task, bool waited, worker* wake) noexcept {
  if (wake != nullptr) wake->parker.unpark();
  if (waited) detail::tell_end(task);
  detail::release(&task);
}

void pool_core::finish_outside(outside_run& run) noexcept {
  bool waited = false;
  worker* wake = nullptr;
  {
    const rest_guard lock(*this);
    --outside_;
    if (!forked_) outside_runs_.remove(run);
    waited = complete_counted(run.task, fixed_outcome(run.task), run.place());
    admit_blocked();
    wake = whom_to_wake();
  }
  after_end(run.task, waited, wake);
}

// A worker is gone that was counted on. Another one takes its place if there is work; if none can
// be had and none is left, the work that waits is ended, for nobody would ever start it (B9).
task_chain pool_core::replace_worker() noexcept {
  task_chain stranded;
  --workers_;
  ++departing_;
  admit_blocked();
  const bool needed = has_queued() || (!closed_ && workers_ < limits_.core);
  if (needed && !paused_ && workers_ < limits_.max && !start_worker() && workers_ == 0) {
    stranded = take_stranded(cancel_reason::aborted);
  }
  return stranded;
}

// The thread is being unwound by force (pthread_exit, cancellation) out of a body. Its task has
// failed.
void pool_core::lose_worker(worker& self, task_base& task) noexcept {
  if (forked_) return;
  bool waited = false;
  task_chain stranded;
  {
    const sync::lock_guard lock(mutex_);
    --busy_;
    self.claims.running = nullptr;
    waited = complete_counted(task, fixed_outcome(task), self.index);
    stranded = replace_worker();
  }
  after_end(task, waited);
  end_taken(stranded);
  run_stop_hook(info_of(self));
  depart(self);
}

// The start hook has thrown: as if the thread could not be had. No other is tried in its place, for
// its hook would throw as well.
void pool_core::give_up_start(worker& self) noexcept {
  if (forked_) return;
  task_chain stranded;
  worker* wake = nullptr;
  {
    const sync::lock_guard lock(mutex_);
    --workers_;
    ++departing_;
    if (workers_ == 0) stranded = take_stranded(cancel_reason::aborted);
    wake = whom_to_wake();
  }
  if (wake != nullptr) wake->parker.unpark();
  end_taken(stranded);
  depart(self);
}

// The last steps of a worker. Each joins its predecessor, so that at any time one finished thread
// at most is unjoined, and joining the last one joins all.
void pool_core::depart(worker& self) noexcept {
  if (forked_) return;
  const sync::cancellation_hold hold;
  if (watches()) {
    guard::instance().disarm(self.watch);
    self.watch.reset();
  }
  if (take_trimming()) {
    trim_task_memory();
    leave_trimming();
  }
  sync::thread previous;
  {
    const rest_guard lock(*this);
    --departing_;
    previous = std::exchange(last_departed_, std::move(self.thread));
    if (self.ahead) {
      self.orphaned = true;
    } else {
      free_places_.push_back(self);
    }
  }
  if (previous.joinable()) previous.join();
  release();
}

// Leaves by no exception, but for a hook that ends its thread by force.
WEIR_NO_SANITIZE_NULL void pool_core::handle_unhandled(const std::exception_ptr& error,
                                                       const task_info& info) {
  if (forked_) return print_unhandled(error, info);
  try {
    if (options_.on_unhandled) {
      options_.on_unhandled(error, info);
      return;
    }
    print_unhandled(error, info);
  } catch (abi::__forced_unwind&) {
    throw;
  } catch (...) {
    const sync::cancellation_hold hold;
    std::fputs("weir: on_unhandled threw an exception itself\n", stderr);
  }
}

WEIR_NO_SANITIZE_NULL bool pool_core::run_start_hook(const worker_info& self) {
  if (options_.observer != nullptr) options_.observer->worker_started(self);
  if (!options_.on_worker_start) return true;
  try {
    options_.on_worker_start(self);
    return true;
  } catch (abi::__forced_unwind&) {
    throw;
  } catch (...) {
    handle_unhandled(std::current_exception(), {0, "on_worker_start"});
    return false;
  }
}

WEIR_NO_SANITIZE_NULL void pool_core::run_stop_hook(const worker_info& self) {
  try {
    if (options_.on_worker_stop) options_.on_worker_stop(self);
  } catch (abi::__forced_unwind&) {
    throw;
  } catch (...) {
    handle_unhandled(std::current_exception(), {0, "on_worker_stop"});
  }
  if (options_.observer != nullptr) options_.observer->worker_stopped(self);
}

}  // namespace weir::detail
