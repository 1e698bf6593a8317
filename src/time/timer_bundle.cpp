#include "time/timer_bundle.hpp"

#include <algorithm>

#include "base/prefetch.hpp"
#include "weir/detail/assert.hpp"

namespace weir::detail {

namespace {

constexpr std::size_t k_arity = 4;
// From so many firsts on that left in turn the rest is sorted: most timers are cancelled, and need
// no more than the least; of those that come due one bundle has many.
constexpr std::uint8_t k_firsts_before_sorting = 8;
constexpr std::size_t k_prefetch = 8;

constexpr std::size_t parent_of(std::size_t at) { return (at - 1) / k_arity; }

}  // namespace

void timer_bundle::reserve(std::size_t capacity) {
  order_.reserve(capacity);
  slots_.reserve(capacity);
}

bool timer_bundle::add(task_base& task) noexcept {
  const std::size_t index = slots_.size();
  WEIR_ASSERT(index < slots_.capacity() && index < k_most);
  slots_.push_back({task.due, &task});
  order_.push_back(static_cast<index_t>(index));
  set_alive(index);
  ++live_;
  task.position = position_of(index);
  rise(order_.size() - 1, static_cast<index_t>(index));
  first_ = order_.front();
  return &first() == &task;
}

void timer_bundle::bury(std::size_t index) noexcept {
  alive_[index / 64] &= ~(std::uint64_t{1} << (index % 64));
  --live_;
}

bool timer_bundle::remove(std::size_t index, bool closed) noexcept {
  bury(index);
  if (live_ == 0) {
    clear();
    return true;
  }
  if (index != first_) return false;
  if (closed && !sorted_ && ++dropped_ > k_firsts_before_sorting) sort();
  drop_dead_firsts();
  return true;
}

void timer_bundle::clear() noexcept {
  slots_.clear();
  order_.clear();
  alive_ = {};
  live_ = 0;
  heap_again();
}

void timer_bundle::release_memory() noexcept {
  clear();
  slots_ = std::vector<slot>();
  order_ = std::vector<index_t>();
}

void timer_bundle::heap_again() noexcept {
  head_ = 0;
  dropped_ = 0;
  sorted_ = false;
}

// Of two slots with one due time a dead one, whose id is lost, counts as the earlier: below it in
// the heap there may be ids that are smaller than any at hand.
bool timer_bundle::before(index_t left, index_t right) const noexcept {
  const slot& one = slots_[left];
  const slot& other = slots_[right];
  if (one.due != other.due) return one.due < other.due;
  if (!has(left) || !has(right)) return has(right);
  return one.task->id < other.task->id;
}

void timer_bundle::rise(std::size_t at, index_t index) noexcept {
  while (at > 0) {
    const std::size_t parent = parent_of(at);
    if (!before(index, order_[parent])) break;
    order_[at] = order_[parent];
    at = parent;
  }
  order_[at] = index;
  if (at > 0 && !has(order_[parent_of(at)]) && !follows_all_above(at)) compact();
}

// Whether no task above has the same due time and a greater id. It is asked where a dead slot
// stands between, which shows no id; only a task that is put back, and so is older than others,
// can be in the wrong place then.
bool timer_bundle::follows_all_above(std::size_t at) const noexcept {
  const index_t index = order_[at];
  while (at > 0) {
    at = parent_of(at);
    const index_t above = order_[at];
    if (slots_[above].due != slots_[index].due) return true;
    if (has(above)) return before(above, index);
  }
  return true;
}

void timer_bundle::sink(std::size_t at, index_t index) noexcept {
  for (;;) {
    const std::size_t first = at * k_arity + 1;
    if (first >= order_.size()) break;
    const std::size_t end = std::min(first + k_arity, order_.size());
    std::size_t least = first;
    for (std::size_t child = first + 1; child < end; ++child) {
      if (before(order_[child], order_[least])) least = child;
    }
    if (!before(order_[least], index)) break;
    order_[at] = order_[least];
    at = least;
  }
  order_[at] = index;
}

void timer_bundle::drop_dead_firsts() noexcept {
  if (sorted_) {
    while (!has(order_[head_])) ++head_;
  } else {
    while (!has(order_.front())) drop_first();
  }
  first_ = order_[head_];
  prefetch_for_write(slots_[first_].task);
  if (head_ + std::size_t{1} < order_.size() && sorted_) {
    prefetch_for_write(&slots_[order_[head_ + std::size_t{1}]]);
  }
}

// The last one that is alive takes the first place: dead ones behind it are gone as well.
void timer_bundle::drop_first() noexcept {
  while (!has(order_.back())) order_.pop_back();
  const index_t last = order_.back();
  order_.pop_back();
  sink(0, last);
}

void timer_bundle::sort() noexcept {
  struct entry {
    time_point due;
    index_t index;
  };
  std::array<entry, k_most> all;
  std::size_t count = 0;
  for (std::size_t index = 0; index < slots_.size(); ++index) {
    if (has(index)) all[count++] = {slots_[index].due, static_cast<index_t>(index)};
  }
  std::sort(all.data(), all.data() + count, [this](const entry& left, const entry& right) {
    return left.due != right.due ? left.due < right.due
                                 : slots_[left.index].task->id < slots_[right.index].task->id;
  });
  order_.resize(count);
  std::transform(all.data(), all.data() + count, order_.begin(),
                 [](const entry& each) { return each.index; });
  sorted_ = true;
}

void timer_bundle::compact() noexcept {
  const std::size_t used = slots_.size();
  std::size_t count = 0;
  for (std::size_t index = 0; index < used; ++index) {
    const std::size_t soon = index + k_prefetch;
    if (soon < used && has(soon)) prefetch_for_write(slots_[soon].task);
    if (!has(index)) continue;
    slots_[index].task->position = position_of(count);
    slots_[count++] = slots_[index];
  }
  slots_.resize(count);
  order_.resize(count);
  alive_ = {};
  for (std::size_t index = 0; index < count; ++index) {
    set_alive(index);
    order_[index] = static_cast<index_t>(index);
  }
  for (std::size_t at = count; at-- > 0;) sink(at, order_[at]);
  heap_again();
  first_ = order_.front();
}

}  // namespace weir::detail
