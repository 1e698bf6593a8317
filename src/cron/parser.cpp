#include "cron/parser.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "base/nearest.hpp"
#include "cron/day_table.hpp"
#include "cron/field_reader.hpp"
#include "cron/source_text.hpp"

namespace weir::cron_room {
namespace {

constexpr std::size_t k_longest = 1000;
constexpr std::size_t k_most_words = 64;

struct macro {
  std::string_view name;
  std::string_view meaning;
};

constexpr std::array k_macros{
    macro{"@YEARLY", "0 0 1 1 *"}, macro{"@ANNUALLY", "0 0 1 1 *"}, macro{"@MONTHLY", "0 0 1 * *"},
    macro{"@WEEKLY", "0 0 * * 0"}, macro{"@DAILY", "0 0 * * *"},    macro{"@MIDNIGHT", "0 0 * * *"},
    macro{"@HOURLY", "0 * * * *"},
};

std::string lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

// CRON_TZ=Zone or TZ=Zone, with the blanks behind it.
void read_zone(source_text& text, parsed& into) {
  for (const std::string_view name : {"CRON_TZ=", "TZ="}) {
    if (!text.rest().starts_with(name)) continue;
    const source_text word = text.take_word();
    into.zone_at = word.at() + name.size();
    into.zone = std::string(word.rest().substr(name.size()));
    if (into.zone.empty()) {
      text.fail(into.zone_at, "the name of a time zone is missing here, such as Europe/Berlin");
    }
    text.skip_blanks();
    return;
  }
}

// The length of one unit in seconds; 0 for what is none.
long unit_seconds(const std::string& letters) {
  if (letters == "S") return 1;
  if (letters == "M") return 60;
  if (letters == "H") return 3600;
  return letters == "D" ? 86'400 : 0;
}

// 90s, 1h30m, 2d: the whole of `text`.
std::chrono::seconds read_period(source_text text) {
  constexpr long k_longest_period = 36'500L * 86'400;
  const std::size_t begin = text.at();
  long total = 0;
  do {
    const std::size_t number_at = text.at();
    const long number = text.take_number();
    if (number < 0) {
      text.fail(number_at,
                "give a period of whole seconds, minutes, hours or days, such as "
                "@every 90s or @every 1h30m");
    }
    const std::size_t unit_at = text.at();
    const long unit = unit_seconds(text.take_letters());
    if (unit == 0) text.fail(unit_at, "a unit is missing here: give s, m, h or d");
    total = std::min(total + number * unit, k_longest_period + 1);
  } while (!text.done());
  if (total < 1 || total > k_longest_period) {
    text.fail(begin, "give a period from 1s to 36500d");
  }
  return std::chrono::seconds(total);
}

[[noreturn]] void fail_macro(const source_text& text, const std::string& name) {
  if (name == "@REBOOT") {
    text.fail("@reboot is no point in time: a crontab may have it, which weir runs when it starts");
  }
  std::vector<std::string> names{"@every"};
  for (const macro& one : k_macros) names.push_back(lower(std::string(one.name)));
  const std::string meant = nearest(lower(name), names);
  text.fail(quoted(lower(name)) + " is unknown: " +
            (meant.empty() ? "give @hourly, @daily, @weekly, @monthly, @yearly or @every"
                           : "did you mean " + meant + "?"));
}

fields read_fields(source_text text);

void read_macro(source_text text, parsed& into) {
  source_text word = text.take_word();
  std::string name(word.rest());
  std::transform(name.begin(), name.end(), name.begin(), source_text::upper);
  text.skip_blanks();
  if (name == "@EVERY") {
    source_text period = text.take_word();
    into.every = read_period(period);
  } else {
    const auto known = std::find_if(k_macros.begin(), k_macros.end(),
                                    [&](const macro& one) { return one.name == name; });
    if (known == k_macros.end()) fail_macro(word, name);
    into.calendar = read_fields(source_text(known->meaning));
  }
  text.skip_blanks();
  if (!text.done()) text.fail("nothing may follow here: drop it");
}

[[noreturn]] void fail_count(const source_text& text, const std::vector<source_text>& words) {
  const std::string wanted =
      "give 5 fields (minute, hour, day of the month, month, day of the week), or 6 with seconds "
      "first";
  if (words.size() > 6) {
    text.fail(words[6].at(), "a seventh field has no meaning: " + wanted);
  }
  text.fail(text.end(), words.empty() ? "the expression is empty: " + wanted
                                      : std::to_string(words.size()) +
                                            (words.size() == 1 ? " field is" : " fields are") +
                                            " too few: " + wanted);
}

void refuse_never(const fields& found, const source_text& of_month, const source_text& of_week) {
  if (day_table(found.of_month, found.of_week).ever(found.months)) return;
  const source_text& culprit = found.of_month.star ? of_week : of_month;
  culprit.fail(
      "this never occurs, as no month of the expression has such a day: change day or "
      "month");
}

fields read_fields(source_text text) {
  std::vector<source_text> words;
  const source_text all = text;
  for (text.skip_blanks(); !text.done() && words.size() < k_most_words; text.skip_blanks()) {
    words.push_back(text.take_word());
  }
  if (words.size() != 5 && words.size() != 6) fail_count(all, words);
  const auto& kinds = field_kinds();
  fields found;
  auto word = words.begin();
  if (words.size() == 6) found.seconds = read_values(*word++, kinds[0]);
  found.minutes = read_values(*word++, kinds[1]);
  found.wildcard_hours = word->peek() == '*';
  found.hours = read_values(*word++, kinds[2]);
  found.wildcard_hours = found.wildcard_hours || found.hours == k_all_hours;
  const source_text of_month = *word++;
  found.of_month = read_month_days(of_month);
  found.months = read_values(*word++, kinds[4]);
  found.of_week = read_week_days(*word);
  refuse_never(found, of_month, *word);
  return found;
}

}  // namespace

parsed parse(std::string_view expression) {
  source_text text(expression);
  if (expression.size() > k_longest) {
    text.fail(k_longest, "an expression has at most " + std::to_string(k_longest) + " bytes");
  }
  parsed found;
  text.skip_blanks();
  read_zone(text, found);
  if (text.peek() == '@') {
    read_macro(text, found);
  } else {
    found.calendar = read_fields(text);
  }
  return found;
}

}  // namespace weir::cron_room
