#pragma once

#include <string>

#include "process/spawner.hpp"

namespace weir::process {

/// The shell that runs the commands of a run.
class shell {
 public:
  /// Finds `name`, in PATH unless it holds a slash. Throws `usage_error` if it is not there or is
  /// not a program. With `pipefail` it asks the shell, by starting it, whether it knows `-o
  /// pipefail`, and throws `usage_error` if not.
  shell(const std::string& name, bool pipefail, const spawner& starter);

  [[nodiscard]] const char* path() const { return path_.c_str(); }
  [[nodiscard]] bool pipefail() const { return pipefail_; }

 private:
  void check_pipefail(const spawner& starter) const;

  std::string path_;
  bool pipefail_;
};

/// The argument vector for one command; lives as long as both of its parts.
class shell_arguments {
 public:
  shell_arguments(const shell& program, const std::string& text);
  shell_arguments(const shell& program, std::string&& text) = delete;
  shell_arguments(const shell_arguments&) = delete;
  shell_arguments& operator=(const shell_arguments&) = delete;

  [[nodiscard]] char* const* get() const { return arguments_; }

 private:
  std::string shifted_;
  char* arguments_[6];
};

}  // namespace weir::process
