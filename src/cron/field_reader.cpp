#include "cron/field_reader.hpp"

#include <algorithm>
#include <string>

namespace weir::cron_room {
namespace {

constexpr std::size_t k_month_days = 3;
constexpr std::size_t k_weekdays = 5;

std::string bounds(const field_kind& kind) {
  std::string text = std::to_string(kind.least) + " to " + std::to_string(kind.most);
  if (!kind.names.empty()) {
    text += ", or " + std::string(kind.names.front()) + " to " + std::string(kind.names.back());
  }
  return text;
}

[[noreturn]] void fail_value(const source_text& text, std::size_t begin, const field_kind& kind) {
  std::string_view item = text.part(begin, text.end()).rest();
  item = item.substr(0, item.find_first_of(",-/#"));
  if (item.empty()) {
    text.fail(begin, "a " + std::string(kind.name) + " is missing here: give " + bounds(kind));
  }
  text.fail(begin, quoted(item) + " is no " + std::string(kind.name) + ": give " + bounds(kind));
}

// A number or a name, and nothing that only begins like one.
int read_value(source_text& text, const field_kind& kind) {
  const std::size_t begin = text.at();
  if (const long number = text.take_number(); number >= 0) {
    if (number < kind.least || number > kind.most) fail_value(text, begin, kind);
    return static_cast<int>(number);
  }
  // Names have three letters; an L behind one is not part of it.
  std::string letters;
  while (letters.size() < 3 && source_text::is_letter(text.peek())) {
    letters += text.peek();
    text.take(text.peek());
  }
  const auto found = std::find(kind.names.begin(), kind.names.end(), letters);
  if (found == kind.names.end()) fail_value(text, begin, kind);
  const bool longer = source_text::is_letter(text.peek()) && text.peek() != 'L';
  if (longer) fail_value(text, begin, kind);
  return kind.least + static_cast<int>(found - kind.names.begin());
}

int read_step(source_text& text, const field_kind& kind) {
  const std::size_t begin = text.at();
  const long step = text.take_number();
  const int most = kind.most - kind.least;
  if (step >= 1 && step <= most) return static_cast<int>(step);
  const std::string range = "give 1 to " + std::to_string(most);
  if (step < 0) text.fail(begin, "a step is missing here: " + range);
  if (step == 0) text.fail(begin, "a step of 0 never moves on: " + range);
  text.fail(begin, "no second " + std::string(kind.name) + " is " + std::to_string(step) +
                       " further: " + range + ", or write the one value alone");
}

// Bits of first, first + step, … up to last, which may lie before it where the kind wraps.
std::uint64_t spread(int first, int last, int step, const field_kind& kind) {
  if (kind.of == unit::weekday && first == 7 && last < 7) first = 0;
  const int end = last < first ? last + kind.cycle : last;
  std::uint64_t bits = 0;
  for (int value = first; value <= end; value += step) {
    const int folded = kind.cycle == 0 ? value : kind.least + (value - kind.least) % kind.cycle;
    bits |= std::uint64_t{1} << folded;
  }
  return bits;
}

// `*`, a value or a range, with a step or without.
std::uint64_t read_range(source_text& text, const field_kind& kind) {
  if (text.take('*')) {
    const int step = text.take('/') ? read_step(text, kind) : 1;
    return spread(kind.least, kind.most, step, kind);
  }
  const std::size_t begin = text.at();
  const int first = read_value(text, kind);
  if (!text.take('-')) {
    if (!text.take('/')) return spread(first, first, 1, kind);
    return spread(first, kind.most, read_step(text, kind), kind);
  }
  const int last = read_value(text, kind);
  if (last < first && kind.cycle == 0) {
    text.fail(begin, "a range of " + std::string(kind.plural) + " runs upwards: write " +
                         std::to_string(first) + "-" + std::to_string(kind.most) + "," +
                         std::to_string(kind.least) + "-" + std::to_string(last) +
                         " if it is to go past the end");
  }
  return spread(first, last, text.take('/') ? read_step(text, kind) : 1, kind);
}

// Calls `read` for each item of the list.
template <class Read>
void read_list(source_text& text, const field_kind& kind, Read read) {
  do {
    if (text.done() || text.peek() == ',') {
      text.fail("a " + std::string(kind.name) + " is missing here: give " + bounds(kind));
    }
    read();
    if (!text.done() && text.peek() != ',') {
      text.fail(quoted(text.rest().substr(0, 1)) + " has no meaning here, in the " +
                std::string(kind.name) + " field: separate values by commas");
    }
  } while (text.take(','));
}

bool is_question_mark(const source_text& text) { return text.rest() == "?"; }

void refuse_question_mark(const source_text& text) {
  if (text.peek() == '?') {
    text.fail("? stands alone, and only for the day of the month or of the week: give *");
  }
}

// L, L-3 or LW, whose L has been read.
void read_last_day(source_text& text, month_days& into) {
  if (text.take('W')) {
    into.last_workday = true;
    return;
  }
  int before = 0;
  if (text.take('-')) {
    const std::size_t begin = text.at();
    const long given = text.take_number();
    if (given < 1 || given > 30) {
      text.fail(begin, "give 1 to 30 days before the last day of the month, as in L-3");
    }
    before = static_cast<int>(given);
  }
  into.from_end |= std::uint32_t{1} << before;
}

void read_month_day(source_text& text, month_days& into) {
  if (text.take('L')) {
    read_last_day(text, into);
    return;
  }
  refuse_question_mark(text);
  const field_kind& kind = field_kinds()[k_month_days];
  // 15W is no range: one day and a letter.
  source_text ahead = text;
  const long day = ahead.take_number();
  if (day >= kind.least && day <= kind.most && ahead.take('W')) {
    into.near_workday |= std::uint32_t{1} << day;
    text = ahead;
    return;
  }
  into.days |= static_cast<std::uint32_t>(read_range(text, kind));
}

// 5L or 5#2 whose 5 has been read; false when neither follows.
bool read_occurrence(source_text& text, unsigned weekday, week_days& into) {
  if (text.take('L')) {
    into.last = static_cast<std::uint8_t>(into.last | (1U << weekday));
    return true;
  }
  if (!text.take('#')) return false;
  const std::size_t begin = text.at();
  const long which = text.take_number();
  if (which < 1 || which > 5) {
    text.fail(begin, "give 1 to 5 for which of its weekdays in the month, as in FRI#2");
  }
  into.nth[weekday] = static_cast<std::uint8_t>(into.nth[weekday] | (1U << which));
  return true;
}

void read_week_day(source_text& text, week_days& into) {
  refuse_question_mark(text);
  const field_kind& kind = field_kinds()[k_weekdays];
  const bool bare_last = text.peek() == 'L';
  if (bare_last) {
    text.fail(
        "the last of which weekdays? Give 5L for the last Friday of the month, or 6 for "
        "Saturday");
  }
  if (text.peek() != '*') {
    source_text ahead = text;
    const unsigned weekday = static_cast<unsigned>(read_value(ahead, kind)) % 7;
    if (read_occurrence(ahead, weekday, into)) {
      text = ahead;
      return;
    }
  }
  into.days = static_cast<std::uint8_t>(into.days | read_range(text, kind));
}

}  // namespace

std::uint64_t read_values(source_text text, const field_kind& kind) {
  std::uint64_t bits = 0;
  read_list(text, kind, [&] {
    refuse_question_mark(text);
    bits |= read_range(text, kind);
  });
  return bits;
}

month_days read_month_days(source_text text) {
  month_days found;
  found.star = text.peek() == '*' || is_question_mark(text);
  if (is_question_mark(text)) {
    found.days = ~std::uint32_t{1};
    return found;
  }
  read_list(text, field_kinds()[k_month_days], [&] { read_month_day(text, found); });
  return found;
}

week_days read_week_days(source_text text) {
  week_days found;
  found.star = text.peek() == '*' || is_question_mark(text);
  if (is_question_mark(text)) {
    found.days = k_all_weekdays;
    return found;
  }
  read_list(text, field_kinds()[k_weekdays], [&] { read_week_day(text, found); });
  return found;
}

}  // namespace weir::cron_room
