#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace weir::process {

/// What became of the commands of a run.
struct run_counts {
  std::uint64_t succeeded = 0;
  std::uint64_t failed = 0;
  std::uint64_t timed_out = 0;
  std::uint64_t cancelled = 0;            ///< ended by the stop of the run while they ran
  std::uint64_t never_started = 0;        ///< read, and withdrawn by the stop of the run
  std::uint64_t first_never_started = 0;  ///< the lowest number of one of these; 0 if there is none
  std::uint64_t skipped = 0;              ///< done by an earlier run
  std::uint64_t running = 0;
  std::optional<std::uint64_t> total;  ///< how many there will be, where that is known

  [[nodiscard]] std::uint64_t ended() const { return succeeded + failed + timed_out + cancelled; }
};

/// The process' exit codes: the whole list.
enum exit_code : int {
  k_all_succeeded = 0,
  k_some_failed = 1,
  k_usage = 2,
  k_only_timeouts = 124,
  k_signal_base = 128,  ///< plus the number of the signal that stopped the run
};

/// `signal` is the one that stopped the run, or 0; `trouble` says that weir failed at something
/// itself.
int exit_code_of(const run_counts& counts, int signal, bool trouble);

/// "7 commands: 5 succeeded, 2 never started (from 6 on)"; kinds without any are left out.
std::string summary(const run_counts& counts);

}  // namespace weir::process
