#include "model/memory.hpp"

#include <algorithm>
#include <cstring>

#include "model/engine.hpp"
#include "model/shadow.hpp"

namespace weir::model {

namespace {

constexpr unsigned k_choices_of_a_load = 4;

bool acquires(std::memory_order order) noexcept {
  return order == std::memory_order_acquire || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst;
}
bool releases(std::memory_order order) noexcept {
  return order == std::memory_order_release || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst;
}

std::uint64_t cut(std::uint64_t value, unsigned size) noexcept {
  return size == 8 ? value : value & ((std::uint64_t{1} << size * 8) - 1);
}

}  // namespace

std::uint64_t applied(rmw what, std::uint64_t before, std::uint64_t operand) noexcept {
  switch (what) {
    case rmw::exchange:
      break;
    case rmw::add:
      return before + operand;
    case rmw::subtract:
      return before - operand;
    case rmw::bit_and:
      return before & operand;
    case rmw::bit_or:
      return before | operand;
    case rmw::bit_xor:
      return before ^ operand;
  }
  return operand;
}

void memory::begin_execution(memory_model model) {
  model_ = model;
  used_ = 0;
  for (auto& buffer : buffers_) buffer.clear();
  for (auto& seen : seen_) seen = {};
}

void memory::wipe(location& place, const void* address) {
  place.execution = current_execution();
  place.address = address;
  place.history.clear();
  for (auto& readings : place.readings) readings.clear();
  place.floor_of_seq_cst = 0;
  place.released = {};
}

memory::location& memory::at(const void* address) {
  const auto bits = reinterpret_cast<std::uintptr_t>(address);
  for (std::size_t probe = bits / 4 * 0x9E3779B1u;; ++probe) {
    location& place = slots_[probe % k_slots];
    if (place.execution != current_execution()) {
      if (++used_ > k_slots / 2) fail("the execution uses too many atomics for the model");
      wipe(place, address);
      return place;
    }
    if (place.address == address) return place;
  }
}

memory::location& memory::at(const void* address, unsigned size) {
  location& place = at(address);
  if (place.history.empty()) {
    message initial;
    std::memcpy(&initial.value, address, size);
    place.history.push_back(initial);
  }
  return place;
}

void memory::born(const void* address) { wipe(at(address), address); }

// A message that the thread knows of, by happens-before or by having read it, hides all before it,
// and so does one that was read by somebody whose reading happens before now.
unsigned memory::oldest_readable(const location& place, unsigned fiber) const {
  const clock_vector& seen = seen_[fiber];
  unsigned oldest = static_cast<unsigned>(place.history.size()) - 1;
  for (; oldest > 0; --oldest) {
    const message& what = place.history[oldest];
    if (what.writer == k_nobody || seen.knows(what.writer, what.clock)) break;
  }
  for (unsigned reader = 0; reader < k_fibers_max; ++reader) {
    const auto& readings = place.readings[reader];
    const auto known = std::find_if(readings.rbegin(), readings.rend(), [&](const reading& one) {
      return seen.knows(reader, one.clock);
    });
    if (known != readings.rend()) oldest = std::max(oldest, known->index);
  }
  return oldest;
}

unsigned memory::pick_message(location& place, std::memory_order order, unsigned fiber) {
  const auto latest = static_cast<unsigned>(place.history.size()) - 1;
  if (model_ != memory_model::views) return latest;
  unsigned oldest = oldest_readable(place, fiber);
  const bool total = order == std::memory_order_seq_cst;
  if (total) oldest = std::max(oldest, place.floor_of_seq_cst);
  const unsigned ways = std::min(latest - oldest + 1, k_choices_of_a_load);
  const unsigned index = latest - (ways > 1 ? choose_value(ways) : 0);
  place.readings[fiber].push_back({seen_[fiber].at[fiber], index});
  if (total) place.floor_of_seq_cst = std::max(place.floor_of_seq_cst, index);
  return index;
}

std::uint64_t memory::load(const void* address, unsigned size, std::memory_order order,
                           unsigned fiber) {
  for (auto own = buffers_[fiber].rbegin(); own != buffers_[fiber].rend(); ++own) {
    if (own->address == address) return own->what.value;
  }
  location& place = at(address, size);
  const message& what = place.history[pick_message(place, order, fiber)];
  if (acquires(order)) seen_[fiber].join(what.lesson);
  return what.value;
}

void memory::append(location& place, void* address, unsigned size, const message& what) {
  if (model_ != memory_model::views) place.history.clear();
  place.history.push_back(what);
  std::memcpy(address, &what.value, size);
}

void memory::store(void* address, unsigned size, std::uint64_t value, std::memory_order order,
                   unsigned fiber) {
  message what{cut(value, size), fiber, seen_[fiber].at[fiber]};
  if (releases(order)) what.lesson = seen_[fiber];
  const bool total = order == std::memory_order_seq_cst;
  if (model_ == memory_model::views) {
    location& place = at(address, size);
    append(place, address, size, what);
    if (total) place.floor_of_seq_cst = static_cast<unsigned>(place.history.size()) - 1;
    return;
  }
  buffers_[fiber].push_back({address, size, what, order});
  const bool first = buffers_[fiber].size() == 1;
  if (total || (first && choose_value(2) == 0)) flush(fiber);
}

void memory::flush_one(unsigned fiber) {
  const pending oldest = buffers_[fiber].front();
  buffers_[fiber].pop_front();
  // Freed by the thread that stored: the store is older than all by which somebody else could get
  // the memory.
  const auto burial = shadow::buried(oldest.address, fiber);
  if (burial == shadow::burial::by_same) return;
  if (burial == shadow::burial::by_other) {
    fail("a store reaches memory that has been freed meanwhile");
  }
  append(at(oldest.address, oldest.size), oldest.address, oldest.size, oldest.what);
}

void memory::flush(unsigned fiber) {
  while (!buffers_[fiber].empty()) flush_one(fiber);
}

// A read-modify-write reads the latest store, and hands on what that one taught.
void memory::swap_in(location& place, void* address, unsigned size, std::uint64_t value,
                     std::memory_order order, unsigned fiber) {
  clock_vector& seen = seen_[fiber];
  message what{cut(value, size), fiber, seen.at[fiber], place.history.back().lesson};
  if (acquires(order)) seen.join(what.lesson);
  if (releases(order)) what.lesson.join(seen);
  append(place, address, size, what);
  if (order == std::memory_order_seq_cst) {
    place.floor_of_seq_cst = static_cast<unsigned>(place.history.size()) - 1;
  }
}

std::uint64_t memory::change(void* address, unsigned size, rmw what, std::uint64_t operand,
                             std::memory_order order, unsigned fiber) {
  flush(fiber);
  location& place = at(address, size);
  const std::uint64_t before = place.history.back().value;
  swap_in(place, address, size, applied(what, before, operand), order, fiber);
  return before;
}

bool memory::compare_and_swap(void* address, unsigned size, std::uint64_t& expected,
                              std::uint64_t desired, std::memory_order success,
                              std::memory_order failure, unsigned fiber) {
  flush(fiber);
  location& place = at(address, size);
  const message& latest = place.history.back();
  if (latest.value == expected) {
    swap_in(place, address, size, desired, success, fiber);
    return true;
  }
  expected = latest.value;
  if (acquires(failure)) seen_[fiber].join(latest.lesson);
  const auto index = static_cast<unsigned>(place.history.size()) - 1;
  place.readings[fiber].push_back({seen_[fiber].at[fiber], index});
  if (failure == std::memory_order_seq_cst) place.floor_of_seq_cst = index;
  return false;
}

std::uint64_t memory::peek(const void* address, unsigned size) {
  return at(address, size).history.back().value;
}

void memory::acquire(const void* object, unsigned fiber) { seen_[fiber].join(at(object).released); }

void memory::release(const void* object, unsigned fiber) { at(object).released.join(seen_[fiber]); }

}  // namespace weir::model
