#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "weir/detail/sync.hpp"
#include "weir/detail/task_base.hpp"

namespace weir::detail {

/// The tasks that a worker has claimed ahead, in order. A claim ahead is a hint that can be taken
/// back: the owner takes them out one by one without the pool's lock, and anybody who holds the
/// lock may recall what is left. Filled by the owner, under the lock, while empty. Protocol:
/// docs/design/claim-ring.md.
class claim_ring {
 public:
  static constexpr std::size_t k_size = 32;

  /// Owner, under the lock: where to put up to k_size tasks. The first is taken already, the owner
  /// being about to run it; `open` publishes all `count`.
  [[nodiscard]] task_base** slots() noexcept { return slots_.data(); }
  void open(std::size_t count) noexcept {
    // ordering: claim-range
    range_.store(pack(1, count), sync::release);
  }

  /// Owner, without the lock: the next task, or null when nothing is left. `visited` tells that an
  /// aborter has been here since the last call and may be taking a reference to the task taken
  /// before.
  task_base* pop(bool& visited) noexcept {
    // ordering: claim-range
    const std::uint64_t range = range_.fetch_add(1, sync::acq_rel);
    visited = (range & k_visited) != 0;
    const std::size_t head = head_of(range);
    if (head >= end_of(range)) return nullptr;
    if (head + 1 < end_of(range)) __builtin_prefetch(slots_[head + 1], 1);
    return slots_[head];
  }

  /// Owner, under the lock: what it took last is gone.
  void forget_last() noexcept { slots_[head_of(range_.load(sync::relaxed)) - 1] = nullptr; }

  struct remainder {
    std::size_t head;
    std::size_t end;
    /// What the owner took last, and may still be running; null when it found nothing left.
    task_base* taken_last;
  };
  /// Under the lock: takes what is left, slots head … end − 1, away from the owner.
  remainder recall(bool visit) noexcept {
    std::uint64_t range = range_.load(sync::relaxed);
    std::uint64_t emptied = 0;
    do {
      const std::size_t head = head_of(range);
      emptied = head > end_of(range) ? range : pack(head, head);
      if (visit) emptied |= k_visited;
      // ordering: claim-range
    } while (!range_.compare_exchange_weak(range, emptied, sync::acq_rel, sync::relaxed));
    const std::size_t head = head_of(range);
    const std::size_t end = end_of(range);
    if (head > end) return {head, head, nullptr};
    return {head, end, slots_[head - 1]};
  }

  [[nodiscard]] task_base* at(std::size_t slot) const noexcept { return slots_[slot]; }

 private:
  static constexpr unsigned k_end_shift = 32;
  static constexpr std::uint64_t k_visited = std::uint64_t{1} << 63;

  static constexpr std::uint64_t pack(std::size_t head, std::size_t end) noexcept {
    return static_cast<std::uint64_t>(end) << k_end_shift | head;
  }
  static constexpr std::size_t head_of(std::uint64_t range) noexcept {
    return static_cast<std::uint32_t>(range);
  }
  static constexpr std::size_t end_of(std::uint64_t range) noexcept {
    return static_cast<std::size_t>((range & ~k_visited) >> k_end_shift);
  }

  sync::atomic<std::uint64_t> range_{0};
  std::array<task_base*, k_size> slots_{};
};

}  // namespace weir::detail
