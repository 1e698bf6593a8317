#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

/// What the program under test does through the seam. Every function here may hand over to another
/// thread of the program, before it acts; outside of an execution it acts at once.
namespace weir::model {

enum class rmw : std::uint8_t { exchange, add, subtract, bit_and, bit_or, bit_xor };

using virtual_time = std::chrono::steady_clock::time_point;

/// An atomic begins its life here: what the address held before has nothing to do with it.
void atomic_born(const void* address) noexcept;
std::uint64_t atomic_load(const void* address, unsigned size, std::memory_order order) noexcept;
void atomic_store(void* address, unsigned size, std::uint64_t value,
                  std::memory_order order) noexcept;
/// Returns the value before.
std::uint64_t atomic_rmw(void* address, unsigned size, rmw what, std::uint64_t operand,
                         std::memory_order order) noexcept;
/// Leaves in `expected` what was found.
bool atomic_cas(void* address, unsigned size, std::uint64_t& expected, std::uint64_t desired,
                std::memory_order success, std::memory_order failure) noexcept;

/// Whether a weak compare-and-swap fails although it need not.
[[nodiscard]] bool fails_for_no_reason() noexcept;

/// False when the deadline has passed.
bool futex_sleep(const void* word, std::uint32_t expected,
                 std::optional<virtual_time> until) noexcept;
void futex_rouse(const void* word, int count) noexcept;
virtual_time virtual_now() noexcept;
/// The thread spins: others go first.
void yield() noexcept;

void mutex_lock(const void* mutex) noexcept;
void mutex_unlock(const void* mutex) noexcept;

/// Starts a thread that runs `run(argument)`; its number, never 0. Throws `std::system_error` where
/// the exploration has it fail.
unsigned spawn(void (*run)(void*), void* argument);
void join(unsigned fiber) noexcept;
void detach(unsigned fiber) noexcept;

/// From now on in this execution a thread may not be had: each costs one unit of the bound.
void let_threads_fail() noexcept;

struct clock_vector;

/// Where the program stands, for whoever must know it fast.
struct moment {
  std::uint64_t execution = 0;         ///< counts them
  unsigned fiber = 0;                  ///< the thread that runs; 0 is the kernel itself
  const clock_vector* seen = nullptr;  ///< what that thread knows of the others
  bool running = false;                ///< whether there is an execution at all
};
extern moment now_here;

/// The number of the running thread: 0 is the kernel itself, and whoever is outside.
[[nodiscard]] inline unsigned current_fiber() noexcept { return now_here.fiber; }
/// Counts executions, so that what is left over from an older one can be told.
[[nodiscard]] inline std::uint64_t current_execution() noexcept { return now_here.execution; }

/// Ends the execution as failed; does not return inside one.
[[noreturn]] void fail(const char* format, ...) noexcept __attribute__((format(printf, 1, 2)));

/// While one lives, no other thread runs. For what cannot be modelled: the callbacks of a
/// std::stop_source, whose owner is told by the thread of the operating system.
class uninterrupted {
 public:
  uninterrupted() noexcept;
  ~uninterrupted();
  uninterrupted(const uninterrupted&) = delete;
  uninterrupted& operator=(const uninterrupted&) = delete;
};

/// Calls `run(argument)` on another thread of the system, still as this thread of the program and
/// in one step. So the library takes a stop request for one that another thread makes.
void call_elsewhere(void (*run)(void*), void* argument);

}  // namespace weir::model
