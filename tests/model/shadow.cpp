#include "model/shadow.hpp"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>

#include "model/arena.hpp"
#include "model/engine.hpp"

namespace weir::model::shadow {

namespace {

constexpr std::size_t k_granule = 8;
constexpr unsigned k_remembered = 10;

struct record {
  std::uint32_t clock;
  std::uint32_t caller;  ///< low half of the address of the code
  std::uint8_t fiber;
  std::uint8_t bytes;  ///< one bit each
  access how;
};

/// The last accesses to eight bytes; what an older execution wrote is not there.
struct cell {
  std::uint64_t execution;
  record records[k_remembered];
  std::uint8_t count;
  std::uint8_t oldest;
  bool freed;
};

cell* cells = nullptr;

bool writes(access how) noexcept { return how != access::read && how != access::atomic_read; }
bool atomic(access how) noexcept { return how >= access::atomic_read; }

bool collide(const record& before, const record& now) noexcept {
  return (before.bytes & now.bytes) != 0 && before.fiber != now.fiber &&
         (writes(before.how) || writes(now.how)) && !(atomic(before.how) && atomic(now.how)) &&
         !happens_before_now(before.fiber, before.clock);
}

const char* verb(access how) noexcept {
  constexpr const char* k_verbs[] = {"reads", "writes", "frees", "atomically reads",
                                     "atomically writes"};
  return k_verbs[static_cast<unsigned>(how)];
}

void keep(cell& at, const record& now) noexcept {
  for (unsigned index = 0; index < at.count; ++index) {
    record& old = at.records[index];
    if (old.fiber != now.fiber || old.bytes != now.bytes || old.how != now.how) continue;
    old = now;
    return;
  }
  if (at.count < k_remembered) {
    at.records[at.count++] = now;
    return;
  }
  at.records[at.oldest] = now;
  at.oldest = static_cast<std::uint8_t>((at.oldest + 1) % k_remembered);
}

void look(cell& at, const record& now, const void* address, const void* caller) noexcept {
  if (at.execution != current_execution()) {
    at = cell{};
    at.execution = current_execution();
  }
  if (at.freed) {
    fail("use after free: thread %u %s %s at %s", current_fiber(), verb(now.how),
         arena::name_of(address).c_str(), place_of(caller).c_str());
  }
  for (unsigned index = 0; index < at.count; ++index) {
    const record& before = at.records[index];
    if (!collide(before, now)) continue;
    fail("data race on %s: thread %u %s at %s; thread %u %s at %s and nothing orders the two",
         arena::name_of(address).c_str(), before.fiber, verb(before.how),
         place_of(reinterpret_cast<const void*>(std::uintptr_t{before.caller})).c_str(), now.fiber,
         verb(now.how), place_of(caller).c_str());
  }
  keep(at, now);
}

}  // namespace

void map() {
  if (cells != nullptr) return;
  const std::size_t bytes = arena::size() / k_granule * sizeof(cell);
  void* const got = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (got == MAP_FAILED) {
    std::perror("model: no memory for the shadow of the executions");
    std::abort();
  }
  cells = static_cast<cell*>(got);
}

void touch(const void* address, std::size_t bytes, access how, const void* caller) noexcept {
  if (!arena::owns(address)) return;
  std::size_t from = arena::offset_of(address);
  const std::size_t end = from + bytes;
  record now{current_clock(), static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(caller)),
             static_cast<std::uint8_t>(current_fiber()), 0, how};
  while (from < end) {
    const std::size_t granule = from / k_granule;
    const std::size_t first = from % k_granule;
    const std::size_t last = std::min(end - granule * k_granule, k_granule);
    now.bytes = static_cast<std::uint8_t>((0xFFu >> (k_granule - (last - first))) << first);
    look(cells[granule], now, address, caller);
    from = (granule + 1) * k_granule;
  }
}

bool freed(const void* address) noexcept {
  if (!arena::owns(address)) return false;
  const cell& at = cells[arena::offset_of(address) / k_granule];
  return at.execution == current_execution() && at.freed;
}

void bury(const void* block, std::size_t bytes, const void* caller) noexcept {
  touch(block, bytes, access::free, caller);
  const std::size_t first = arena::offset_of(block) / k_granule;
  for (std::size_t at = first; at < first + bytes / k_granule; ++at) cells[at].freed = true;
}

}  // namespace weir::model::shadow
