#pragma once

#include <string>
#include <vector>

#include "process/cron_service.hpp"
#include "process/run_options.hpp"
#include "weir/cron.hpp"

namespace weir::cli {

/// What `weir next` was asked for.
struct next_request {
  std::string zone;   ///< empty: the machine's own
  std::string after;  ///< empty: now
  unsigned count = 5;
  cron_options policies;
  bool json = false;
};

/// What the command line asked for.
struct request {
  bool help = false;
  std::vector<std::string> words;  ///< arguments that are no flags
  process::run_options run;
  process::cron_service_options cron;
  next_request next;
  std::string trace;  ///< file for the trace; empty = none
};

}  // namespace weir::cli
