#pragma once

#include "experiment.hpp"

namespace bench {

/// Runs one experiment in a process of its own, so that no system inherits another one's threads,
/// heap or caches of memory. Throws `wrong_result` when the run reports a wrong result, crashes or
/// outlives the limit. The calling process has one thread.
[[nodiscard]] samples run_in_child(const experiment& what, int limit_ms);

}  // namespace bench
