#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/unique_fd.hpp"
#include "process/command.hpp"
#include "process/command_template.hpp"
#include "process/line_reader.hpp"

namespace weir::process {

/// Where the commands of a run come from.
struct input_description {
  std::string file;                                ///< lines to read; empty or "-" = standard input
  std::vector<std::string> command;                ///< a template; empty = each line is a command
  std::optional<std::vector<std::string>> values;  ///< for the template, in place of lines
};

/// The longest text that the system takes as one argument of a program.
std::size_t longest_argument();

/// Yields the commands of a run one after the other. Thread safety: one thread at a time.
class command_source {
 public:
  enum class result { command, end, stopped, failed };

  /// Opens the input. `stop_fd` ends a wait for it when it becomes readable. Throws `usage_error`
  /// for what is not there, is a folder or may not be read.
  command_source(input_description input, int stop_fd);

  /// Blocks for input. A line that cannot be run comes out as a command with a refusal.
  result next(command& one);

  /// How many commands there are, as far as that can be known without reading a pipe.
  [[nodiscard]] std::optional<std::uint64_t> count() const;
  [[nodiscard]] std::uint64_t commands_read() const { return seq_; }
  /// The last line that was read.
  [[nodiscard]] std::uint64_t line_number() const { return reader_ ? reader_->line_number() : 0; }
  /// What `failed` means: one line that names the input.
  [[nodiscard]] std::string failure() const;

 private:
  result next_value(command& one);
  result next_line(command& one);
  void fill(command& one, std::string&& text);

  input_description input_;
  std::optional<command_template> template_;
  unique_fd file_;
  std::optional<line_reader> reader_;
  std::size_t values_taken_ = 0;
  std::uint64_t seq_ = 0;
};

}  // namespace weir::process
