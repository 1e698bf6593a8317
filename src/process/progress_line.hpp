#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "process/run_counts.hpp"

namespace weir::process {

/// The text of the progress bar, at most `width` columns of ASCII: done, rate, running, failed and,
/// where the total is known, share and time left.
std::string progress_line(const run_counts& counts, std::chrono::nanoseconds elapsed,
                          std::size_t width);

}  // namespace weir::process
