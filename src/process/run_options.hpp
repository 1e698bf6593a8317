#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "process/command_source.hpp"
#include "process/halt_rule.hpp"

namespace weir {
class observer;
}

namespace weir::process {

/// Everything that can be said about a run.
struct run_options {
  enum class progress_bar { automatic, always, never };

  input_description input;

  std::size_t jobs = 0;  ///< commands at a time; 0 = the processors this process may use
  /// Commands that were read and have not ended, beyond `jobs`; 0 = twice `jobs`.
  std::size_t capacity = 0;
  std::size_t max_bytes =
      0;  ///< the bytes of all commands that were read and have not ended; 0 = any
  std::string
      key;  ///< commands in which this expression finds the same do not overlap; empty = none
  std::chrono::nanoseconds timeout{0};
  std::chrono::nanoseconds kill_after{std::chrono::seconds(10)};
  std::chrono::nanoseconds delay{0};
  unsigned retries = 0;
  std::chrono::nanoseconds backoff{std::chrono::seconds(1)};
  halt_rule halt;

  bool keep_order = false;
  bool tag = false;
  bool json = false;
  bool quiet = false;
  bool dry_run = false;
  progress_bar progress = progress_bar::automatic;
  std::string results;
  std::string joblog;
  bool resume = false;
  std::string shell = "/bin/sh";
  bool pipefail = false;
  weir::observer* observer = nullptr;  ///< of the pool; outlives the run
};

}  // namespace weir::process
