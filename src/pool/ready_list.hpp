#pragma once

#include <array>
#include <cstddef>

#include "base/intrusive_list.hpp"
#include "weir/detail/task_base.hpp"

namespace weir::detail {

/// A piece of the list of ready tasks: 60 pointers in a block of 512 bytes. A null between `begin`
/// and `end` is a task that has been taken out of the middle.
struct ready_chunk {
  static constexpr std::uint32_t k_slots = 60;

  list_links<ready_chunk> links;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t live = 0;
  std::array<task_base*, k_slots> slots;

  // With the tasks' memory it comes back to the system after a burst.
  static void* operator new(std::size_t bytes) { return allocate_task(bytes, k_alignment); }
  static void operator delete(void* chunk) noexcept {
    deallocate_task(chunk, sizeof(ready_chunk), k_alignment);
  }

 private:
  static constexpr std::size_t k_alignment = __STDCPP_DEFAULT_NEW_ALIGNMENT__;
};

/// The due tasks in their order. Push at the back, pop at the front and remove anywhere are O(1); a
/// claim of many copies pointers and touches no task. Memory follows the live tasks: a chunk
/// without any goes back. A pure data structure; the tasks are the caller's.
class ready_list {
 public:
  ready_list() = default;
  ready_list(const ready_list&) = delete;
  ready_list& operator=(const ready_list&) = delete;
  ~ready_list();

  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// Makes room for one more, so that the next `push_back` cannot fail. Throws `std::bad_alloc`.
  void reserve_one() {
    if (!has_room()) add_spare();
  }
  [[nodiscard]] bool has_room() const noexcept {
    const ready_chunk* tail = chunks_.back();
    return (tail != nullptr && tail->end < ready_chunk::k_slots) || !spares_.empty();
  }
  /// The same for so many. Throws `std::bad_alloc` and has made none then.
  void reserve(std::size_t count);
  /// Needs room made before.
  void push_back(task_base& task) noexcept {
    ready_chunk* tail = chunks_.back();
    if (tail == nullptr || tail->end == ready_chunk::k_slots) tail = append_chunk();
    put(task, *tail, tail->end++);
  }
  /// Makes room for `count` more at the front. Throws `std::bad_alloc`.
  void reserve_front(std::size_t count);
  /// Puts `count` tasks, in order, before all others. Needs room made by `reserve_front`.
  void push_front(task_base* const* tasks, std::size_t count) noexcept;

  /// The oldest; needs `!empty()`.
  [[nodiscard]] task_base& front() noexcept {
    ready_chunk& head = *chunks_.front();
    while (head.slots[head.begin] == nullptr) ++head.begin;
    return *head.slots[head.begin];
  }
  void remove(task_base& task) noexcept;

  /// Takes the oldest `count` at most out into `target`; returns how many. Touches no task: each
  /// keeps saying where it was.
  std::size_t take(task_base** target, std::size_t count) noexcept;

  /// The first that `accept(task)` takes, in order; null when none.
  template <class Accept>
  [[nodiscard]] task_base* find(Accept accept) const noexcept {
    for (const ready_chunk* at = chunks_.front(); at != nullptr; at = chunks_.next(*at)) {
      for (std::uint32_t slot = at->begin; slot < at->end; ++slot) {
        if (at->slots[slot] != nullptr && accept(*at->slots[slot])) return at->slots[slot];
      }
    }
    return nullptr;
  }

 private:
  static constexpr std::size_t k_spares_max = 64;

  void put(task_base& task, ready_chunk& chunk, std::uint32_t slot) noexcept {
    chunk.slots[slot] = &task;
    ++chunk.live;
    ++size_;
    task.chunk = &chunk;
    task.position = slot;
    task.place = task_place::ready;
  }
  void add_spare();
  ready_chunk* take_spare() noexcept;
  [[nodiscard]] std::size_t room() const noexcept;
  ready_chunk* append_chunk() noexcept;
  void give_up(ready_chunk& chunk) noexcept;

  intrusive_list<ready_chunk, &ready_chunk::links> chunks_;
  intrusive_list<ready_chunk, &ready_chunk::links> spares_;
  std::size_t spare_count_ = 0;
  std::size_t size_ = 0;
};

}  // namespace weir::detail
