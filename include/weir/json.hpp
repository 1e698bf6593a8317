#pragma once

#include <string>

#include "weir/snapshot.hpp"
#include "weir/stats.hpp"

namespace weir {

// What a pool shows of itself as one JSON object on one line, for logs, tools and pages. In the
// target `weir::trace`. Durations and instants are whole nanoseconds (`…_ns`), instants on the
// pool's clock; what is not known is absent, an unbounded limit is null. Names are bytes of the
// user's: what is no UTF-8 is shown as U+FFFD. Throw `std::bad_alloc`.

/// Counts as members, `wait`, `run` and `lateness` as objects.
[[nodiscard]] std::string to_json(const pool_stats& stats);
/// State, limits, counts and an array for each list of tasks.
[[nodiscard]] std::string to_json(const pool_snapshot& snapshot);
[[nodiscard]] std::string to_json(const task_snapshot& task);

}  // namespace weir
