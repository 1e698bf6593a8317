#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include "process/capture.hpp"
#include "process/exit_status.hpp"
#include "process/spawner.hpp"
#include "process/wake_fd.hpp"

namespace weir::process {

/// What ends a child early.
struct child_limits {
  std::chrono::nanoseconds timeout{0};                            ///< from its start; 0 = none
  std::chrono::nanoseconds kill_after{std::chrono::seconds(10)};  ///< from SIGTERM to SIGKILL
};

enum class child_end : std::uint8_t {
  finished,     ///< ended by itself
  timed_out,    ///< was told to end by its time limit, and ended
  stopped,      ///< was told to end by the stop flag, and ended
  not_started,  ///< `error` is the errno of the start
};

struct child_result {
  child_end end = child_end::finished;
  exit_status status;
  int error = 0;
  std::chrono::system_clock::time_point started;
  std::chrono::nanoseconds run_time{0};
};

/// What becomes of a process that could not be started; `error` is an errno.
[[nodiscard]] child_result not_started(int error);

/// Runs one process and collects its output.
///
/// Blocks until the process itself has ended and what it wrote is read. Processes that it left
/// behind do not count, unless it was told to end: then the whole group gets SIGTERM, and SIGKILL
/// `kill_after` later if any of it still lives, also when the process itself is long gone. Both
/// streams are read as they come. No descriptor and no zombie stays. Protocol:
/// docs/design/child-process.md. `on_start`, if given, hears its number as soon as there is one.
/// Borrows what is `given`.
/// Thread safety: any number of calls at once, with captures of their own.
child_result run_child(const spawner& starter, const char* path, char* const argv[],
                       const child_limits& limits, const wake_fd& stop, capture& out, capture& err,
                       const std::function<void(pid_t)>& on_start = {},
                       const inheritance& given = {});

}  // namespace weir::process
