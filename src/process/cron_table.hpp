#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "process/crontab.hpp"
#include "process/shell.hpp"
#include "process/wake_fd.hpp"

namespace weir::process {

/// A line of a crontab with all that it takes to run it. Copies share what they can.
struct cron_job {
  crontab_entry entry;
  std::shared_ptr<const std::vector<crontab_setting>> settings;
  std::shared_ptr<const process::shell> shell;

  /// `NAME=value` of the settings that hold for it, in their order.
  [[nodiscard]] std::vector<std::string> variables() const;

  /// Equal for jobs that do the same at the same times, wherever they stand.
  [[nodiscard]] std::string identity() const;
};

/// A crontab that can be run: those of its lines that are sound.
struct cron_table {
  std::vector<cron_job> jobs;
  std::vector<crontab_problem> problems;
  std::uint64_t further_problems = 0;

  [[nodiscard]] bool sound() const { return problems.empty(); }
};

/// Makes a table of what was read: finds the shells. The lines of one that is not there become a
/// problem of the line that names it. Throws `usage_error` where the first shell of all,
/// `/bin/sh`, is needed and missing.
cron_table make_cron_table(crontab&& read, const spawner& starter);

/// Reads all of a file; "-" is standard input. Blocks for a pipe, until `stop` is set. Throws
/// `usage_error` for what is not there, is a folder, may not be read or has more than
/// `crontab::k_most_bytes`; and `run_error` when `stop` came first.
std::string read_crontab_file(const std::string& file, const wake_fd& stop);

}  // namespace weir::process
