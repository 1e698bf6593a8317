#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "process/roster.hpp"
#include "process/run_counts.hpp"

namespace weir::process {

/// A run at one moment, for whoever asks with SIGUSR1.
struct run_snapshot {
  /// How many of each kind that waits are shown.
  static constexpr std::size_t k_few = 5;

  enum class stage {
    going,
    stopping,  ///< nothing more is started
    ending,    ///< what runs is being ended
  };

  stage how = stage::going;
  std::chrono::nanoseconds elapsed{0};
  roster::steady_time now;
  run_counts counts;
  std::size_t max_bytes = 0;  ///< 0: no bound
  roster::view held;
};

/// Lines for people, each with its newline and none of more than some hundred bytes.
std::string snapshot_text(const run_snapshot& seen);

/// One line with one JSON object, with its newline. Bytes that are no UTF-8 are replaced.
std::string snapshot_json(const run_snapshot& seen);

}  // namespace weir::process
