#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/clock_vector.hpp"
#include "model/fiber.hpp"
#include "model/memory.hpp"
#include "model/port.hpp"
#include "model/schedule.hpp"

/// One execution: its threads, who runs, who sleeps on what, and the clock. The port's functions
/// are the program's way in.
namespace weir::model {

/// Whether the program runs at this moment, and not the model on its behalf.
extern bool program_runs;

/// The model works: what it allocates is its own, and nobody watches its accesses.
class engine_scope {
 public:
  engine_scope() noexcept : before_(program_runs) { program_runs = false; }
  ~engine_scope() { program_runs = before_; }
  engine_scope(const engine_scope&) = delete;
  engine_scope& operator=(const engine_scope&) = delete;

 private:
  bool before_;
};

/// What the running thread knows of the others, and the number of its own step.
[[nodiscard]] inline const clock_vector& current_clocks() noexcept { return *now_here.seen; }

/// Lets the schedule pick the outcome of a step; 0 is the usual one, the others are dear.
unsigned choose_value(unsigned ways);

/// "file.cpp:12 (function)" as far as addr2line can tell.
[[nodiscard]] std::string place_of(const void* code);

/// What may happen to the program beside being interrupted.
struct circumstances {
  memory_model memory = memory_model::total_store_order;
  bool spurious = false;
  bool delays = false;
  std::uint64_t steps_max = 20'000;
};

struct outcome {
  std::string failure;  ///< empty: all is well
  std::string trace;    ///< the steps that led to the failure, where asked for
  std::uint64_t steps = 0;
};

}  // namespace weir::model
