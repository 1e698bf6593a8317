#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "process/capture.hpp"
#include "process/exit_status.hpp"

namespace weir::process {

/// One command of a run, as it was read.
struct command {
  std::uint64_t seq = 0;   ///< its number among the commands, from 1
  std::uint64_t line = 0;  ///< the line of the input it came from; 0 if it came from no line
  std::string text;        ///< what the shell gets
  std::string tag;         ///< what `--tag` puts before its output
  std::string refusal;     ///< why it cannot be run at all; empty if it can
  std::optional<std::string> key = {};  ///< commands with the same one run one after the other
  std::string input = {};               ///< its standard input; empty: /dev/null
  /// `NAME=value`: its variables beside those of this process, which they beat.
  std::vector<std::string> variables = {};
};

enum class outcome : std::uint8_t {
  succeeded,
  failed,     ///< a code other than 0, a signal, or `problem`
  timed_out,  ///< ended by its time limit
  cancelled,  ///< ended while it ran because the run was stopped
};

/// The word for it in JSON and in files.
const char* to_string(outcome how);

/// One command of a run, as it ended.
struct finished_command {
  static constexpr int k_own_failure = 125;  ///< the exit value in logs where `problem` is set
  static constexpr int k_timed_out = 124;    ///< and where the time limit ended it
  static constexpr int k_cancelled = -1;     ///< and where the stop of the run did

  command what;
  outcome how = outcome::succeeded;
  bool ran = false;  ///< whether there was a process, so that `status` means something
  exit_status status;
  std::string problem;  ///< what weir itself failed at for this command; empty if nothing
  unsigned attempts = 0;
  std::chrono::system_clock::time_point started;
  std::chrono::nanoseconds run_time{0};
  capture out;
  capture err;

  /// The exit value for logs: the code itself where the command ended by itself.
  [[nodiscard]] int log_code() const;
  /// The signal for logs, 0 if there was none.
  [[nodiscard]] int log_signal() const;
};

}  // namespace weir::process
