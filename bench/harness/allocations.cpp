#include "allocations.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace bench {

namespace {

// A slot per thread: one counter for all would be what the workloads measure. Threads beyond the
// last slot share it, which costs them accuracy and nobody else.
struct alignas(64) slot {
  std::atomic<std::uint64_t> count{0};
};

constexpr std::size_t k_slots = 256;
std::array<slot, k_slots> slots;
std::atomic<std::size_t> next_slot{0};
thread_local slot* own_slot = nullptr;

void count_one() noexcept {
  if (own_slot == nullptr) {
    const auto index = next_slot.fetch_add(1, std::memory_order_relaxed);
    own_slot = &slots[index < k_slots ? index : k_slots - 1];
  }
  const auto count = own_slot->count.load(std::memory_order_relaxed);
  own_slot->count.store(count + 1, std::memory_order_relaxed);
}

void* allocate(std::size_t size) {
  count_one();
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}

void* allocate(std::size_t size, std::align_val_t alignment) {
  count_one();
  const auto step = static_cast<std::size_t>(alignment);
  if (void* memory = std::aligned_alloc(step, (size + step - 1) / step * step)) return memory;
  throw std::bad_alloc();
}

}  // namespace

std::uint64_t allocation_count() noexcept {
  std::uint64_t sum = 0;
  for (const auto& each : slots) sum += each.count.load(std::memory_order_relaxed);
  return sum;
}

}  // namespace bench

void* operator new(std::size_t size) { return bench::allocate(size); }
void* operator new[](std::size_t size) { return bench::allocate(size); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return bench::allocate(size, alignment);
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return bench::allocate(size, alignment);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
