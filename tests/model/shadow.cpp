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
  std::uint8_t freed_by;
};

cell* cells = nullptr;

bool writes(access how) noexcept { return how != access::read && how != access::atomic_read; }
bool atomic(access how) noexcept { return how >= access::atomic_read; }

const char* verb(access how) noexcept {
  constexpr const char* k_verbs[] = {"reads", "writes", "frees", "atomically reads",
                                     "atomically writes"};
  return k_verbs[static_cast<unsigned>(how)];
}

[[noreturn]] void report_race(const record& before, const record& now, const void* address,
                              const void* caller) noexcept {
  fail("data race on %s: thread %u %s at %s; thread %u %s at %s and nothing orders the two",
       arena::name_of(address).c_str(), before.fiber, verb(before.how),
       place_of(reinterpret_cast<const void*>(std::uintptr_t{before.caller})).c_str(), now.fiber,
       verb(now.how), place_of(caller).c_str());
}

void renew(cell& at) noexcept {
  at.execution = current_execution();
  at.count = at.oldest = 0;
  at.freed = false;
}

void look(cell& at, const record& now, const clock_vector& seen, const void* address,
          const void* caller) noexcept {
  if (at.execution != current_execution()) renew(at);
  if (at.freed) {
    fail("use after free: thread %u %s %s at %s", now.fiber, verb(now.how),
         arena::name_of(address).c_str(), place_of(caller).c_str());
  }
  // Most often the same thread does the same again.
  record& last = at.records[0];
  if (at.count == 1 && last.fiber == now.fiber && last.bytes == now.bytes && last.how == now.how) {
    last = now;
    return;
  }
  record* same = nullptr;
  for (record* before = at.records; before != at.records + at.count; ++before) {
    if (before->fiber == now.fiber) {
      if (before->bytes == now.bytes && before->how == now.how) same = before;
      continue;
    }
    if ((before->bytes & now.bytes) == 0 || seen.knows(before->fiber, before->clock)) continue;
    if (!writes(before->how) && !writes(now.how)) continue;
    if (atomic(before->how) && atomic(now.how)) continue;
    report_race(*before, now, address, caller);
  }
  if (same == nullptr && at.count < k_remembered) same = &at.records[at.count++];
  if (same == nullptr) {
    same = &at.records[at.oldest];
    at.oldest = static_cast<std::uint8_t>((at.oldest + 1) % k_remembered);
  }
  *same = now;
}

}  // namespace

void map() {
  const std::size_t bytes = arena::k_bytes / k_granule * sizeof(cell);
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
  const clock_vector& seen = current_clocks();
  const auto fiber = static_cast<std::uint8_t>(current_fiber());
  record now{seen.at[fiber], static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(caller)),
             fiber, 0xFF, how};
  std::size_t from = arena::offset_of(address);
  const std::size_t end = from + bytes;
  while (from < end) {
    const std::size_t first = from % k_granule;
    const std::size_t here = std::min(end - from, k_granule - first);
    now.bytes = static_cast<std::uint8_t>((0xFFu >> (k_granule - here)) << first);
    look(cells[from / k_granule], now, seen, address, caller);
    from += here;
  }
}

burial buried(const void* address, unsigned fiber) noexcept {
  if (!arena::owns(address)) return burial::none;
  const cell& at = cells[arena::offset_of(address) / k_granule];
  if (at.execution != current_execution() || !at.freed) return burial::none;
  return at.freed_by == fiber ? burial::by_same : burial::by_other;
}

void bury(const void* block, std::size_t bytes, const void* caller) noexcept {
  touch(block, bytes, access::free, caller);
  const std::size_t first = arena::offset_of(block) / k_granule;
  for (std::size_t at = first; at < first + bytes / k_granule; ++at) {
    cells[at].freed = true;
    cells[at].freed_by = static_cast<std::uint8_t>(current_fiber());
  }
}

}  // namespace weir::model::shadow
