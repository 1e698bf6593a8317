#include "pool/pending_queue.hpp"

#include "task/state_word.hpp"

namespace weir::detail {

namespace {

bool before(const task_base& left, const task_base& right) noexcept {
  return left.due != right.due ? left.due < right.due : left.id < right.id;
}

}  // namespace

void pending_queue::push_ready(task_base& task) noexcept {
  if (tail_ != nullptr && task.due < tail_->due) task.due = tail_->due;
  task.place = task_place::ready;
  task.next = nullptr;
  task.prev = tail_;
  (tail_ != nullptr ? tail_->next : head_) = &task;
  tail_ = &task;
}

void pending_queue::push_delayed(task_base& task) noexcept {
  task.place = task_place::delayed;
  timers_.insert(task);
}

void pending_queue::unlink_ready(task_base& task) noexcept {
  (task.prev != nullptr ? task.prev->next : head_) = task.next;
  (task.next != nullptr ? task.next->prev : tail_) = task.prev;
  task.next = nullptr;
  task.prev = nullptr;
}

void pending_queue::unlink(task_base& task) noexcept {
  if (task.place == task_place::ready) unlink_ready(task);
  if (task.place == task_place::delayed) timers_.erase(task);
  task.place = task_place::nowhere;
}

task_base* pending_queue::first() const noexcept {
  if (timers_.empty()) return head_;
  task_base& top = timers_.top();
  return head_ == nullptr || before(top, *head_) ? &top : head_;
}

task_base* pending_queue::first_due(time_point now) const noexcept {
  task_base* task = first();
  if (task == nullptr) return nullptr;
  // A delayed task that stands before a ready one is due: the ready one's due time has been read
  // from the clock. Without a ready one the clock decides.
  const bool due = task->place == task_place::ready || head_ != nullptr || task->due <= now;
  return due ? task : nullptr;
}

task_base* pending_queue::waiting_behind(std::size_t ahead, time_point now) const noexcept {
  if (ahead == 0) return first_due(now);
  for (task_base* task = head_; task != nullptr; task = task->next) {
    if (!startable(*task)) continue;
    if (ahead == 0) return task;
    --ahead;
  }
  return nullptr;
}

task_base* pending_queue::pick(time_point now) noexcept {
  while (task_base* task = first_due(now)) {
    unlink(*task);
    if (try_start(*task)) return task;
  }
  return nullptr;
}

}  // namespace weir::detail
