#include "process/excerpt.hpp"

#include <cstdio>

namespace weir::process {

std::string excerpt(std::string_view text, std::size_t most) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (out.size() >= most && (byte & 0xc0) != 0x80) {
      return out + "...";
    }
    if (byte < 0x20 || byte == 0x7f) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\x%02x", byte);
      out += c == '\n' ? "\\n" : c == '\t' ? "\\t" : escaped;
    } else {
      out.push_back(c);
    }
  }
  return out;
}

}  // namespace weir::process
