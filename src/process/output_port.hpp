#pragma once

#include <string_view>

#include "process/wake_fd.hpp"

namespace weir::process {

/// Writes to a descriptor of this process that others read, standard output for one. Remembers the
/// first error and writes nothing after it. Shared objects: unsafe.
class output_port {
 public:
  /// Borrows both. Once `give_up` is set, a reader that does not read is no longer waited for.
  output_port(int fd, const wake_fd& give_up);

  /// Blocks until every byte is written. Returns whether that is so.
  bool write(std::string_view bytes);

  /// errno of the write that failed; 0 as long as none did.
  [[nodiscard]] int error() const { return error_; }

 private:
  bool wait_for_reader();

  int fd_;
  const wake_fd& give_up_;
  bool may_block_;
  int error_ = 0;
};

}  // namespace weir::process
