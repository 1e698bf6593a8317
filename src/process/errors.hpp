#pragma once

#include <stdexcept>

namespace weir::process {

/// What the user asked for cannot be done as asked: exit code 2. The text is one line that names
/// the thing and the way out.
class usage_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Something that was fine gave way while running, a disk for one: exit code 1. One line as well.
class run_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace weir::process
