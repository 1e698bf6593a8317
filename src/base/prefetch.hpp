#pragma once

namespace weir {

/// Brings the cache line at `place` to this core, to be written soon. A hint: any address will do.
inline void prefetch_for_write(const void* place) noexcept {
#if defined(__x86_64__)
  // For the baseline of x86-64 compilers make the builtin fetch a line that cannot be written yet.
  // Where the processor does not know this instruction it does nothing.
  asm("prefetchw %0" : : "m"(*static_cast<const char*>(place)));
#else
  __builtin_prefetch(place, 1);
#endif
}

}  // namespace weir
