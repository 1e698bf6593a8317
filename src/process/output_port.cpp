#include "process/output_port.hpp"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

namespace weir::process {

output_port::output_port(int fd, const wake_fd& give_up) : fd_(fd), give_up_(give_up) {
  struct stat state {};
  may_block_ = ::fstat(fd, &state) != 0 || !S_ISREG(state.st_mode);
}

bool output_port::wait_for_reader() {
  pollfd waits[] = {{fd_, POLLOUT, 0}, {give_up_.fd(), POLLIN, 0}};
  while (::poll(waits, 2, -1) < 0) {
    if (errno != EINTR) {
      error_ = errno;
      return false;
    }
  }
  if (waits[0].revents == 0) {
    error_ = ECANCELED;
    return false;
  }
  return true;
}

bool output_port::write(std::string_view bytes) {
  while (!bytes.empty() && error_ == 0) {
    std::size_t most = bytes.size();
    if (may_block_) {
      if (!wait_for_reader()) {
        break;
      }
      // A pipe that is ready takes this much without blocking, and no more is promised.
      most = std::min<std::size_t>(most, PIPE_BUF);
    }
    const ssize_t count = ::write(fd_, bytes.data(), most);
    if (count >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno != EINTR && errno != EAGAIN) {
      error_ = errno;
    }
  }
  return bytes.empty();
}

}  // namespace weir::process
