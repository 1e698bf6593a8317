#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/unique_fd.hpp"
#include "process/command.hpp"

namespace weir::process {

/// What a log says about the commands of an earlier run. The format is the one of GNU parallel's
/// `--joblog`: tab-separated Seq, Host, Starttime, JobRuntime, Send, Receive, Exitval, Signal,
/// Command. A newline within a command stands there as NUL, which no command can hold.
class joblog_history {
 public:
  /// Reads `path`; a file that does not exist is an empty history. A last line without newline was
  /// cut off in the middle and is left out. Throws `usage_error` that names a line that is no row.
  static joblog_history read(const std::string& path);

  /// Whether command `seq` succeeded then. Throws `usage_error` if it was another command.
  [[nodiscard]] bool succeeded(std::uint64_t seq, std::string_view text) const;

 private:
  struct row {
    std::uint64_t line;
    std::size_t text_hash;
    bool success;
  };

  void add(std::string_view text, std::uint64_t line);

  std::string path_;
  std::unordered_map<std::uint64_t, row> rows_;
};

/// Writes a log, one `write` per command. Shared objects: unsafe.
class joblog_writer {
 public:
  /// Starts `path` anew, or goes on at its end. Throws `usage_error` if it cannot be opened,
  /// `run_error` if it cannot be written.
  joblog_writer(const std::string& path, bool go_on);

  /// Returns 0, or the errno for want of which the row is not there whole.
  int write(const finished_command& ended);

 private:
  int put(std::string_view text);

  unique_fd file_;
};

}  // namespace weir::process
