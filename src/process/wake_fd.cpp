#include "process/wake_fd.hpp"

#include <poll.h>
#include <sys/eventfd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

#include "weir/detail/assert.hpp"

namespace weir::process {

wake_fd::wake_fd() : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!fd_) {
    throw std::system_error(errno, std::generic_category(), "eventfd");
  }
}

void wake_fd::set() noexcept {
  const std::uint64_t one = 1;
  const ssize_t written = ::write(fd_.get(), &one, sizeof one);
  // EAGAIN means that the counter is full, which is as readable as it gets.
  WEIR_ASSERT(written == sizeof one || errno == EAGAIN);
}

bool wake_fd::is_set() const noexcept {
  pollfd look{fd_.get(), POLLIN, 0};
  return ::poll(&look, 1, 0) > 0;
}

}  // namespace weir::process
