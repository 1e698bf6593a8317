#include "pool/pending_queue.hpp"

#include "task/state_word.hpp"

namespace weir::detail {

namespace {

bool before(const task_base& left, const task_base& right) noexcept {
  return left.due != right.due ? left.due < right.due : left.id < right.id;
}

}  // namespace

void pending_queue::push_delayed(task_base& task) noexcept {
  task.place = task_place::delayed;
  timers_.insert(task);
}

void pending_queue::unlink(task_base& task) noexcept {
  if (task.place == task_place::ready) ready_.remove(task);
  if (task.place == task_place::delayed) timers_.erase(task);
  task.place = task_place::nowhere;
}

task_base* pending_queue::first() noexcept {
  if (timers_.empty()) return ready_.empty() ? nullptr : &ready_.front();
  task_base& top = timers_.top();
  return ready_.empty() || before(top, ready_.front()) ? &top : &ready_.front();
}

task_base* pending_queue::first_due(time_point now) noexcept {
  task_base* task = first();
  if (task == nullptr || timers_.empty()) return task;
  // A delayed task that stands before a ready one is due: the ready one's due time has been read
  // from the clock. Without a ready one the clock decides.
  const bool due = task->place == task_place::ready || !ready_.empty() || task->due <= now;
  return due ? task : nullptr;
}

task_base* pending_queue::waiting_behind(std::size_t ahead, time_point now) noexcept {
  if (ahead == 0) return first_due(now);
  return ready_.find([&ahead](const task_base& task) {
    if (!startable(task)) return false;
    return ahead-- == 0;
  });
}

std::size_t pending_queue::take_ahead(task_base** target, std::size_t count) noexcept {
  if (timers_.empty()) return ready_.take(target, count);
  std::size_t taken = 0;
  while (taken < count && !ready_.empty() && before(ready_.front(), timers_.top())) {
    taken += ready_.take(target + taken, 1);
  }
  return taken;
}

task_base* pending_queue::pick(time_point now) noexcept {
  while (task_base* task = first_due(now)) {
    unlink(*task);
    if (try_start(*task)) return task;
  }
  return nullptr;
}

}  // namespace weir::detail
