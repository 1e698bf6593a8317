#pragma once

#include <cstdint>

namespace weir::process {

/// How a process ended: by itself with a code, or by a signal. 137 is not signal 9.
struct exit_status {
  enum class kind : std::uint8_t { exited, signaled };

  kind how = kind::exited;
  int value = 0;  ///< exit code, or signal number

  [[nodiscard]] bool success() const { return how == kind::exited && value == 0; }
  friend bool operator==(const exit_status&, const exit_status&) = default;
};

}  // namespace weir::process
