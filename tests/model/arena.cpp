#include "model/arena.hpp"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <new>

#include "model/clock_vector.hpp"
#include "model/engine.hpp"
#include "model/shadow.hpp"

namespace weir::model::arena {

char* base = nullptr;

namespace {

constexpr std::size_t k_guard_bytes = std::size_t{16} << 10;
constexpr std::size_t k_alignment = 16;

struct header {
  std::size_t bytes;
  const void* caller;  ///< who allocated it; null once freed
};
static_assert(sizeof(header) == k_alignment);

char* heap_end = nullptr;

char* heap_begin() noexcept { return base + k_stacks_bytes; }

std::size_t rounded(std::size_t bytes, std::size_t to) noexcept {
  return (bytes + to - 1) / to * to;
}

}  // namespace

void map() {
  void* const got = ::mmap(nullptr, k_bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (got == MAP_FAILED) {
    std::perror("model: no memory for the executions");
    std::abort();
  }
  base = static_cast<char*>(got);
  heap_end = heap_begin();
  for (unsigned fiber = 0; fiber < k_fibers_max; ++fiber) {
    ::mprotect(stack_of(fiber), k_guard_bytes, PROT_NONE);
  }
}

void reset() noexcept { heap_end = heap_begin(); }

void* allocate(std::size_t bytes, std::size_t alignment, const void* caller) noexcept {
  alignment = alignment < k_alignment ? k_alignment : alignment;
  const auto free_from = reinterpret_cast<std::uintptr_t>(heap_end) + sizeof(header);
  char* const block = heap_end + (rounded(free_from, alignment) - free_from) + sizeof(header);
  if (block + bytes > base + k_bytes) fail("the execution has used all memory of the model");
  // Blocks that need more alignment leave a gap; a header of no size says so to find_leaks.
  for (char* gap = heap_end; gap + sizeof(header) < block; gap += sizeof(header)) {
    ::new (static_cast<void*>(gap)) header{0, nullptr};
  }
  const std::size_t taken = rounded(bytes == 0 ? 1 : bytes, k_alignment);
  ::new (static_cast<void*>(block - sizeof(header))) header{taken, caller};
  heap_end = block + taken;
  return block;
}

void release(void* block, const void* caller) noexcept {
  auto* const at = reinterpret_cast<header*>(static_cast<char*>(block) - sizeof(header));
  if (at->caller == nullptr) {
    fail("memory is freed twice: %s at %s", name_of(block).c_str(), place_of(caller).c_str());
  }
  at->caller = nullptr;
  shadow::bury(block, at->bytes, caller);
}

char* stack_of(unsigned fiber) noexcept { return base + fiber * k_stack_bytes; }

std::string name_of(const void* address) {
  char text[48];
  if (!owns(address)) {
    std::snprintf(text, sizeof text, "%p", address);
  } else if (offset_of(address) < k_stacks_bytes) {
    std::snprintf(text, sizeof text, "stack %zu+0x%zx", offset_of(address) / k_stack_bytes,
                  offset_of(address) % k_stack_bytes);
  } else {
    std::snprintf(text, sizeof text, "heap+0x%zx", offset_of(address) - k_stacks_bytes);
  }
  return text;
}

leaks find_leaks() noexcept {
  leaks found;
  for (char* at = heap_begin(); at < heap_end;) {
    const auto* const block = reinterpret_cast<const header*>(at);
    at += sizeof(header) + block->bytes;
    if (block->caller == nullptr) continue;
    if (found.blocks++ == 0) {
      found.bytes = block->bytes;
      found.caller = block->caller;
    }
  }
  return found;
}

}  // namespace weir::model::arena

namespace {

void* allocate_anywhere(std::size_t bytes, std::size_t alignment, const void* caller) {
  if (weir::model::program_runs) {
    const weir::model::engine_scope scope;
    return weir::model::arena::allocate(bytes, alignment, caller);
  }
  void* const got =
      alignment <= alignof(std::max_align_t)
          ? std::malloc(bytes == 0 ? 1 : bytes)
          : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (got == nullptr) throw std::bad_alloc();
  return got;
}

void free_anywhere(void* block, const void* caller) noexcept {
  if (block == nullptr) return;
  if (!weir::model::arena::owns(block)) return std::free(block);
  // What an abandoned execution left behind is gone already.
  if (!weir::model::program_runs) return;
  const weir::model::engine_scope scope;
  weir::model::arena::release(block, caller);
}

}  // namespace

void* operator new(std::size_t bytes) {
  return allocate_anywhere(bytes, alignof(std::max_align_t), __builtin_return_address(0));
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate_anywhere(bytes, static_cast<std::size_t>(alignment), __builtin_return_address(0));
}
void operator delete(void* block) noexcept { free_anywhere(block, __builtin_return_address(0)); }
void operator delete(void* block, std::size_t) noexcept {
  free_anywhere(block, __builtin_return_address(0));
}
void operator delete(void* block, std::align_val_t) noexcept {
  free_anywhere(block, __builtin_return_address(0));
}
void operator delete(void* block, std::size_t, std::align_val_t) noexcept {
  free_anywhere(block, __builtin_return_address(0));
}
