#pragma once

#include <cstdint>
#include <utility>

#include "weir/detail/assert.hpp"
#include "weir/detail/task_base.hpp"

namespace weir::detail {

class alarm_heap;
struct alarm_clock;

/// Something that rings at a time on a clock. Lives where its owner put it, a running body's frame
/// say; all fields are guarded by the guard's mutex once it is armed.
struct alarm {
  time_point due{};
  std::uint64_t id = 0;       ///< of the task: of several that are due at once the lowest is first
  task_base* task = nullptr;  ///< whose body is limited; runs while the alarm is armed
  alarm_clock* clock = nullptr;
  alarm_heap* heap = nullptr;  ///< null: not armed

  alarm* child = nullptr;  ///< the first of those below
  alarm* next = nullptr;   ///< the next below the same one
  alarm* prev = nullptr;   ///< the one before, or the one above the first
};

/// Alarms by (due, id): a pairing heap of elements that carry their own links, so that nothing is
/// allocated while a body starts. `insert` and `front` are O(1), `erase` is O(log n), amortised. A
/// pure data structure: no lock, no clock, no thread; the alarms are the caller's. Source: Fredman,
/// Sedgewick, Sleator, Tarjan, "The pairing heap" (1986), two-pass variant.
class alarm_heap {
 public:
  alarm_heap() = default;
  alarm_heap(const alarm_heap&) = delete;
  alarm_heap& operator=(const alarm_heap&) = delete;

  /// The earliest; null when empty.
  [[nodiscard]] alarm* front() const noexcept { return root_; }
  [[nodiscard]] bool empty() const noexcept { return root_ == nullptr; }

  void insert(alarm& added) noexcept {
    WEIR_ASSERT(added.heap == nullptr);
    added.heap = this;
    root_ = meld(root_, &added);
  }

  void erase(alarm& gone) noexcept {
    WEIR_ASSERT(gone.heap == this);
    alarm* const below = combine(gone.child);
    if (&gone == root_) {
      root_ = below;
    } else {
      (gone.prev->child == &gone ? gone.prev->child : gone.prev->next) = gone.next;
      if (gone.next != nullptr) gone.next->prev = gone.prev;
      root_ = meld(root_, below);
    }
    gone.child = gone.next = gone.prev = nullptr;
    gone.heap = nullptr;
  }

 private:
  static bool before(const alarm& a, const alarm& b) noexcept {
    return a.due != b.due ? a.due < b.due : a.id < b.id;
  }

  // Two roots become one; either may be null.
  static alarm* meld(alarm* above, alarm* below) noexcept {
    if (above == nullptr) return below;
    if (below == nullptr) return above;
    if (before(*below, *above)) std::swap(above, below);
    below->prev = above;
    below->next = above->child;
    if (below->next != nullptr) below->next->prev = below;
    above->child = below;
    return above;
  }

  // A row of siblings becomes one root: pairs from the left, then all pairs from the right.
  static alarm* combine(alarm* row) noexcept {
    alarm* pairs = nullptr;
    while (row != nullptr) {
      alarm* const first = row;
      alarm* const second = first->next;
      row = second != nullptr ? second->next : nullptr;
      first->next = first->prev = nullptr;
      if (second != nullptr) second->next = second->prev = nullptr;
      alarm* const pair = meld(first, second);
      pair->next = pairs;
      pairs = pair;
    }
    alarm* root = nullptr;
    while (pairs != nullptr) {
      alarm* const pair = pairs;
      pairs = std::exchange(pair->next, nullptr);
      root = meld(root, pair);
    }
    return root;
  }

  alarm* root_ = nullptr;
};

}  // namespace weir::detail
