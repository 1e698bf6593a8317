#pragma once

#include <cstddef>

#include "time/timer_queue.hpp"
#include "weir/detail/task_base.hpp"

namespace weir::detail {

/// What waits in a pool, in the one order that counts: by due time, then by id. Tasks that were due
/// at submission stand in a list, whose order is the order of submission; delayed ones in a heap.
/// A pure data structure: the pool's lock guards it, the pool reads the clock.
class pending_queue {
 public:
  /// Appends a task that is due. Its due time is raised to that of its predecessor where clocks
  /// read outside the lock came in another order: among immediate tasks the id alone decides.
  void push_ready(task_base& task) noexcept;

  void reserve_delayed() { timers_.reserve_one(); }
  void push_delayed(task_base& task) noexcept;

  /// Takes the first task that is due at `now` and moves it to `running`. Tasks that a canceller
  /// owns are unlinked on the way: the canceller still holds their place. Null when nothing is due.
  task_base* pick(time_point now) noexcept;

  /// Removes a task; does nothing when it is in no list.
  void unlink(task_base& task) noexcept;

  /// The first task in order, due or not; null when empty.
  [[nodiscard]] task_base* first() const noexcept;

  /// The first task that is due at `now`; null when nothing is.
  [[nodiscard]] task_base* first_due(time_point now) const noexcept;

  /// The first due task behind the `ahead` first ones of the list that may still start; null when
  /// there is none. O(ahead).
  [[nodiscard]] task_base* waiting_behind(std::size_t ahead, time_point now) const noexcept;

  /// Whether only the clock can tell if something is due.
  [[nodiscard]] bool needs_clock() const noexcept { return head_ == nullptr && !timers_.empty(); }
  [[nodiscard]] bool has_ready() const noexcept { return head_ != nullptr; }
  [[nodiscard]] bool has_delayed() const noexcept { return !timers_.empty(); }
  [[nodiscard]] time_point earliest_delayed() const noexcept { return timers_.earliest_due(); }

  /// Calls `visit(task)` for every delayed task, in no order; it must not change the queue.
  template <class Visit>
  void for_each_delayed(Visit visit) const {
    timers_.for_each(visit);
  }

 private:
  void unlink_ready(task_base& task) noexcept;

  task_base* head_ = nullptr;
  task_base* tail_ = nullptr;
  timer_queue timers_;
};

}  // namespace weir::detail
