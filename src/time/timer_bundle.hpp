#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "weir/detail/task_base.hpp"

namespace weir::detail {

/// Up to 512 delayed tasks and which of them is first by (due, id). A task keeps the slot that it
/// was given; order is kept among the slots' numbers, so that to order them touches no task. A
/// removed task leaves a dead slot, known by one bit: neither the task nor the slot is touched. A
/// part of `timer_queue`.
class alignas(64) timer_bundle {
 public:
  static constexpr unsigned k_index_bits = 9;
  static constexpr std::size_t k_most = std::size_t{1} << k_index_bits;

  explicit timer_bundle(std::uint32_t number) noexcept : number_(number) {}

  [[nodiscard]] std::size_t live() const noexcept { return live_; }
  [[nodiscard]] std::size_t used() const noexcept { return slots_.size(); }
  [[nodiscard]] std::size_t capacity() const noexcept { return slots_.capacity(); }
  [[nodiscard]] bool has(std::size_t index) const noexcept {
    return index < k_most && (alive_[index / 64] >> (index % 64) & 1) != 0;
  }
  /// The first task in order, and when it is due; need `live() > 0`.
  [[nodiscard]] task_base& first() const noexcept { return *slots_[first_].task; }
  [[nodiscard]] time_point due() const noexcept { return slots_[first_].due; }

  /// Makes room for `capacity` slots, dead ones included. Throws `std::bad_alloc`, and nothing has
  /// changed.
  void reserve(std::size_t capacity);
  /// Needs a slot that was never used. Returns whether the task is the first now.
  bool add(task_base& task) noexcept;
  /// Returns whether another task is the first now, or none. In a bundle that is `closed`, which
  /// nothing is added to, many firsts in turn are cheap.
  bool remove(std::size_t index, bool closed) noexcept;
  /// Gets rid of the dead slots; opens it for `add` again.
  void compact() noexcept;
  /// Forgets those that are alive: they are elsewhere by then.
  void clear() noexcept;
  /// The same, and gives the memory back.
  void release_memory() noexcept;

  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return slots_.capacity() * sizeof(slot) + order_.capacity() * sizeof(order_[0]);
  }

  /// Calls `visit(task)` for those alive, in the order of their slots, until it returns true;
  /// returns that task, or null. Before the next one is visited this one may be moved elsewhere.
  template <class Visit>
  task_base* visit_until(Visit visit) const {
    for (std::size_t word = 0; word < alive_.size(); ++word) {
      for (std::uint64_t left = alive_[word]; left != 0; left &= left - 1) {
        task_base* const task =
            slots_[word * 64 + static_cast<std::size_t>(std::countr_zero(left))].task;
        if (visit(*task)) return task;
      }
    }
    return nullptr;
  }

  std::uint32_t place = 0;  ///< the queue's: where it stands in the order of bundles

 private:
  using index_t = std::uint16_t;
  struct slot {
    time_point due;
    task_base* task;  // of a dead slot it dangles
  };

  [[nodiscard]] bool before(index_t left, index_t right) const noexcept;
  [[nodiscard]] std::uint32_t position_of(std::size_t index) const noexcept {
    return (number_ << k_index_bits) | static_cast<std::uint32_t>(index);
  }
  void set_alive(std::size_t index) noexcept {
    alive_[index / 64] |= std::uint64_t{1} << (index % 64);
  }
  void bury(std::size_t index) noexcept;
  void rise(std::size_t at, index_t index) noexcept;
  [[nodiscard]] bool follows_all_above(std::size_t at) const noexcept;
  void sink(std::size_t at, index_t index) noexcept;
  void drop_dead_firsts() noexcept;
  void drop_first() noexcept;
  void sort() noexcept;
  void heap_again() noexcept;

  std::vector<slot> slots_;
  std::vector<index_t> order_;  // a 4-ary heap; sorted, from `head_` on, once `sorted_`
  std::uint32_t number_;
  index_t live_ = 0;
  index_t first_ = 0;  // the slot of the first task
  index_t head_ = 0;
  std::uint8_t dropped_ = 0;  // firsts that have left the heap
  bool sorted_ = false;
  std::array<std::uint64_t, k_most / 64> alive_{};
};

}  // namespace weir::detail
