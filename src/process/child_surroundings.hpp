#pragma once

#include <string>
#include <vector>

#include "base/unique_fd.hpp"
#include "process/command.hpp"
#include "process/spawner.hpp"

namespace weir::process {

/// The environment and the standard input of one run of a command. Distinct objects: safe; the
/// environment of this process must not change meanwhile.
class child_surroundings {
 public:
  /// Borrows the command.
  explicit child_surroundings(const command& of);

  /// errno of what could not be made; 0 if all is there.
  [[nodiscard]] int error() const { return error_; }
  /// Lives as long as this and the command.
  [[nodiscard]] inheritance given() const;

 private:
  void take_variables(const std::vector<std::string>& variables);
  void take_input(const std::string& input);

  std::vector<char*> environment_;  // empty: that of this process
  unique_fd input_;
  int error_ = 0;
};

}  // namespace weir::process
