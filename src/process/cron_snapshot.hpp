#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "process/cron_daemon.hpp"

namespace weir::process {

/// A cron at one moment, for whoever asks with SIGUSR1.
struct cron_snapshot {
  /// How many lines are shown at most: of more those that run or wait, then those due first.
  static constexpr std::size_t k_most_lines = 1000;

  enum class stage {
    reading,  ///< the crontab for the first time
    going,
    stopping,  ///< nothing more is started
    ending,    ///< what runs is being ended
  };

  stage how = stage::going;
  std::chrono::nanoseconds elapsed{0};
  cron_view seen;
};

/// Lines for people, each with its newline and none of more than some hundred bytes.
std::string snapshot_text(const cron_snapshot& of);

/// One line with one JSON object, with its newline. Bytes that are no UTF-8 are replaced.
std::string snapshot_json(const cron_snapshot& of);

}  // namespace weir::process
