#include <utility>
#include <vector>

#include "pool/pool_core.hpp"
#include "pool/rest_guard.hpp"
#include "task/extras.hpp"
#include "task/run_context.hpp"
#include "task/state_word.hpp"
#include "task/task_home.hpp"
#include "task/unhandled.hpp"
#include "weir/detail/detached.hpp"
#include "weir/drained_task.hpp"

namespace weir::detail {

// Ending a queued task takes three steps: win its state word (from then on it never starts),
// destroy its captures outside the lock, then give the place back and publish in one step under the
// lock. Whoever wins the word owns the task until then; the pool cannot come to rest meanwhile, for
// the place is counted.

void end_unstarted(task_base& task, bool was_detached) noexcept {
  if (!was_detached) return task.core->end_unstarted(task);
  task.ops->drop_callable(task);
  leave_keeper(task);
  if (publish(task, body_end::cancelled)) tell_end(task);
}

void pool_core::end_unstarted(task_base& task) noexcept {
  retain();
  task.ops->drop_callable(task);
  cancelled_event(task);
  bool waited = false;
  worker* wake = nullptr;
  {
    const rest_guard lock(*this);
    if (!task.delayed) remove_claimed(task);
    queue_.unlink(task);
    give_place_back(task);
    waited = complete_counted(task, body_end::cancelled);
    admit_blocked();
    wake = whom_to_wake();
  }
  after_end(task, waited, wake);
  release();
}

void pool_core::give_place_back(task_base& task) noexcept {
  --(task.delayed ? delayed_ : ready_);
  if (task.delayed) update_hint();
}

void pool_core::cancelled_event(const task_base& task) const noexcept {
  observer* const watch = watching();
  if (watch != nullptr) watch->task_cancelled({task.id, name_of(task)}, reason_of(task));
}

// Takes every queued task, in order, that `take` can win on its state word. What it cannot win
// belongs to a canceller, who still holds the place and will find the task unlinked.
template <class Take>
task_chain pool_core::take_queued(Take take) {
  task_chain taken;
  while (worker* owner = ahead_.front()) {
    {
      const sync::lock_guard hold(owner->claims.mutex);
      while (task_base* task = owner->claims.pop()) {
        if (take(*task)) taken.push_back(*task);
      }
    }
    leave_ahead(*owner);
  }
  while (task_base* task = queue_.first()) {
    queue_.unlink(*task);
    if (take(*task)) taken.push_back(*task);
  }
  update_hint();
  return taken;
}

namespace {

auto cancel_as(cancel_reason reason) {
  return [reason](task_base& task) {
    bool was_detached = false;
    return try_cancel_unstarted(task, reason, was_detached);
  };
}

}  // namespace

task_chain pool_core::take_stranded(cancel_reason reason) noexcept {
  return take_queued(cancel_as(reason));
}

task_chain pool_core::take_not_yet_due() noexcept {
  task_chain found;
  const time_point now = now_floor_;
  queue_.for_each_delayed([&found, now](task_base& task) {
    if (task.due > now) found.push_back(task);
  });
  task_chain taken;
  while (task_base* task = found.pop_front()) {
    queue_.unlink(*task);
    if (cancel_as(cancel_reason::closed)(*task)) taken.push_back(*task);
  }
  update_hint();
  return taken;
}

std::size_t pool_core::end_taken(task_chain tasks) noexcept {
  if (tasks.front() == nullptr) return 0;
  for (task_base* task = tasks.front(); task != nullptr; task = task->next) {
    task->ops->drop_callable(*task);
    cancelled_event(*task);
  }
  std::size_t count = 0;
  task_chain waited;
  task_chain quiet;
  worker* wake = nullptr;
  {
    const rest_guard lock(*this);
    for (; task_base* task = tasks.pop_front(); ++count) {
      give_place_back(*task);
      (complete_counted(*task, body_end::cancelled) ? waited : quiet).push_back(*task);
    }
    admit_blocked();
    wake = whom_to_wake();
  }
  if (wake != nullptr) wake->parker.unpark();
  while (task_base* task = waited.pop_front()) after_end(*task, true);
  while (task_base* task = quiet.pop_front()) after_end(*task, false);
  return count;
}

std::size_t pool_core::cancel_pending() {
  task_chain taken;
  {
    const sync::lock_guard lock(mutex_);
    taken = take_queued(cancel_as(cancel_reason::cancelled));
  }
  return end_taken(taken);
}

// The running tasks, each with a reference of ours. They are in no list, so their links are free;
// only the first call finds any, later ones have nothing left to stop.
task_chain pool_core::stop_and_list_running() noexcept {
  close_admission();
  task_chain running;
  if (std::exchange(stopping_, true)) return running;
  const auto add = [&running](task_base& task) {
    detail::retain(task);
    running.push_back(task);
  };
  for (const auto& place : places_) {
    const sync::lock_guard hold(place->claims.mutex);
    if (place->claims.running != nullptr) add(*place->claims.running);
  }
  for (auto* run = outside_runs_.front(); run != nullptr; run = outside_runs_.next(*run)) {
    add(run->task);
  }
  return running;
}

void pool_core::request_stops(task_chain running) {
  if (forked_) return;  // those who would hear it are gone, and their callbacks with them
  stop_.request_stop();
  while (task_base* task = running.pop_front()) {
    (void)request_stop(*task, cancel_reason::aborted);
    detail::release(task);
  }
}

std::size_t pool_core::abort() {
  task_chain taken;
  task_chain running;
  {
    const rest_guard lock(*this);
    running = stop_and_list_running();
    taken = take_queued(cancel_as(cancel_reason::aborted));
  }
  request_stops(running);
  return end_taken(taken);
}

std::vector<drained_task> pool_core::shutdown_now() {
  task_chain taken;
  task_chain recurring;
  task_chain running;
  std::vector<drained_task> drained;
  for (std::size_t places = 0;;) {
    drained.reserve(places);  // before anything changes
    const rest_guard lock(*this);
    places = ready_ + delayed_;
    if (places > drained.capacity()) continue;
    running = stop_and_list_running();
    recurring = take_series(cancel_reason::aborted);
    taken = take_queued([](task_base& task) { return try_detach(task); });
    for (task_base* task = taken.front(); task != nullptr; task = task->next) {
      give_place_back(*task);
      ++counts_.drained;
      counts_.weight -= take_weight(*task);
      task->holds_core = true;  // its failure may still have to be reported
      retain();
    }
    break;
  }
  request_stops(running);
  end_taken(recurring);
  while (task_base* task = taken.pop_front()) drained.push_back(drained_task(task));
  return drained;
}

// Somebody outside reports a failure: the hook may be used only while the pool object exists, and
// the pool object's destructor waits for it.
void pool_core::report_outside(const std::exception_ptr& error, const task_info& info) noexcept {
  {
    const sync::lock_guard lock(mutex_);
    if (facade_ == nullptr || forked_) return print_unhandled(error, info);
    ++outside_;
  }
  handle_unhandled(error, info);
  const rest_guard lock(*this);
  --outside_;
}

namespace {

// A follower has no pool that accepted it, and may hold one all the same.
pool_core* home_of(const task_base& task) noexcept {
  return task.core == nullptr && task.holds_core ? task.home : task.core;
}

}  // namespace

void report_failure(task_base& task, const std::exception_ptr& error) noexcept {
  const task_info info{task.id, name_of(task)};
  pool_core* home = home_of(task);
  // A task without a pool: while its body runs, the one that lends the thread hears.
  const auto* context = run_context::innermost();
  if (home == nullptr && context != nullptr && &context->task() == &task) home = context->core();
  if (home == nullptr) return print_unhandled(error, info);
  home->report_outside(error, info);
}

void share_home(const task_base& task, task_base& follower) noexcept {
  follower.home = home_of(task);
  follower.holds_core = true;
  follower.home->retain();
}

void release_home(task_base& task) noexcept { home_of(task)->release(); }

}  // namespace weir::detail

namespace weir {

drained_task& drained_task::operator=(drained_task&& other) noexcept {
  if (this != &other) {
    cancel_unrun();
    ref_ = std::move(other.ref_);
  }
  return *this;
}

drained_task::~drained_task() { cancel_unrun(); }

void drained_task::cancel_unrun() noexcept {
  if (!ref_.valid()) return;
  detail::cancel_detached(*ref_.task_, cancel_reason::aborted);
  ref_ = task_ref();
}

// A drained body stands outside the pool (R7): no place, no count, no context.
void drained_task::operator()() {
  const task_ref keep = std::move(ref_);
  detail::run_detached(keep.checked());
}

}  // namespace weir
