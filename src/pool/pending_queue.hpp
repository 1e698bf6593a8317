#pragma once

#include <algorithm>
#include <cstddef>

#include "pool/ready_list.hpp"
#include "time/timer_queue.hpp"
#include "weir/detail/task_base.hpp"

namespace weir::detail {

/// What waits in a pool, in the one order that counts: by due time, then by id. Tasks that were due
/// at submission stand in a list, whose order is the order of submission; delayed ones in the timer
/// queue. A pure data structure: the pool's lock guards it, the pool reads the clock.
class pending_queue {
 public:
  /// Makes room for one more, so that the next push cannot fail. Throws `std::bad_alloc`.
  void reserve(bool delayed) { delayed ? timers_.reserve_one() : ready_.reserve_one(); }

  /// Makes room for so many that are due. Throws `std::bad_alloc` and has made none then.
  void reserve_ready(std::size_t count) { ready_.reserve(count); }

  /// Whether `push_ready` cannot fail as it is.
  [[nodiscard]] bool has_room() const noexcept { return ready_.has_room(); }

  /// Appends a task that is due. Its due time is raised to that of its predecessor where clocks
  /// read outside the lock came in another order: among immediate tasks the id alone decides.
  void push_ready(task_base& task) noexcept {
    last_due_ = task.due = std::max(task.due, last_due_);
    ready_.push_back(task);
  }
  void push_delayed(task_base& task) noexcept;

  /// Puts back what `take_ahead` took, in order, before everything else. Needs room made by
  /// `reserve_front`, which throws `std::bad_alloc`.
  void reserve_front(std::size_t count) { ready_.reserve_front(count); }
  void push_front(task_base* const* tasks, std::size_t count) noexcept {
    ready_.push_front(tasks, count);
  }

  /// Takes the first task that is due at `now` and moves it to `running`. Tasks that a canceller
  /// owns are unlinked on the way: the canceller still holds their place. Null when nothing is due.
  task_base* pick(time_point now) noexcept;

  /// Takes the first `count` ready tasks at most out into `target`, in order, short of a delayed
  /// one that comes before them. They stay `queued` and keep saying that they are ready.
  std::size_t take_ahead(task_base** target, std::size_t count) noexcept;

  /// Removes a task that is in the list or the timer queue; does nothing when it is in none.
  void unlink(task_base& task) noexcept;

  /// The first task in order, due or not; null when empty.
  [[nodiscard]] task_base* first() noexcept;

  /// The first task that is due at `now`; null when nothing is.
  [[nodiscard]] task_base* first_due(time_point now) noexcept;

  /// The first due task behind the `ahead` first ones of the list that may still start; null when
  /// there is none. O(ahead).
  [[nodiscard]] task_base* waiting_behind(std::size_t ahead, time_point now) noexcept;

  /// The first of the list of ready tasks that `accept(task)` takes, in order; null when none.
  template <class Accept>
  [[nodiscard]] task_base* find_ready(Accept accept) const {
    return ready_.find(accept);
  }

  /// Whether only the clock can tell if something is due.
  [[nodiscard]] bool needs_clock() const noexcept { return ready_.empty() && !timers_.empty(); }
  [[nodiscard]] bool has_ready() const noexcept { return !ready_.empty(); }
  [[nodiscard]] std::size_t ready_size() const noexcept { return ready_.size(); }
  [[nodiscard]] std::size_t delayed_size() const noexcept { return timers_.size(); }
  [[nodiscard]] bool has_delayed() const noexcept { return !timers_.empty(); }
  [[nodiscard]] time_point earliest_delayed() const noexcept { return timers_.earliest_due(); }

  /// One of the delayed tasks that `accept(task)` takes, of all in no order; null when none.
  template <class Accept>
  [[nodiscard]] task_base* find_delayed(Accept accept) const {
    return timers_.find(accept);
  }
  /// Calls `visit(task)` for every delayed task, in no order; it must not change the queue.
  template <class Visit>
  void for_each_delayed(Visit visit) const {
    timers_.for_each(visit);
  }

 private:
  ready_list ready_;
  timer_queue timers_;
  time_point last_due_ = k_due_at_once;
};

}  // namespace weir::detail
