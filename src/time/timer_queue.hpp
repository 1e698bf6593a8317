#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "time/timer_bundle.hpp"
#include "weir/detail/task_base.hpp"

namespace weir::detail {

/// Delayed tasks by (due, id), exactly: a heap of bundles. Insert touches one bundle, which is in
/// the cache; erase sets a bit; the earliest is O(1); no call takes longer than a few bundles do,
/// however many tasks there are. A bundle in which too few are alive is dissolved: memory goes back
/// with the tasks. A pure data structure: no lock, no clock, no thread. The tasks are the caller's.
/// Design: docs/design/timers.md.
class timer_queue {
 public:
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// The earliest; needs `!empty()`.
  [[nodiscard]] task_base& top() const noexcept { return bundles_[order_.front().number].first(); }
  [[nodiscard]] time_point earliest_due() const noexcept { return order_.front().due; }

  /// Makes room for so many more, so that the next inserts cannot fail; an `erase` before them may
  /// leave room for one only. Throws `std::bad_alloc`, and has changed nothing that shows.
  void reserve(std::size_t count);
  void reserve_one() {
    if (room_ == 0) reserve(1);
  }
  /// Needs room, made by `reserve` or left by an `erase`.
  void insert(task_base& task) noexcept;
  /// Leaves room for one: what is taken out can be put back, with another due time.
  void erase(task_base& task) noexcept;

  /// Calls `visit(task)` for all, in no order.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const timer_bundle& each : bundles_) {
      each.visit_until([&visit](task_base& task) {
        visit(task);
        return false;
      });
    }
  }
  /// One that `accept(task)` takes, of all in no order; null when none.
  template <class Accept>
  [[nodiscard]] task_base* find(Accept accept) const {
    for (const timer_bundle& each : bundles_) {
      if (task_base* const found = each.visit_until(accept)) return found;
    }
    return nullptr;
  }

  /// What it holds from the allocator.
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

 private:
  static constexpr std::uint32_t k_none = ~std::uint32_t{0};

  /// A bundle by when its first task is due.
  struct key {
    time_point due;
    std::uint32_t number;
  };
  [[nodiscard]] bool before(const key& left, const key& right) const noexcept;

  [[nodiscard]] bool has_open() const noexcept { return open_ != k_none; }
  [[nodiscard]] bool sparse(std::uint32_t number) const noexcept;
  void add_spare(std::size_t capacity);
  void add_number();
  void grow_open(std::size_t count);
  void leave_room(std::uint32_t number) noexcept;
  void open_next() noexcept;
  void measure_room() noexcept;

  void put(task_base& task) noexcept;
  void dissolve(std::uint32_t number) noexcept;
  void reopen(std::uint32_t number) noexcept;
  void retire(std::uint32_t number) noexcept;
  void give_back_memory() noexcept;

  void first_changed(std::uint32_t number) noexcept;
  void leave_order(std::uint32_t number) noexcept;
  void settle(std::size_t index, const key& what) noexcept;
  void rise(std::size_t index, const key& what) noexcept;
  void sink(std::size_t index, const key& what) noexcept;
  void place(std::size_t index, const key& what) noexcept;

  std::vector<timer_bundle> bundles_;  // by number
  std::vector<key> order_;             // a 4-ary heap of those that are not empty
  std::vector<std::uint32_t> spares_;  // empty bundles with all their memory
  std::vector<std::uint32_t> free_;    // numbers of bundles without memory
  std::uint32_t open_ = k_none;        // the bundle that takes what is inserted
  std::size_t size_ = 0;
  std::size_t room_ = 0;  // inserts that need no memory
};

}  // namespace weir::detail
