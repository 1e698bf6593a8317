#include "process/results_folder.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "process/errors.hpp"

namespace weir::process {
namespace {

std::string failure(const std::string& path, int error) {
  return path + ": " + std::generic_category().message(error);
}

unique_fd open_empty(const std::string& path) {
  return unique_fd(::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
}

std::string write_file(const std::string& path, std::string_view text) {
  const unique_fd file = open_empty(path);
  if (!file) {
    return failure(path, errno);
  }
  while (!text.empty()) {
    const ssize_t count = ::write(file.get(), text.data(), text.size());
    if (count < 0 && errno != EINTR) {
      return failure(path, errno);
    }
    text.remove_prefix(static_cast<std::size_t>(count < 0 ? 0 : count));
  }
  return {};
}

std::string give_mirror(capture& stream, const std::string& path) {
  unique_fd file = open_empty(path);
  if (!file) {
    return failure(path, errno);
  }
  stream.set_mirror(std::move(file));
  return {};
}

}  // namespace

results_folder::results_folder(std::string path) : path_(std::move(path)) {
  std::error_code error;
  std::filesystem::create_directories(path_, error);
  if (error) {
    throw usage_error(path_ + ": cannot make the folder for results: " + error.message());
  }
  if (::access(path_.c_str(), W_OK | X_OK) != 0) {
    throw usage_error(failure(path_, errno) + "; give --results a folder that can be written");
  }
}

std::string results_folder::begin(finished_command& one) const {
  const std::string folder = path_ + "/" + std::to_string(one.what.seq);
  std::error_code error;
  std::filesystem::create_directory(folder, error);
  if (error) {
    return folder + ": " + error.message();
  }
  ::unlink((folder + "/status").c_str());
  std::string problem = write_file(folder + "/command", one.what.text + "\n");
  if (problem.empty()) {
    problem = give_mirror(one.out, folder + "/stdout");
  }
  if (problem.empty()) {
    problem = give_mirror(one.err, folder + "/stderr");
  }
  return problem;
}

std::string results_folder::end(const finished_command& one) const {
  const std::string folder = path_ + "/" + std::to_string(one.what.seq);
  if (const int error = one.out.mirror_error(); error != 0) {
    return failure(folder + "/stdout", error);
  }
  if (const int error = one.err.mirror_error(); error != 0) {
    return failure(folder + "/stderr", error);
  }
  const bool exited = one.status.how == exit_status::kind::exited;
  char text[128];
  std::snprintf(text, sizeof text, "%s %d\n%s\n%.3f seconds\n", exited ? "exit" : "signal",
                one.status.value, to_string(one.how),
                std::chrono::duration<double>(one.run_time).count());
  return write_file(folder + "/status", text);
}

}  // namespace weir::process
