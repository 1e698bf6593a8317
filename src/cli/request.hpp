#pragma once

#include <string>
#include <vector>

#include "process/run_options.hpp"

namespace weir::cli {

/// What the command line asked for.
struct request {
  bool help = false;
  std::vector<std::string> words;  ///< arguments that are no flags
  process::run_options run;
  std::string trace;  ///< file for the trace; empty = none
};

}  // namespace weir::cli
