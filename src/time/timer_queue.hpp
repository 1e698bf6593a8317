#pragma once

#include <cstddef>
#include <vector>

#include "weir/detail/task_base.hpp"

namespace weir::detail {

/// Delayed tasks by (due, id): a 4-ary heap that stores keys beside the pointers, with each task's
/// place in the task, so that insert, erase and pop are O(log n) and the earliest is O(1). A pure
/// data structure: no lock, no clock, no thread. The tasks are the caller's.
class timer_queue {
 public:
  [[nodiscard]] bool empty() const noexcept { return heap_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return heap_.size(); }

  /// The earliest; needs `!empty()`.
  [[nodiscard]] task_base& top() const noexcept { return *heap_.front().task; }
  [[nodiscard]] time_point earliest_due() const noexcept { return heap_.front().due; }

  /// Makes room for one more, so that the next `insert` cannot fail. Throws `std::bad_alloc`.
  void reserve_one();
  /// Needs room made by `reserve_one`.
  void insert(task_base& task) noexcept;
  void erase(task_base& task) noexcept;

  /// Calls `visit(task)` for all, in no order.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const entry& at : heap_) visit(*at.task);
  }
  /// One that `accept(task)` takes, of all in no order; null when none.
  template <class Accept>
  [[nodiscard]] task_base* find(Accept accept) const {
    for (const entry& at : heap_) {
      if (accept(*at.task)) return at.task;
    }
    return nullptr;
  }

 private:
  struct entry {
    time_point due;
    std::uint64_t id;
    task_base* task;

    bool operator<(const entry& other) const noexcept {
      return due != other.due ? due < other.due : id < other.id;
    }
  };

  void place(std::size_t index, const entry& value) noexcept;
  void sift_up(std::size_t index, const entry& value) noexcept;
  void sift_down(std::size_t index, const entry& value) noexcept;
  void give_back_memory() noexcept;

  std::vector<entry> heap_;
};

}  // namespace weir::detail
