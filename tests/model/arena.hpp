#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "model/clock_vector.hpp"

/// The memory of an execution: the stacks of its threads and all that it allocates. Everything lies
/// at the same place in every execution. Memory that has been freed stays so until the end, so that
/// whoever still uses it is caught; none is handed out twice.
namespace weir::model::arena {

inline constexpr std::size_t k_stack_bytes = std::size_t{256} << 10;
inline constexpr std::size_t k_stacks_bytes = k_stack_bytes * k_fibers_max;
inline constexpr std::size_t k_heap_bytes = std::size_t{32} << 20;
inline constexpr std::size_t k_bytes = k_stacks_bytes + k_heap_bytes;
extern char* base;

/// Once, before all else.
void map();
/// Forgets everything that was allocated.
void reset() noexcept;

void* allocate(std::size_t bytes, std::size_t alignment, const void* caller) noexcept;
void release(void* block, const void* caller) noexcept;

[[nodiscard]] inline bool owns(const void* address) noexcept {
  const auto* at = static_cast<const char*>(address);
  return at >= base && at < base + k_bytes;
}
/// The lowest address of a thread's stack, which cannot be used: who grows into it crashes.
[[nodiscard]] char* stack_of(unsigned fiber) noexcept;
/// How far into the arena, for tables that go beside it.
[[nodiscard]] inline std::size_t offset_of(const void* address) noexcept {
  return static_cast<std::size_t>(static_cast<const char*>(address) - base);
}

/// "heap+0x40", "stack 1+0x3f00", or the plain address of what lies elsewhere.
[[nodiscard]] std::string name_of(const void* address);

struct leaks {
  std::size_t blocks = 0;
  std::size_t bytes = 0;         ///< of the first one
  const void* caller = nullptr;  ///< who allocated the first one
};
[[nodiscard]] leaks find_leaks() noexcept;

}  // namespace weir::model::arena
