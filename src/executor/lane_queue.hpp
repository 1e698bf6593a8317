#pragma once

#include <cstddef>
#include <cstdint>

#include "weir/detail/assert.hpp"
#include "weir/detail/task_base.hpp"

namespace weir::detail {

/// Kept tasks in order, linked through themselves. One that is cancelled is marked at once and
/// unlinked by the next who passes, at the latest when the marked ones outnumber the rest: so each
/// costs O(1). Owns a reference of each task. Shared objects: unsafe.
class lane_queue {
 public:
  lane_queue() = default;
  lane_queue(const lane_queue&) = delete;
  lane_queue& operator=(const lane_queue&) = delete;
  /// Lets go of what is left, the dead above all.
  ~lane_queue() {
    while (task_base* task = pop()) release(task);
  }

  [[nodiscard]] std::size_t size() const noexcept { return live_; }
  [[nodiscard]] bool empty() const noexcept { return live_ == 0; }
  [[nodiscard]] static bool waits(const task_base& task) noexcept {
    return task.position == k_waits;
  }

  void push(task_base& task) noexcept {
    task.position = k_waits;
    task.next = nullptr;
    (last_ != nullptr ? last_->next : first_) = &task;
    last_ = &task;
    ++live_;
  }

  /// The first task that waits, with the queue's reference; null when empty.
  task_base* pop() noexcept {
    while (task_base* task = first_) {
      first_ = task->next;
      if (first_ == nullptr) last_ = nullptr;
      if (task->position == k_waits) {
        task->position = k_taken;
        --live_;
        return task;
      }
      bury(task);
    }
    return nullptr;
  }

  /// A task that waits leaves and dies; the caller has a reference of its own.
  void mark_dead(task_base& task) noexcept {
    WEIR_ASSERT(waits(task));
    task.position = k_dead;
    --live_;
    if (++dead_ > live_ + k_spare) sweep();
  }

  /// Takes a task that waits out again; the queue's reference is the caller's. O(n).
  void remove(task_base& task) noexcept {
    WEIR_ASSERT(waits(task));
    task_base* before = nullptr;
    for (task_base* at = first_; at != &task; at = at->next) before = at;
    unlink(before, &task);
    task.position = k_taken;
    --live_;
  }

 private:
  // In a task's `position`.
  static constexpr std::uint32_t k_taken = 0;
  static constexpr std::uint32_t k_waits = 1;
  static constexpr std::uint32_t k_dead = 2;
  static constexpr std::size_t k_spare = 16;

  void unlink(task_base* before, task_base* task) noexcept {
    (before != nullptr ? before->next : first_) = task->next;
    if (last_ == task) last_ = before;
  }

  // No user code: captures are gone, and there is no result.
  void bury(task_base* task) noexcept {
    --dead_;
    release(task);
  }

  void sweep() noexcept {
    task_base* before = nullptr;
    for (task_base* at = first_; at != nullptr;) {
      task_base* const after = at->next;
      if (at->position == k_dead) {
        unlink(before, at);
        bury(at);
      } else {
        before = at;
      }
      at = after;
    }
  }

  task_base* first_ = nullptr;
  task_base* last_ = nullptr;
  std::size_t live_ = 0;
  std::size_t dead_ = 0;
};

}  // namespace weir::detail
