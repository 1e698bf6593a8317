#pragma once

#include <chrono>
#include <string>

#include "process/cron_daemon.hpp"
#include "process/crontab.hpp"

namespace weir::process {

/// Everything that can be said about a cron.
struct cron_service_options {
  std::string file;  ///< the crontab; "-" = standard input
  bool seconds = false;
  std::string zone;  ///< empty: that of TZ or of the machine
  bool strict = false;
  bool once = false;
  bool check = false;
  bool json = false;
  bool quiet = false;
  bool tag = false;
  std::size_t jobs = 0;  ///< 0: the default, or as many as descriptors allow
  weir::overlap overlap = overlap::never;
  catch_up misfire = catch_up::coalesce;
  std::chrono::nanoseconds jitter{0};
  std::chrono::nanoseconds timeout{0};
  std::chrono::nanoseconds kill_after{std::chrono::seconds(10)};
  std::chrono::nanoseconds grace{std::chrono::seconds(5)};
};

/// Runs the lines of a crontab when they are due, or once, or checks them; returns the exit code
/// for the process (see run_counts.hpp).
///
/// Blocks until SIGINT or SIGTERM. The first stops starting; what runs has `grace` to end, then
/// SIGTERM goes to its groups, SIGKILL after `kill_after`. A second signal does not wait for
/// `grace`. SIGHUP reads the file again. Throws `usage_error` before the first command for what
/// cannot be done as asked. Protocol: docs/design/cron-daemon.md.
///
/// Call it on the main thread before any other thread exists: it blocks signals for the process.
int run_cron(const cron_service_options& options);

/// Says on standard output what each line of the crontab means and when it runs next, and on
/// standard error what is wrong. 0, or 2 where a line is bad.
int check_cron(const cron_service_options& options);

/// The zone that schedules follow where the crontab names none.
std::string zone_of(const cron_service_options& options);

}  // namespace weir::process
