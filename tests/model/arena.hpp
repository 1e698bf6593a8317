#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

/// The memory of an execution: the stacks of its threads and all that it allocates. Everything lies
/// at the same place in every execution. Memory that has been freed stays so until the end, so that
/// whoever still uses it is caught; none is handed out twice.
namespace weir::model::arena {

inline constexpr std::size_t k_stack_bytes = std::size_t{256} << 10;

/// Once, before all else.
void map();
/// Forgets everything that was allocated.
void reset() noexcept;

void* allocate(std::size_t bytes, std::size_t alignment, const void* caller) noexcept;
void release(void* block, const void* caller) noexcept;

[[nodiscard]] bool owns(const void* address) noexcept;
/// The lowest address of a thread's stack.
[[nodiscard]] char* stack_of(unsigned fiber) noexcept;
/// How far into the arena, for tables that go beside it.
[[nodiscard]] std::size_t offset_of(const void* address) noexcept;
[[nodiscard]] std::size_t size() noexcept;

/// "heap+0x40", "stack 1+0x3f00", or the plain address of what lies elsewhere.
[[nodiscard]] std::string name_of(const void* address);

struct leaks {
  std::size_t blocks = 0;
  std::size_t bytes = 0;         ///< of the first one
  const void* caller = nullptr;  ///< who allocated the first one
};
[[nodiscard]] leaks find_leaks() noexcept;

}  // namespace weir::model::arena
