#pragma once

#include <functional>
#include <string>

#include "process/child.hpp"
#include "process/command.hpp"
#include "process/results_folder.hpp"
#include "process/run_options.hpp"
#include "process/shell.hpp"

namespace weir::process {

/// Runs commands, one attempt at a time. Shared objects: safe for different commands.
class attempt_runner {
 public:
  /// Borrows all; `results` may be null. `stop` ends what runs.
  attempt_runner(const run_options& options, const shell& program, const spawner& starter,
                 const results_folder* results, const wake_fd& stop);

  /// Blocks until the attempt is over and `one` says how. Counts it in `one.attempts`. Returns an
  /// empty text, or what of its results could not be written; then `one` has failed. `on_start`
  /// hears the number of the process.
  std::string run(finished_command& one, const std::function<void(pid_t)>& on_start) const;

 private:
  const child_limits limits_;
  const shell& shell_;
  const spawner& starter_;
  const results_folder* results_;
  const wake_fd& stop_;
};

}  // namespace weir::process
