#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <vector>

#include "model/clock_vector.hpp"
#include "model/port.hpp"

namespace weir::model {

/// What a thread may see of what others have stored.
enum class memory_model : std::uint8_t {
  /// x86: a store weaker than seq_cst may wait in the thread's buffer while later loads go ahead.
  total_store_order,
  /// C++: a load may return any store that nothing known to the thread has replaced. Weaker than
  /// total_store_order; sees a missing acquire or release as well.
  views,
};

[[nodiscard]] std::uint64_t applied(rmw what, std::uint64_t before, std::uint64_t operand) noexcept;

/// Every atomic of an execution, by its address, with the stores that can still be read, and what
/// whoever reads them learns about other threads. Beside it the clocks of the model's mutexes.
class memory {
 public:
  void begin_execution(memory_model model);

  /// Forgets what the address was before.
  void born(const void* address);

  std::uint64_t load(const void* address, unsigned size, std::memory_order order, unsigned fiber);
  void store(void* address, unsigned size, std::uint64_t value, std::memory_order order,
             unsigned fiber);
  std::uint64_t change(void* address, unsigned size, rmw what, std::uint64_t operand,
                       std::memory_order order, unsigned fiber);
  bool compare_and_swap(void* address, unsigned size, std::uint64_t& expected,
                        std::uint64_t desired, std::memory_order success, std::memory_order failure,
                        unsigned fiber);
  /// The value that a system call finds; teaches nothing.
  std::uint64_t peek(const void* address, unsigned size);

  // Store buffers.
  [[nodiscard]] bool has_pending(unsigned fiber) const { return !buffers_[fiber].empty(); }
  void flush_one(unsigned fiber);
  void flush(unsigned fiber);

  // Plain synchronisation: whoever acquires learns what the releasers before knew.
  void acquire(const void* object, unsigned fiber);
  void release(const void* object, unsigned fiber);

  [[nodiscard]] clock_vector& seen_by(unsigned fiber) { return seen_[fiber]; }
  [[nodiscard]] unsigned locations() const { return used_; }

 private:
  static constexpr unsigned k_nobody = k_fibers_max;
  static constexpr unsigned k_slots = 4096;

  struct message {
    std::uint64_t value = 0;
    unsigned writer = k_nobody;
    std::uint32_t clock = 0;
    clock_vector lesson = {};  ///< what an acquiring reader learns
  };
  struct reading {
    std::uint32_t clock;
    unsigned index;
  };
  struct location {
    std::uint64_t execution = 0;
    const void* address = nullptr;
    std::vector<message> history;  ///< the last one is what memory holds
    std::vector<reading> readings[k_fibers_max];
    unsigned floor_of_seq_cst = 0;
    clock_vector released;
  };
  struct pending {
    void* address;
    unsigned size;
    message what;
    std::memory_order order;
  };

  location& at(const void* address);
  location& at(const void* address, unsigned size);
  void wipe(location& place, const void* address);
  void append(location& place, void* address, unsigned size, const message& what);
  void swap_in(location& place, void* address, unsigned size, std::uint64_t value,
               std::memory_order order, unsigned fiber);
  unsigned pick_message(location& place, std::memory_order order, unsigned fiber);
  [[nodiscard]] unsigned oldest_readable(const location& place, unsigned fiber) const;

  memory_model model_ = memory_model::total_store_order;
  std::vector<location> slots_ = std::vector<location>(k_slots);
  unsigned used_ = 0;
  std::deque<pending> buffers_[k_fibers_max];
  clock_vector seen_[k_fibers_max];
};

}  // namespace weir::model
