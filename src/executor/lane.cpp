#include "executor/lane.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <system_error>

#include "task/extras.hpp"
#include "task/state_word.hpp"
#include "weir/detail/detached.hpp"

namespace weir::detail {

// Taking tasks, letting go of them, ending, waiting. How they come to a thread: carrying.cpp.

namespace {

// All of this process, linked through `older_husk_`. Written while it has one thread only.
constinit lane* youngest_husk = nullptr;

}  // namespace

lane::lane(executor_ref on, const lane_shape& shape) : on_(on), shape_(shape) {}

lane::~lane() = default;

void refuse_pool_options(const task_base& task, const char* what) {
  const task_extras* extras = task.extras.load(sync::relaxed);
  if (extras == nullptr) return;
  if (extras->weight == 0 && extras->timeout == std::chrono::nanoseconds::max()) return;
  throw std::invalid_argument(std::string("weir: ") + what +
                              ": it has no clock for a timeout and no bound for a weight");
}

std::optional<refusal> lane::refuse_locked() const {
  const auto text = [this](const std::string& why) {
    return std::string("weir: ") + shape_.what + ": " + why;
  };
  if (forked_) return refusal{reject_reason::forked, text("of the parent process")};
  if (closed_) return refusal{reject_reason::closed, text("closed")};
  constexpr std::size_t k_most = std::numeric_limits<std::size_t>::max();
  const std::size_t limit =
      shape_.capacity < k_most - shape_.width ? shape_.capacity + shape_.width : k_most;
  if (held_ < limit) return std::nullopt;
  return refusal{reject_reason::saturated,
                 text(std::to_string(held_) + " tasks are unfinished, and no more may be")};
}

void lane::push_locked(task_base& task) noexcept {
  task.id = ++last_id_;
  keep(task, *this);
  retain();
  ++held_;
  waiting_.push(task);
  if (shape_.served) wake_all_locked();
}

std::optional<refusal> lane::admit(task_base& task, const admission_request& request) {
  refuse_pool_options(task, shape_.what);
  hiring record;
  bool certain = false;
  {
    const sync::lock_guard lock(mutex_);
    if (auto refused = refuse_locked()) return refused;
    certain = certain_locked() > 0 || shape_.served;
    push_locked(task);
    if (certain && !more_would_help_locked()) return std::nullopt;
    if (!certain) detail::retain(task);
    open_locked(record);
  }
  if (!certain) return back_up(task, request, record);
  hire_one_more(record);
  return std::nullopt;
}

void lane::let_go(task_base& task) noexcept {
  {
    const sync::lock_guard lock(mutex_);
    if (lane_queue::waits(task)) waiting_.mark_dead(task);
    --held_;
    check_rest_locked();
  }
  left(task);
  release();
}

void lane::close() noexcept {
  const sync::lock_guard lock(mutex_);
  closed_ = true;
}

std::size_t lane::cancel_chain(task_base* first, cancel_reason reason) noexcept {
  std::size_t count = 0;
  while (first != nullptr) {
    detached_task task(std::exchange(first, first->next));
    count += task.cancel(reason) ? 1 : 0;
  }
  return count;
}

task_base* lane::take_all_locked() noexcept {
  task_base* first = nullptr;
  task_base** end = &first;
  while (task_base* task = waiting_.pop()) {
    *end = task;
    end = &task->next;
  }
  *end = nullptr;
  return first;
}

std::size_t lane::cancel_pending(cancel_reason reason) noexcept {
  task_base* taken = nullptr;
  {
    const sync::lock_guard lock(mutex_);
    taken = take_all_locked();
  }
  return cancel_chain(taken, reason);
}

void lane::stop_all(const drainer* only, cancel_reason reason) {
  task_base* taken = nullptr;
  task_base* running = nullptr;
  {
    const sync::lock_guard lock(mutex_);
    closed_ = true;
    if (!stopped_) stopped_ = reason;
    taken = take_all_locked();
    for (drainer* at = drainers_.front(); at != nullptr; at = drainers_.next(*at)) {
      if (at->current == nullptr || at->stopped || (only != nullptr && at != only)) continue;
      at->stopped = true;
      detail::retain(*at->current);
      at->current->next = std::exchange(running, at->current);
    }
  }
  while (running != nullptr) {
    task_base* const task = std::exchange(running, running->next);
    (void)request_stop(*task, reason);
    detail::release(task);
  }
  cancel_chain(taken, reason);
}

void lane::stop(cancel_reason reason) { stop_all(nullptr, reason); }

void lane::wake_all_locked() noexcept {
  while (waiter* sleeper = waiters_.pop_front()) {
    sleeper->listed = false;
    sleeper->parker.unpark();
  }
}

void lane::check_rest_locked() noexcept {
  if (at_rest_locked()) wake_all_locked();
}

void lane::list_locked(waiter& sleeper) noexcept {
  waiters_.push_back(sleeper);
  sleeper.listed = true;
}

bool lane::runs_here() const noexcept {
  for (const drainer* at = innermost_; at != nullptr; at = at->outer) {
    if (&at->home == this) return true;
  }
  return false;
}

// Counts and queue are whole, and what stands on the stacks of other threads is gone with them.
// Whoever was to run what waits is not here; it is left alone until somebody cancels it. Never
// freed, so that the address is given to no other lane.
void lane::become_husk() noexcept {
  forked_ = true;
  closed_ = true;
  hirings_ = {};
  drainers_ = {};
  waiters_ = {};
  retain();
  older_husk_ = std::exchange(youngest_husk, this);
}

bool kept_by_husk(const task_base& task) noexcept {
  if (youngest_husk == nullptr || task.core != nullptr) return false;
  if (task.place != task_place::kept) return false;
  for (const lane* husk = youngest_husk; husk != nullptr; husk = husk->older_husk_) {
    if (husk == task.keeper) return true;
  }
  return false;
}

void lane::refuse_own_tasks() const {
  if (forked_ || !runs_here()) return;
  throw std::system_error(
      std::make_error_code(std::errc::resource_deadlock_would_occur),
      std::string("weir: ") + shape_.what + ": one of its own tasks waits for all of them");
}

bool lane::wait_idle(sync::deadline until) {
  refuse_own_tasks();
  waiter me;
  {
    const sync::lock_guard lock(mutex_);
    if (at_rest_locked()) return true;
    if (forked_) return false;  // it never will be
    list_locked(me);
  }
  if (me.parker.park_until(until)) return true;
  const sync::lock_guard lock(mutex_);
  if (!me.listed) return true;
  waiters_.remove(me);
  return false;
}

bool lane::serve() {
  refuse_own_tasks();
  drainer me(*this, true);
  for (;;) {
    waiter sleeper;
    {
      const sync::lock_guard lock(mutex_);
      if (forked_ || at_rest_locked()) return at_rest_locked();
      if (!waiting_.empty() && running_ < shape_.width) {
        sign_on_locked(me);
      } else {
        list_locked(sleeper);
      }
    }
    if (me.signed_on) {
      drain(me);
    } else {
      sleeper.parker.park();
    }
  }
}

std::size_t lane::size() const noexcept {
  const sync::lock_guard lock(mutex_);
  return held_;
}

bool lane::closed() const noexcept {
  const sync::lock_guard lock(mutex_);
  return closed_;
}

std::optional<cancel_reason> lane::stopped() const noexcept {
  const sync::lock_guard lock(mutex_);
  return stopped_;
}

}  // namespace weir::detail
