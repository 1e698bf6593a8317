#pragma once

#include <cstddef>
#include <new>

namespace weir::detail {

/// The general allocator, for what is large or oddly aligned. Throws `std::bad_alloc`.
inline void* plain_allocate(std::size_t bytes, std::size_t alignment) {
  if (alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__) return ::operator new(bytes);
  return ::operator new(bytes, std::align_val_t(alignment));
}

inline void plain_free(void* memory, std::size_t bytes, std::size_t alignment) noexcept {
  if (alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__) return ::operator delete(memory, bytes);
  ::operator delete(memory, bytes, std::align_val_t(alignment));
}

}  // namespace weir::detail
