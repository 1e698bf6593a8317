#include "process/duration.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

namespace weir::process {
namespace {

struct unit {
  std::string_view name;
  double nanoseconds;
};

constexpr std::array k_units{
    unit{"", 1e9},   unit{"us", 1e3},   unit{"ms", 1e6},    unit{"s", 1e9},
    unit{"m", 60e9}, unit{"h", 3600e9}, unit{"d", 86400e9},
};

// The largest double below 2^63: anything above would not fit the result.
constexpr double k_most_nanoseconds = 9223372036854774784.0;

}  // namespace

std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text) {
  // from_chars takes "inf" and "nan", which no one means as a length of time.
  if (text.empty() || text.front() < '.' || text.front() > '9' || text.front() == '/') {
    return std::nullopt;
  }
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (error != std::errc{}) {
    return std::nullopt;
  }
  const std::string_view suffix(rest, static_cast<std::size_t>(end - rest));
  for (const unit& candidate : k_units) {
    if (candidate.name == suffix) {
      const double total = std::round(number * candidate.nanoseconds);
      if (total > k_most_nanoseconds) {
        return std::nullopt;
      }
      return std::chrono::nanoseconds(static_cast<std::chrono::nanoseconds::rep>(total));
    }
  }
  return std::nullopt;
}

}  // namespace weir::process
