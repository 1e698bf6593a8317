#pragma once

#include "process/run_options.hpp"

namespace weir::process {

/// Runs the commands of `options.input` on a bounded pool, `options.jobs` at a time, and returns
/// the exit code for the process (see run_counts.hpp).
///
/// Blocks until all have ended or a signal has stopped the run. The first SIGINT, SIGTERM or SIGHUP
/// stops reading and starting; running commands finish. The second ends them: SIGTERM to their
/// groups, SIGKILL after `kill_after`. Input is read no faster than the pool admits. Writes to
/// standard output and standard error. Throws `usage_error` before the first command for what
/// cannot be done as asked. Protocol: docs/design/run.md.
///
/// Call it on the main thread before any other thread exists: it blocks signals for the process.
int run(const run_options& options);

}  // namespace weir::process
