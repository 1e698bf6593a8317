#include "process/shell.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <sstream>
#include <system_error>

#include "process/child.hpp"
#include "process/errors.hpp"

namespace weir::process {
namespace {

// Returns 0, or the errno that running `path` would meet.
int runnable(const std::string& path) {
  struct stat state {};
  if (::stat(path.c_str(), &state) != 0 || ::access(path.c_str(), X_OK) != 0) {
    return errno;
  }
  return S_ISREG(state.st_mode) ? 0 : EACCES;
}

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    if (const int error = runnable(name); error != 0) {
      throw usage_error(name + ": cannot be the shell: " + std::generic_category().message(error));
    }
    return name;
  }
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "/usr/bin:/bin" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string candidate = (folder.empty() ? "." : folder) + "/" + name;
    if (runnable(candidate) == 0) {
      return candidate;
    }
  }
  throw usage_error(name + ": no such shell in PATH; give --shell the path of one");
}

}  // namespace

shell::shell(const std::string& name, bool pipefail, const spawner& starter)
    : path_(find_program(name)), pipefail_(pipefail) {
  if (pipefail_) {
    check_pipefail(starter);
  }
}

void shell::check_pipefail(const spawner& starter) const {
  const wake_fd never;
  capture out;
  capture err;
  const std::string nothing = ":";
  const shell_arguments arguments(*this, nothing);
  const child_result asked =
      run_child(starter, path(), arguments.get(), {std::chrono::seconds(10)}, never, out, err);
  if (asked.end != child_end::finished || !asked.status.success()) {
    throw usage_error(path_ + ": this shell has no -o pipefail; use --pipefail with --shell bash");
  }
}

shell_arguments::shell_arguments(const shell& program, const std::string& text) {
  // A shell would take a text that begins like an option for one.
  const bool like_option = text.starts_with('-') || text.starts_with('+');
  if (like_option) {
    shifted_ = " " + text;
  }
  // exec takes pointers to char for C's sake and does not write through them.
  const auto word = [](const char* pointer) { return const_cast<char*>(pointer); };
  std::size_t count = 0;
  arguments_[count++] = word(program.path());
  if (program.pipefail()) {
    arguments_[count++] = word("-o");
    arguments_[count++] = word("pipefail");
  }
  arguments_[count++] = word("-c");
  arguments_[count++] = word(like_option ? shifted_.c_str() : text.c_str());
  arguments_[count] = nullptr;
}

}  // namespace weir::process
