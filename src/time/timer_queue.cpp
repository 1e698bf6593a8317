#include "time/timer_queue.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "weir/detail/assert.hpp"

namespace weir::detail {

namespace {

constexpr std::size_t k_arity = 4;
constexpr std::size_t k_bundle = timer_bundle::k_most;
constexpr std::size_t k_first_capacity = 16;
constexpr std::size_t k_most_bundles = std::size_t{1} << (32 - timer_bundle::k_index_bits);
constexpr std::size_t k_kept_bundles = 64;
// A bundle is dissolved when less than one in so many of its slots is alive.
constexpr std::size_t k_sparse = 3;

constexpr std::size_t parent_of(std::size_t at) { return (at - 1) / k_arity; }

}  // namespace

bool timer_queue::before(const key& left, const key& right) const noexcept {
  if (left.due != right.due) return left.due < right.due;
  return bundles_[left.number].first().id < bundles_[right.number].first().id;
}

bool timer_queue::sparse(std::uint32_t number) const noexcept {
  return bundles_[number].live() * k_sparse < bundles_[number].capacity();
}

// Room.

void timer_queue::reserve(std::size_t count) {
  if (room_ >= count) return;
  if (bundles_.empty()) {
    add_spare(k_first_capacity);
    open_next();  // as much room as before
  }
  if (has_open()) grow_open(count);
  while (room_ < count) add_spare(k_bundle);
}

// What dead slots take comes first. Then the open bundle grows as a vector does: few timers need
// little memory.
void timer_queue::grow_open(std::size_t count) {
  timer_bundle& open = bundles_[open_];
  if (open.live() > 0 && open.live() * 2 <= open.used()) {
    open.compact();
    first_changed(open_);
  }
  if (open.capacity() < k_bundle && open.capacity() - open.used() < count) {
    open.reserve(std::min(std::max(2 * open.capacity(), open.used() + count), k_bundle));
  }
  measure_room();
}

void timer_queue::add_spare(std::size_t capacity) {
  if (free_.empty()) add_number();
  bundles_[free_.back()].reserve(capacity);
  room_ += bundles_[free_.back()].capacity();
  spares_.push_back(free_.back());
  free_.pop_back();
}

// The lists have room for every number, so that no bundle that moves between them needs memory.
void timer_queue::add_number() {
  const std::size_t count = bundles_.size();
  if (count >= k_most_bundles) throw std::bad_alloc();
  if (count == bundles_.capacity()) bundles_.reserve(std::max<std::size_t>(1, 2 * count));
  order_.reserve(bundles_.capacity());
  spares_.reserve(bundles_.capacity());
  free_.reserve(bundles_.capacity());
  bundles_.emplace_back(static_cast<std::uint32_t>(count));
  bundles_.back().place = k_none;
  free_.push_back(static_cast<std::uint32_t>(count));
}

void timer_queue::open_next() noexcept {
  WEIR_ASSERT(!spares_.empty());
  open_ = spares_.back();
  spares_.pop_back();
}

void timer_queue::measure_room() noexcept {
  room_ = 0;
  for (const std::uint32_t spare : spares_) room_ += bundles_[spare].capacity();
  if (has_open()) room_ += bundles_[open_].capacity() - bundles_[open_].used();
}

// After a task of that bundle has left, without fail: in it there is a dead slot at the least.
void timer_queue::leave_room(std::uint32_t number) noexcept {
  if (bundles_[number].live() * 2 <= bundles_[number].used()) return reopen(number);
  try {
    add_spare(k_bundle);
  } catch (const std::bad_alloc&) {
    reopen(number);
  }
}

// Tasks.

void timer_queue::insert(task_base& task) noexcept {
  put(task);
  ++size_;
}

void timer_queue::put(task_base& task) noexcept {
  WEIR_ASSERT(room_ > 0);
  if (!has_open()) open_next();
  if (bundles_[open_].used() == bundles_[open_].capacity()) {
    sparse(open_) ? reopen(open_) : open_next();
  }
  --room_;
  if (bundles_[open_].add(task)) first_changed(open_);
}

void timer_queue::erase(task_base& task) noexcept {
  const std::uint32_t number = task.position >> timer_bundle::k_index_bits;
  const std::uint32_t index = task.position & (k_bundle - 1);
  WEIR_ASSERT(number < bundles_.size() && bundles_[number].has(index));
  timer_bundle& from = bundles_[number];
  --size_;
  const bool changed = from.remove(index, number != open_);
  if (from.live() == 0) {
    leave_order(number);
    number == open_ ? measure_room() : retire(number);
    if (size_ == 0) give_back_memory();
  } else {
    if (changed) first_changed(number);
    if (number != open_ && sparse(number)) dissolve(number);
  }
  if (room_ == 0) leave_room(number);
}

// Bundles.

// What is left goes to the open bundle, without asking for memory. Where it does not fit, that one
// is nearly full of tasks, and this one takes its part.
void timer_queue::dissolve(std::uint32_t number) noexcept {
  timer_bundle& from = bundles_[number];
  if (has_open() && bundles_[open_].live() > 0 && sparse(open_)) reopen(open_);
  if (!has_open() || bundles_[open_].capacity() - bundles_[open_].used() < from.live()) {
    return reopen(number);
  }
  leave_order(number);
  measure_room();
  from.visit_until([this](task_base& task) {
    put(task);
    return false;
  });
  retire(number);
}

void timer_queue::reopen(std::uint32_t number) noexcept {
  bundles_[number].compact();
  first_changed(number);
  open_ = number;
  measure_room();
}

// One is kept for the next time that the open one is full.
void timer_queue::retire(std::uint32_t number) noexcept {
  bundles_[number].clear();
  spares_.push_back(number);
  while (spares_.size() > 1) {
    bundles_[spares_.back()].release_memory();
    free_.push_back(spares_.back());
    spares_.pop_back();
  }
  measure_room();
}

// The table of bundles keeps its numbers while any is in use.
void timer_queue::give_back_memory() noexcept {
  if (bundles_.size() <= k_kept_bundles) return;
  try {
    timer_queue fresh;
    fresh.reserve_one();
    *this = std::move(fresh);
  } catch (const std::bad_alloc&) {
    // The larger table serves as well.
  }
}

std::size_t timer_queue::memory_bytes() const noexcept {
  std::size_t sum = bundles_.capacity() * sizeof(timer_bundle) + order_.capacity() * sizeof(key) +
                    (spares_.capacity() + free_.capacity()) * sizeof(std::uint32_t);
  for (const timer_bundle& each : bundles_) sum += each.memory_bytes();
  return sum;
}

// The order of the bundles.

void timer_queue::first_changed(std::uint32_t number) noexcept {
  const key changed{bundles_[number].due(), number};
  std::size_t at = bundles_[number].place;
  if (at == k_none) {
    at = order_.size();
    order_.push_back(changed);
  }
  settle(at, changed);
}

void timer_queue::leave_order(std::uint32_t number) noexcept {
  const std::size_t hole = std::exchange(bundles_[number].place, k_none);
  const key last = order_.back();
  order_.pop_back();
  if (hole < order_.size()) settle(hole, last);
}

void timer_queue::settle(std::size_t index, const key& what) noexcept {
  if (index > 0 && before(what, order_[parent_of(index)])) return rise(index, what);
  sink(index, what);
}

void timer_queue::place(std::size_t index, const key& what) noexcept {
  order_[index] = what;
  bundles_[what.number].place = static_cast<std::uint32_t>(index);
}

void timer_queue::rise(std::size_t index, const key& what) noexcept {
  while (index > 0) {
    const std::size_t parent = parent_of(index);
    if (!before(what, order_[parent])) break;
    place(index, order_[parent]);
    index = parent;
  }
  place(index, what);
}

void timer_queue::sink(std::size_t index, const key& what) noexcept {
  for (;;) {
    const std::size_t first = index * k_arity + 1;
    if (first >= order_.size()) break;
    const std::size_t end = std::min(first + k_arity, order_.size());
    std::size_t least = first;
    for (std::size_t child = first + 1; child < end; ++child) {
      if (before(order_[child], order_[least])) least = child;
    }
    if (!before(order_[least], what)) break;
    place(index, order_[least]);
    index = least;
  }
  place(index, what);
}

}  // namespace weir::detail
