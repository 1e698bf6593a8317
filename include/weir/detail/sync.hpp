#pragma once

/// The seam. Every atomic, futex, mutex and thread of weir is named through `weir::sync`; a build that
/// defines WEIR_SYNC_SEAM binds these names to something else (a deterministic explorer, say) and
/// compiles the very same sources against it.

#include <cstdint>

#ifdef WEIR_SYNC_SEAM
#include WEIR_SYNC_SEAM
#else
#include <atomic>

namespace weir::sync {

template <class T>
using atomic = std::atomic<T>;

inline constexpr std::memory_order relaxed = std::memory_order_relaxed;
inline constexpr std::memory_order acquire = std::memory_order_acquire;
inline constexpr std::memory_order release = std::memory_order_release;
inline constexpr std::memory_order acq_rel = std::memory_order_acq_rel;
inline constexpr std::memory_order seq_cst = std::memory_order_seq_cst;

}  // namespace weir::sync
#endif
