#pragma once

#include <cstddef>
#include <cstdint>

/// Who has used which byte of the arena, and when: every access of the program that its compiler
/// told us about, and every atomic one. Two accesses to one byte by different threads, one of them
/// a write, not both atomic, and neither happening before the other, are a data race.
namespace weir::model::shadow {

enum class access : std::uint8_t { read, write, free, atomic_read, atomic_write };

void map();
/// Fails the execution on a race, and on memory that has been freed.
void touch(const void* address, std::size_t bytes, access how, const void* caller) noexcept;
enum class burial : std::uint8_t { none, by_same, by_other };
/// Whether the memory has been freed, and whether by this thread.
[[nodiscard]] burial buried(const void* address, unsigned fiber) noexcept;
/// The block is freed: a write to all of it, and the last.
void bury(const void* block, std::size_t bytes, const void* caller) noexcept;

}  // namespace weir::model::shadow
