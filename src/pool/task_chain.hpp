#pragma once

#include "weir/detail/task_base.hpp"

namespace weir::detail {

/// Tasks that are in no list, chained through their `next`.
class task_chain {
 public:
  void push_back(task_base& task) noexcept {
    task.next = nullptr;
    (last_ != nullptr ? last_->next : first_) = &task;
    last_ = &task;
  }
  task_base* pop_front() noexcept {
    task_base* task = first_;
    if (task != nullptr) first_ = task->next;
    if (first_ == nullptr) last_ = nullptr;
    return task;
  }
  [[nodiscard]] task_base* front() const noexcept { return first_; }
  void append(task_chain other) noexcept {
    while (task_base* task = other.pop_front()) push_back(*task);
  }

 private:
  task_base* first_ = nullptr;
  task_base* last_ = nullptr;
};

}  // namespace weir::detail
