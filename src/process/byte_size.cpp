#include "process/byte_size.hpp"

#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <system_error>

namespace weir::process {
namespace {

constexpr std::string_view k_prefixes = "KMGT";
constexpr unsigned k_bits_per_prefix = 10;

// The power of two that a suffix stands for.
std::optional<unsigned> shift_of(std::string_view suffix) {
  if (suffix.empty()) {
    return 0;
  }
  const auto letter = static_cast<char>(std::toupper(static_cast<unsigned char>(suffix.front())));
  const auto index = k_prefixes.find(letter);
  const std::string_view rest = suffix.substr(1);
  if (index == std::string_view::npos || (!rest.empty() && rest != "iB" && rest != "ib")) {
    return std::nullopt;
  }
  return static_cast<unsigned>(index + 1) * k_bits_per_prefix;
}

}  // namespace

std::optional<std::size_t> parse_byte_size(std::string_view text) {
  std::size_t number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{}) {
    return std::nullopt;
  }
  const auto shift = shift_of({rest, static_cast<std::size_t>(end - rest)});
  if (!shift || number > std::numeric_limits<std::size_t>::max() >> *shift) {
    return std::nullopt;
  }
  return number << *shift;
}

std::string byte_size_text(std::size_t bytes) {
  if (bytes < 1024) {
    return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
  }
  auto amount = static_cast<double>(bytes);
  std::size_t prefix = 0;
  for (amount /= 1024; amount >= 1024 && prefix + 1 < k_prefixes.size(); ++prefix) {
    amount /= 1024;
  }
  char number[32];
  std::snprintf(number, sizeof number, "%.1f", amount);
  std::string text(number);
  if (text.ends_with(".0")) {
    text.resize(text.size() - 2);
  }
  return text + " " + k_prefixes[prefix] + "iB";
}

}  // namespace weir::process
