#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace weir::process {

/// Reads lines from a descriptor in bounded memory, and hears a stop while it waits for input.
/// Thread safety: one thread at a time.
class line_reader {
 public:
  enum class result {
    line,      ///< a line without its newline
    too_long,  ///< longer than the limit; skipped to its end, `line_length()` says how long it was
    has_nul,   ///< a line with a NUL byte in it
    end,       ///< nothing is left
    stopped,   ///< the stop descriptor became readable
    failed,    ///< the read failed; `error()` is its errno
  };

  /// Borrows both descriptors; `stop_fd` may be -1. A line of more than `longest` bytes is too
  /// long.
  line_reader(int fd, int stop_fd, std::size_t longest);

  /// Blocks until there is a whole line, the end, a stop or an error. Only `line` changes `line`.
  result next(std::string& line);

  /// The number, from 1, of the line that `next` returned last.
  std::uint64_t line_number() const { return line_number_; }
  std::uint64_t line_length() const { return line_length_; }
  int error() const { return error_; }

 private:
  enum class fill { more, end, stopped, failed };
  fill fill_buffer();
  result finish_line(std::string& line);
  void take(std::size_t count);

  int fd_;
  int stop_fd_;
  std::size_t longest_;
  std::unique_ptr<char[]> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::string partial_;
  std::uint64_t line_number_ = 0;
  std::uint64_t line_length_ = 0;
  bool nul_ = false;
  int error_ = 0;
};

}  // namespace weir::process
