#include "time/timer_queue.hpp"

#include <algorithm>
#include <limits>
#include <new>

#include "weir/detail/assert.hpp"

namespace weir::detail {

namespace {

constexpr std::size_t k_arity = 4;
constexpr std::size_t k_kept_capacity = 1024;

}  // namespace

void timer_queue::reserve_one() {
  if (heap_.size() >= std::numeric_limits<std::uint32_t>::max()) throw std::bad_alloc();
  if (heap_.size() == heap_.capacity()) heap_.reserve(std::max<std::size_t>(16, heap_.size() * 2));
}

void timer_queue::insert(task_base& task) noexcept {
  WEIR_ASSERT(heap_.size() < heap_.capacity());
  const entry value{task.due, task.id, &task};
  heap_.push_back(value);
  sift_up(heap_.size() - 1, value);
}

void timer_queue::erase(task_base& task) noexcept {
  const std::size_t hole = task.position;
  WEIR_ASSERT(hole < heap_.size() && heap_[hole].task == &task);
  const entry last = heap_.back();
  heap_.pop_back();
  if (hole < heap_.size()) {
    if (hole > 0 && last < heap_[(hole - 1) / k_arity]) {
      sift_up(hole, last);
    } else {
      sift_down(hole, last);
    }
  }
  give_back_memory();
}

void timer_queue::place(std::size_t index, const entry& value) noexcept {
  heap_[index] = value;
  value.task->position = static_cast<std::uint32_t>(index);
}

void timer_queue::sift_up(std::size_t index, const entry& value) noexcept {
  while (index > 0) {
    const std::size_t parent = (index - 1) / k_arity;
    if (!(value < heap_[parent])) break;
    place(index, heap_[parent]);
    index = parent;
  }
  place(index, value);
}

void timer_queue::sift_down(std::size_t index, const entry& value) noexcept {
  for (;;) {
    const std::size_t first = index * k_arity + 1;
    if (first >= heap_.size()) break;
    const std::size_t end = std::min(first + k_arity, heap_.size());
    std::size_t least = first;
    for (std::size_t child = first + 1; child < end; ++child) {
      if (heap_[child] < heap_[least]) least = child;
    }
    if (!(heap_[least] < value)) break;
    place(index, heap_[least]);
    index = least;
  }
  place(index, value);
}

// After a burst the memory goes back; a quarter full is far enough from the next growth to be no
// thrash.
void timer_queue::give_back_memory() noexcept {
  if (heap_.capacity() <= k_kept_capacity || heap_.size() > heap_.capacity() / 4) return;
  try {
    std::vector<entry> smaller;
    smaller.reserve(heap_.capacity() / 2);
    smaller.assign(heap_.begin(), heap_.end());
    heap_.swap(smaller);
  } catch (const std::bad_alloc&) {
    // The larger block serves as well.
  }
}

}  // namespace weir::detail
