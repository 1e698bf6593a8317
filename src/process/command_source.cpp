#include "process/command_source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "process/errors.hpp"

namespace weir::process {
namespace {

constexpr std::size_t k_argument_pages = 32;  // MAX_ARG_STRLEN of Linux, its NUL included

std::string reason(int error) { return std::generic_category().message(error); }

bool is_standard_input(const std::string& file) { return file.empty() || file == "-"; }

unique_fd open_input(const std::string& file) {
  unique_fd opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!opened) {
    throw usage_error(file + ": cannot read commands: " + reason(errno));
  }
  return opened;
}

void refuse_folder(int fd, const std::string& name) {
  struct stat state {};
  if (::fstat(fd, &state) != 0) {
    throw usage_error(name + ": cannot read commands: " + reason(errno));
  }
  if (S_ISDIR(state.st_mode)) {
    throw usage_error(name + ": is a directory; give a file with one command a line");
  }
}

bool is_blank_or_comment(const std::string& line) {
  const auto first = line.find_first_not_of(" \t\r");
  return first == std::string::npos || line[first] == '#';
}

}  // namespace

std::size_t longest_argument() {
  static const std::size_t longest =
      k_argument_pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) - 1;
  return longest;
}

command_source::command_source(input_description input, int stop_fd) : input_(std::move(input)) {
  if (!input_.command.empty()) {
    template_.emplace(input_.command);
  }
  if (input_.values) {
    return;
  }
  int fd = STDIN_FILENO;
  if (!is_standard_input(input_.file)) {
    file_ = open_input(input_.file);
    fd = file_.get();
  }
  refuse_folder(fd, is_standard_input(input_.file) ? "standard input" : input_.file);
  reader_.emplace(fd, stop_fd, longest_argument());
}

command_source::result command_source::next(command& one) {
  one = command{};
  return input_.values ? next_value(one) : next_line(one);
}

command_source::result command_source::next_value(command& one) {
  if (values_taken_ == input_.values->size()) {
    return result::end;
  }
  fill(one, std::string((*input_.values)[values_taken_++]));
  return result::command;
}

command_source::result command_source::next_line(command& one) {
  std::string line;
  for (;;) {
    const auto got = reader_->next(line);
    one.line = reader_->line_number();
    switch (got) {
      case line_reader::result::line:
        if (template_ ? line.empty() : is_blank_or_comment(line)) {
          continue;
        }
        fill(one, std::move(line));
        return result::command;
      case line_reader::result::too_long:
        one.seq = ++seq_;
        one.refusal = "is " + std::to_string(reader_->line_length()) +
                      " bytes long, a command may have " + std::to_string(longest_argument());
        return result::command;
      case line_reader::result::has_nul:
        one.seq = ++seq_;
        one.refusal = "holds a NUL byte, which no command can";
        return result::command;
      case line_reader::result::end:
        return result::end;
      case line_reader::result::stopped:
        return result::stopped;
      case line_reader::result::failed:
        return result::failed;
    }
  }
}

void command_source::fill(command& one, std::string&& text) {
  one.seq = ++seq_;
  if (!template_) {
    one.tag = text;
    one.text = std::move(text);
    return;
  }
  one.text = template_->expand(text, one.seq);
  one.tag = std::move(text);
  if (one.text.size() > longest_argument()) {
    one.refusal = "becomes " + std::to_string(one.text.size()) +
                  " bytes long, a command may have " + std::to_string(longest_argument());
    one.text.clear();
  }
}

std::optional<std::uint64_t> command_source::count() const {
  if (input_.values) {
    return input_.values->size();
  }
  struct stat state {};
  if (!file_ || ::fstat(file_.get(), &state) != 0 || !S_ISREG(state.st_mode)) {
    return std::nullopt;
  }
  command_source again({input_.file, input_.command, std::nullopt}, -1);
  command one;
  std::uint64_t commands = 0;
  while (again.next(one) == result::command) {
    ++commands;
  }
  return commands;
}

std::string command_source::failure() const {
  const std::string name = is_standard_input(input_.file) ? "standard input" : input_.file;
  return name + ": cannot read on after line " + std::to_string(reader_->line_number()) + ": " +
         reason(reader_->error());
}

}  // namespace weir::process
