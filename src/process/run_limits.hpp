#pragma once

#include <cstddef>

#include "process/run_options.hpp"

namespace weir::process {

// How much of everything a run may have at a time.

/// Commands that run.
std::size_t jobs_of(const run_options& options);
/// Commands that were read and have not ended.
std::size_t most_held(const run_options& options);
/// With `keep_order`: how far a command may run ahead of the one whose output is due, so that
/// memory stays bounded.
std::size_t window_of(const run_options& options);

/// Throws `usage_error` if the process may not have as many descriptors as the run may need.
void check_descriptors(const run_options& options);

}  // namespace weir::process
