#include "cron/zone_rule.hpp"

#include <algorithm>
#include <chrono>

namespace weir::cron_room {
namespace {

namespace chrono = std::chrono;

constexpr std::int64_t k_hour = 3600;
constexpr std::int64_t k_day = 24 * k_hour;

std::int64_t day_number(chrono::sys_days day) { return day.time_since_epoch().count(); }

}  // namespace

std::int64_t zone_rule::moment::local_time(int year) const {
  const chrono::year in(year);
  std::int64_t number = 0;
  switch (as) {
    case form::weekday_of_month: {
      const chrono::month of(static_cast<unsigned>(month));
      const chrono::weekday on(static_cast<unsigned>(day));
      number = week == 5 ? day_number(in / of / on[chrono::last])
                         : day_number(in / of / on[static_cast<unsigned>(week)]);
      break;
    }
    case form::day_without_29_february:
      number = day_number(in / chrono::January / 1) + day - 1 + (in.is_leap() && day >= 60 ? 1 : 0);
      break;
    case form::day_from_zero:
      number = day_number(in / chrono::January / 1) + day;
      break;
  }
  return number * k_day + time;
}

// Reads the text from left to right; `good` is false from the first surprise on.
class zone_rule::reader {
 public:
  explicit reader(std::string_view text) : text_(text) {}

  bool good = true;

  [[nodiscard]] bool done() const { return text_.empty(); }

  bool take(char wanted) {
    if (text_.empty() || text_.front() != wanted) return false;
    text_.remove_prefix(1);
    return true;
  }
  void expect(char wanted) { good = take(wanted) && good; }

  // EST, or <+0330>.
  void skip_name() {
    const bool quoted = take('<');
    std::size_t length = 0;
    while (length < text_.size() && (quoted ? text_[length] != '>' : is_letter(text_[length]))) {
      ++length;
    }
    good = length >= 3 && good;
    text_.remove_prefix(length);
    if (quoted) expect('>');
  }

  int number(int least, int most) {
    int value = 0;
    std::size_t length = 0;
    for (; length < text_.size() && is_digit(text_[length]) && length < 4; ++length) {
      value = value * 10 + (text_[length] - '0');
    }
    good = length > 0 && value >= least && value <= most && good;
    text_.remove_prefix(length);
    return std::clamp(value, least, most);
  }

  // [+-]hh[:mm[:ss]]
  std::int64_t time() {
    const bool negative = take('-');
    if (!negative) take('+');
    std::int64_t seconds = number(0, 167) * k_hour;
    if (take(':')) seconds += std::int64_t{number(0, 59)} * 60;
    if (take(':')) seconds += number(0, 59);
    return negative ? -seconds : seconds;
  }

  moment read_moment() {
    moment found;
    if (take('M')) {
      found.month = number(1, 12);
      expect('.');
      found.week = number(1, 5);
      expect('.');
      found.day = number(0, 6);
    } else if (take('J')) {
      found.as = moment::form::day_without_29_february;
      found.day = number(1, 365);
    } else {
      found.as = moment::form::day_from_zero;
      found.day = number(0, 365);
    }
    if (take('/')) found.time = time();
    return found;
  }

 private:
  static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }

  std::string_view text_;
};

std::optional<zone_rule> zone_rule::read(std::string_view text) {
  reader from(text);
  zone_rule rule;
  from.skip_name();
  // POSIX counts westwards.
  rule.standard_ = -from.time();
  rule.summer_ = rule.standard_ + k_hour;
  if (from.good && !from.done()) {
    rule.changes_ = true;
    from.skip_name();
    if (!from.take(',')) {
      rule.summer_ = -from.time();
      from.expect(',');
    }
    rule.begin_ = from.read_moment();
    from.expect(',');
    rule.end_ = from.read_moment();
  }
  return from.good && from.done() ? std::optional(rule) : std::nullopt;
}

std::vector<zone_change> zone_rule::changes(int year) const {
  if (!changes_) return {};
  zone_change first{begin_.local_time(year) - standard_, summer_};
  zone_change second{end_.local_time(year) - summer_, standard_};
  if (second.at < first.at) std::swap(first, second);
  return {first, second};
}

}  // namespace weir::cron_room
