#pragma once

#include "base/unique_fd.hpp"

namespace weir::process {

/// A one-shot flag that shows as a readable descriptor, so that a `poll` can wait for it beside
/// pipes. Any number of threads may wait. Shared objects: safe.
class wake_fd {
 public:
  /// Throws `std::system_error` when the system has no descriptor to give.
  wake_fd();

  /// Makes the descriptor readable for good.
  void set() noexcept;
  [[nodiscard]] bool is_set() const noexcept;
  [[nodiscard]] int fd() const noexcept { return fd_.get(); }

 private:
  unique_fd fd_;
};

}  // namespace weir::process
