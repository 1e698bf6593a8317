#pragma once

#include <signal.h>
#include <spawn.h>
#include <sys/types.h>

#include "base/unique_fd.hpp"

namespace weir::process {

/// What a process gets from the one that starts it, where that is not the rule.
struct inheritance {
  int input = -1;                      ///< its standard input; -1: /dev/null
  char* const* environment = nullptr;  ///< null: that of this process
};

/// Starts processes, each in a process group of its own with default signal dispositions, an empty
/// signal mask and /dev/null as standard input, unless it is given another. A disposition of SIGHUP
/// that this process inherited as ignored (`nohup`) stays ignored. Shared objects: safe.
class spawner {
 public:
  /// Throws `std::system_error`.
  spawner();
  ~spawner();
  spawner(const spawner&) = delete;
  spawner& operator=(const spawner&) = delete;

  /// Starts `path` with `argv` and the given descriptors as its standard output and error. Returns
  /// 0 and sets `pid`, or an errno; when `path` cannot be executed no process is left. The caller
  /// reaps.
  int spawn(const char* path, char* const argv[], int out, int err, pid_t& pid,
            const inheritance& given = {}) const;

 private:
  posix_spawnattr_t attributes_;
  unique_fd null_;
};

}  // namespace weir::process
