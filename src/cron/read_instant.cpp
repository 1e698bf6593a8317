#include "cron/read_instant.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>

namespace weir::cron_room {
namespace {

constexpr std::int64_t k_most_seconds = 9'000'000'000;

// Reads the text from left to right; `good` is false from the first surprise on.
struct reader {
  std::string_view text;
  bool good = true;

  bool take(char wanted) {
    if (text.empty() || text.front() != wanted) return false;
    text.remove_prefix(1);
    return true;
  }
  void expect(char wanted) { good = take(wanted) && good; }

  // Exactly so many digits.
  int digits(std::size_t count, int least, int most) {
    int value = 0;
    const char* end = text.data() + std::min(count, text.size());
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    good = good && error == std::errc{} && rest == end && text.size() >= count &&
           text.front() != '-' && value >= least && value <= most;
    text.remove_prefix(std::min(count, text.size()));
    return value;
  }
};

std::optional<utc_second> read_epoch(std::string_view text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  const bool good =
      error == std::errc{} && rest == end && value >= -k_most_seconds && value <= k_most_seconds;
  return good ? std::optional(value) : std::nullopt;
}

// hh:mm, with :ss or without.
std::int64_t read_time(reader& from) {
  std::int64_t seconds = std::int64_t{from.digits(2, 0, 23)} * 3600;
  from.expect(':');
  seconds += std::int64_t{from.digits(2, 0, 59)} * 60;
  if (from.take(':')) seconds += from.digits(2, 0, 59);
  return seconds;
}

// Z or +hh:mm; none where neither follows.
std::optional<std::int64_t> read_offset(reader& from) {
  if (from.take('Z')) return 0;
  const bool west = from.take('-');
  if (!west && !from.take('+')) return std::nullopt;
  const std::int64_t size = read_time(from);
  return west ? -size : size;
}

}  // namespace

utc_second instant_of(local_second local, const zone_table& zone) noexcept {
  // Local time of a span that ends at or before `local` is over; the first that does not end so
  // holds it, or begins behind the gap that does.
  for (const zone_span& span : zone.spans()) {
    if (local < span.local(span.end)) return std::max(span.begin, local - span.offset);
  }
  return local - zone.spans().back().offset;
}

std::optional<utc_second> read_instant(std::string_view text, const zone_table& zone) {
  if (text.starts_with('@')) return read_epoch(text.substr(1));
  reader from{text};
  const int year = from.digits(4, 1700, 2250);
  from.expect('-');
  const int month = from.digits(2, 1, 12);
  from.expect('-');
  const int day = from.digits(2, 1, 31);
  const std::chrono::year_month_day date(std::chrono::year(year) / month / day);
  if (!from.good || !date.ok()) return std::nullopt;
  local_second local =
      std::chrono::sys_seconds(std::chrono::sys_days(date)).time_since_epoch().count();
  std::optional<std::int64_t> offset;
  if (from.take('T') || from.take(' ')) {
    local += read_time(from);
    offset = read_offset(from);
  }
  if (!from.good || !from.text.empty()) return std::nullopt;
  return offset ? local - *offset : instant_of(local, zone);
}

}  // namespace weir::cron_room
