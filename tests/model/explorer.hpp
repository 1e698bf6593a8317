#pragma once

#include <cstdint>
#include <string>

#include "model/engine.hpp"
#include "model/port.hpp"

/// What a test of the model uses: a kernel is a function that starts threads (weir::sync::thread),
/// uses weir, joins, and checks with MODEL_CHECK what must hold. See docs/design/model.md.
namespace weir::model {

/// How far a kernel is explored. A unit of a bound pays for one interruption, one store that waits,
/// one early end of a timed sleep, one load that is not the latest.
struct options {
  unsigned bound = 3;        ///< under total store order
  unsigned views_bound = 2;  ///< under C++'s own model
  bool spurious = false;     ///< sleeps and weak compare-and-swaps may end for no reason
  /// Where the running thread sleeps or ends, the next one in turn goes on and any other costs a
  /// unit too: reaches deeper with many threads. Without it that choice is free.
  bool delays = false;
  unsigned random_executions = 500;  ///< under each model
  std::uint64_t steps_max = 20'000;
  bool timed = true;  ///< ends when the time of `settings` is over
};

/// What whoever starts the program wants: see main.cpp.
struct settings {
  double seconds = 2;  ///< for one kernel under one model
  unsigned extra_bound = 0;
  unsigned random_factor = 1;
  std::uint64_t seed = 1;
  std::string replay;
};
settings& chosen_settings() noexcept;

struct report {
  std::string failure;  ///< empty: the kernel holds
  std::string choices;  ///< replays the failure
  std::string trace;
  std::uint64_t executions = 0;
  std::uint64_t steps = 0;  ///< of the longest execution
  int bound_done = -1;      ///< all executions up to here were run
  double seconds = 0;
};

/// All executions up to `bound`, one bound after the other, so that the failure with the fewest
/// dear choices comes first; then random ones.
report explore(const options& how, memory_model model, void (*kernel)());
/// One execution, with its trace. Throws `std::invalid_argument` for a bad choice string.
report replay(const options& how, const std::string& choices, void (*kernel)());

/// Explores under both models, prints what was covered; the running test fails where the kernel
/// does.
void expect_holds(const char* name, const options& how, void (*kernel)());

}  // namespace weir::model

/// Must hold in every execution of a kernel.
#define MODEL_CHECK(expression) \
  ((expression) ? void(0) : ::weir::model::fail("%s:%d: %s", __FILE__, __LINE__, #expression))
