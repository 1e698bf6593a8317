#pragma once

#include <string>

#include "process/command.hpp"

namespace weir::process {

/// The folder of `--results`: DIR/<seq>/ with `command`, `stdout` and `stderr`, written through
/// while the command runs, and `status` once it has ended. Shared objects: safe for different
/// commands.
class results_folder {
 public:
  /// Makes `path` and its parents where they are missing. Throws `usage_error`.
  explicit results_folder(std::string path);

  /// Makes the command's folder and gives both captures their files, emptied. Returns an empty
  /// text, or one line that says what could not be written.
  std::string begin(finished_command& one) const;
  /// Writes `status`: `exit 3`, `signal 9`, then the outcome and the seconds. Returns as `begin`.
  std::string end(const finished_command& one) const;

 private:
  std::string path_;
};

}  // namespace weir::process
