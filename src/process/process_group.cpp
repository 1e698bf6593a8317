#include "process/process_group.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "base/unique_fd.hpp"

namespace weir::process {
namespace {

struct close_folder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

bool read_small_file(const char* path, std::string& content) {
  const unique_fd file(::open(path, O_RDONLY | O_CLOEXEC));
  if (!file) {
    return false;
  }
  content.clear();
  char piece[4096];
  for (;;) {
    const ssize_t count = ::read(file.get(), piece, sizeof piece);
    if (count <= 0) {
      return count == 0;
    }
    content.append(piece, static_cast<std::size_t>(count));
  }
}

// /proc/<pid>/stat is `pid (name) state ppid pgrp …`, and the name may hold anything.
bool lives_in(const std::string& stat, pid_t group) {
  const auto name_end = stat.rfind(')');
  if (name_end == std::string::npos) {
    return false;
  }
  char state = 0;
  long parent = 0;
  long its_group = 0;
  if (std::sscanf(stat.c_str() + name_end + 1, " %c %ld %ld", &state, &parent, &its_group) != 3) {
    return false;
  }
  return its_group == group && state != 'Z' && state != 'X';
}

}  // namespace

bool group_has_living(pid_t group) {
  const std::unique_ptr<DIR, close_folder> processes(::opendir("/proc"));
  if (!processes) {
    return true;
  }
  bool saw_any = false;
  std::string stat;
  while (const dirent* entry = ::readdir(processes.get())) {
    if (entry->d_name[0] < '1' || entry->d_name[0] > '9') {
      continue;
    }
    const std::string path = std::string("/proc/") + entry->d_name + "/stat";
    if (!read_small_file(path.c_str(), stat)) {
      continue;
    }
    saw_any = true;
    if (lives_in(stat, group)) {
      return true;
    }
  }
  return !saw_any;
}

void reap_adopted() {
  // The kernel hands orphans to the main thread of process 1, and lists children by thread.
  std::string children;
  const std::string path = "/proc/self/task/" + std::to_string(::getpid()) + "/children";
  if (!read_small_file(path.c_str(), children)) {
    return;
  }
  const char* at = children.c_str();
  for (;;) {
    char* end = nullptr;
    const long pid = std::strtol(at, &end, 10);
    if (end == at) {
      return;
    }
    ::waitpid(static_cast<pid_t>(pid), nullptr, WNOHANG);
    at = end;
  }
}

}  // namespace weir::process
