#pragma once

#include <cstddef>
#include <string_view>

namespace weir::process {

/// Decides piece by piece whether bytes are valid UTF-8 (no overlong forms, no surrogates).
class utf8_check {
 public:
  /// Takes the next piece; returns whether all so far may begin valid UTF-8.
  bool feed(std::string_view piece);
  /// Whether what was fed is valid and whole.
  [[nodiscard]] bool complete() const { return valid_ && left_ == 0; }

 private:
  bool start(unsigned char byte);

  bool valid_ = true;
  unsigned left_ = 0;         // continuation bytes that a character still needs
  unsigned char low_ = 0x80;  // and the range of the next one
  unsigned char high_ = 0xbf;
};

/// How many bytes at the end of `text`, valid UTF-8 but for its end, begin a character that is cut
/// off.
std::size_t unfinished_tail(std::string_view text);

}  // namespace weir::process
