#pragma once

#include <string>
#include <string_view>

namespace weir::cron_room {

/// The text with each byte that would move the cursor or is no ASCII as `?`, so that a column in
/// bytes is a column on the screen.
[[nodiscard]] inline std::string printable(std::string_view text) {
  std::string shown(text);
  for (char& c : shown) {
    if (c == '\t') {
      c = ' ';
    } else if (c < ' ' || c > '~') {
      c = '?';
    }
  }
  return shown;
}

}  // namespace weir::cron_room
