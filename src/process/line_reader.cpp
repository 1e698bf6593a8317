#include "process/line_reader.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace weir::process {
namespace {

constexpr std::size_t k_buffer_size = 64 * 1024;

}  // namespace

line_reader::line_reader(int fd, int stop_fd, std::size_t longest)
    : fd_(fd), stop_fd_(stop_fd), longest_(longest), buffer_(new char[k_buffer_size]) {}

line_reader::fill line_reader::fill_buffer() {
  for (;;) {
    pollfd waits[] = {{fd_, POLLIN, 0}, {stop_fd_, POLLIN, 0}};
    if (::poll(waits, 2, -1) < 0) {
      if (errno == EINTR) {
        continue;
      }
      error_ = errno;
      return fill::failed;
    }
    if (waits[1].revents != 0) {
      return fill::stopped;
    }
    const ssize_t count = ::read(fd_, buffer_.get(), k_buffer_size);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) {
      continue;
    }
    if (count < 0) {
      error_ = errno;
      return fill::failed;
    }
    begin_ = 0;
    end_ = static_cast<std::size_t>(count);
    return count == 0 ? fill::end : fill::more;
  }
}

void line_reader::take(std::size_t count) {
  const char* from = buffer_.get() + begin_;
  line_length_ += count;
  if (line_length_ <= longest_) {
    nul_ = nul_ || std::memchr(from, '\0', count) != nullptr;
    partial_.append(from, count);
  } else {
    partial_.clear();
  }
  begin_ += count;
}

line_reader::result line_reader::finish_line(std::string& line) {
  ++line_number_;
  if (line_length_ > longest_) {
    return result::too_long;
  }
  if (nul_) {
    return result::has_nul;
  }
  line.swap(partial_);
  return result::line;
}

line_reader::result line_reader::next(std::string& line) {
  partial_.clear();
  line_length_ = 0;
  nul_ = false;
  for (;;) {
    if (begin_ == end_) {
      switch (fill_buffer()) {
        case fill::more:
          break;
        case fill::end:
          return line_length_ == 0 ? result::end : finish_line(line);
        case fill::stopped:
          return result::stopped;
        case fill::failed:
          return result::failed;
      }
    }
    const char* from = buffer_.get() + begin_;
    const void* newline = std::memchr(from, '\n', end_ - begin_);
    if (newline != nullptr) {
      take(static_cast<std::size_t>(static_cast<const char*>(newline) - from));
      ++begin_;
      return finish_line(line);
    }
    take(end_ - begin_);
  }
}

}  // namespace weir::process
