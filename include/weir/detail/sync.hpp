#pragma once

/// The seam. Every atomic, futex, mutex and thread of weir is named through `weir::sync`; a build
/// that defines WEIR_SYNC_SEAM binds these names to something else (a deterministic explorer, say)
/// and compiles the very same sources against it. Such a header defines all names below, the class
/// `thread` of sync/thread.hpp, and, if it defines WEIR_SYNC_SEAM_MUTEX, the class `mutex` of
/// sync/mutex.hpp; what sync/futex.cpp and sync/thread.cpp define is linked from elsewhere then.

#include <cstddef>
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

/// How often a thread that wants a mutex looks again before it sleeps, after 1, 2, 4, 8 and then 16
/// pauses each. A holder on another core is done within that time or has been descheduled; on two
/// cores a longer spin takes the processor from the very thread it waits for.
inline constexpr int k_mutex_spin_limit = 16;

/// How many tasks a new worker claims ahead before it knows how long they take.
inline constexpr std::size_t k_first_reach = 0;

/// How many tasks of a lane one carrier runs before it queues again.
inline constexpr std::size_t k_lane_batch = 16;

/// How many forks of one thread may be open and not joined; deeper ones are plain calls.
inline constexpr std::size_t k_fork_slots = 4096;

/// How often a thread without work looks for some before it sleeps.
inline constexpr int k_fork_looks = 2000;

/// How many threads may come to a work_stealing_pool and work beside its own.
inline constexpr std::size_t k_fork_guests = 4;

/// A variable of its own for each thread: `static WEIR_THREAD_LOCAL per_thread<T*> x;`
template <class T>
using per_thread = T;

}  // namespace weir::sync

#define WEIR_THREAD_LOCAL thread_local
#endif
