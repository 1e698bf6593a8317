#include "process/child_surroundings.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <unordered_map>

namespace weir::process {
namespace {

std::string_view name_of(std::string_view variable) {
  return variable.substr(0, variable.find('='));
}

}  // namespace

child_surroundings::child_surroundings(const command& of) {
  take_variables(of.variables);
  take_input(of.input);
}

// Of variables with one name the last one holds.
void child_surroundings::take_variables(const std::vector<std::string>& variables) {
  if (variables.empty()) {
    return;
  }
  std::unordered_map<std::string_view, std::size_t> places;
  // exec takes pointers to char for C's sake and does not write through them.
  const auto put = [&](const char* variable) {
    const auto [place, is_new] = places.try_emplace(name_of(variable), environment_.size());
    if (is_new) {
      environment_.push_back(nullptr);
    }
    environment_[place->second] = const_cast<char*>(variable);
  };
  for (char** one = environ; *one != nullptr; ++one) {
    put(*one);
  }
  for (const std::string& one : variables) {
    put(one.c_str());
  }
  environment_.push_back(nullptr);
}

// A file and no pipe, so that nobody has to stay and write while the command reads.
void child_surroundings::take_input(const std::string& input) {
  if (input.empty()) {
    return;
  }
  input_.reset(::memfd_create("weir-input", MFD_CLOEXEC));
  if (!input_) {
    error_ = errno;
    return;
  }
  for (std::size_t at = 0; at < input.size();) {
    const ssize_t count = ::write(input_.get(), input.data() + at, input.size() - at);
    if (count < 0 && errno != EINTR) {
      error_ = errno;
      return;
    }
    at += count > 0 ? static_cast<std::size_t>(count) : 0;
  }
  if (::lseek(input_.get(), 0, SEEK_SET) < 0) {
    error_ = errno;
  }
}

inheritance child_surroundings::given() const {
  return {input_.get(), environment_.empty() ? nullptr : environment_.data()};
}

}  // namespace weir::process
