#include "process/utf8.hpp"

namespace weir::process {

bool utf8_check::start(unsigned char byte) {
  low_ = 0x80;
  high_ = 0xbf;
  if (byte < 0x80) {
    left_ = 0;
  } else if (byte >= 0xc2 && byte <= 0xdf) {
    left_ = 1;
  } else if (byte >= 0xe0 && byte <= 0xef) {
    left_ = 2;
    low_ = byte == 0xe0 ? 0xa0 : 0x80;
    high_ = byte == 0xed ? 0x9f : 0xbf;
  } else if (byte >= 0xf0 && byte <= 0xf4) {
    left_ = 3;
    low_ = byte == 0xf0 ? 0x90 : 0x80;
    high_ = byte == 0xf4 ? 0x8f : 0xbf;
  } else {
    return false;
  }
  return true;
}

bool utf8_check::feed(std::string_view piece) {
  for (const char c : piece) {
    if (!valid_) {
      return false;
    }
    const auto byte = static_cast<unsigned char>(c);
    if (left_ == 0) {
      valid_ = start(byte);
      continue;
    }
    valid_ = byte >= low_ && byte <= high_;
    low_ = 0x80;
    high_ = 0xbf;
    --left_;
  }
  return valid_;
}

std::size_t unfinished_tail(std::string_view text) {
  for (std::size_t back = 1; back <= 3 && back <= text.size(); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if (byte >= 0xc0) {
      const std::size_t length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return back < length ? back : 0;
    }
    if (byte < 0x80) {
      return 0;
    }
  }
  return 0;
}

}  // namespace weir::process
