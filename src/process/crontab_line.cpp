#include "process/crontab_line.hpp"

#include "process/excerpt.hpp"
#include "weir/cron.hpp"

namespace weir::process {
namespace {

constexpr std::size_t k_shown = 40;

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_quote(char c) { return c == '"' || c == '\''; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_begin(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; }

std::string quoted(std::string_view text) { return "'" + excerpt(text, k_shown) + "'"; }

std::size_t skip_word(std::string_view line, std::size_t from) {
  while (from < line.size() && !is_blank(line[from])) {
    ++from;
  }
  return from;
}

void check_name(std::string_view name, std::size_t place) {
  if (name.empty()) {
    throw line_error{place,
                     "the name of a variable is missing before '='; write NAME = value, and "
                     "# before what is a comment"};
  }
  bool sound = is_name_begin(name.front());
  for (const char c : name) {
    sound = sound && (is_name_begin(c) || is_digit(c));
  }
  if (!sound) {
    throw line_error{place, quoted(name) +
                                " cannot be the name of a variable: letters, digits and "
                                "_ make one, and a digit is not the first"};
  }
}

// From an opening quote; returns what is between it and the closing one, after which `at` is.
std::string take_quoted(std::string_view line, std::size_t& at, const char* what) {
  const std::size_t begin = at;
  const auto end = line.find(line[begin], begin + 1);
  if (end == std::string_view::npos) {
    throw line_error{begin, std::string("the quote before the ") + what +
                                " is not closed; put the same one behind it, or the other kind "
                                "around it all"};
  }
  at = end + 1;
  return std::string(line.substr(begin + 1, end - begin - 1));
}

std::string take_value(std::string_view line, std::size_t at) {
  if (at < line.size() && is_quote(line[at])) {
    std::string value = take_quoted(line, at, "value");
    const std::size_t rest = skip_blanks(line, at);
    if (rest != line.size()) {
      throw line_error{rest,
                       "something stands behind the closing quote: " + quoted(line.substr(rest)) +
                           "; a value is quoted as a whole, and a comment has a line of its "
                           "own"};
    }
    return value;
  }
  std::size_t end = line.size();
  while (end > at && is_blank(line[end - 1])) {
    --end;
  }
  return std::string(line.substr(at, end - at));
}

// Whether a word, the first of a command, is rather the sixth field of a schedule. No program is
// called `*` or `MON-FRI`.
bool looks_like_a_field(std::string_view word) {
  if (word.find_first_not_of("0123456789*?/,-#ABCDEFGHIJKLMNOPQRSTUVWXYZ") !=
      std::string_view::npos) {
    return false;
  }
  try {
    const cron sound("* * * * " + std::string(word));
    return true;
  } catch (const cron_error&) {
    return false;
  }
}

std::size_t take_fields(std::string_view line, std::size_t at, bool seconds) {
  const unsigned wanted = seconds ? 6 : 5;
  std::size_t end = at;
  for (unsigned count = 0; count < wanted; ++count) {
    at = skip_blanks(line, at);
    if (at == line.size()) {
      throw line_error{at, "a schedule has " + std::to_string(wanted) + " fields, " +
                               (seconds ? "second " : "") +
                               "minute hour day-of-month month day-of-week, and here are " +
                               std::to_string(count) + "; behind them stands the command, as in " +
                               (seconds ? "0 " : "") + "30 2 * * * ./backup"};
    }
    at = end = skip_word(line, at);
  }
  return end;
}

std::size_t take_nickname(std::string_view line, std::size_t begin) {
  constexpr std::string_view k_every = "@every";
  std::size_t end = skip_word(line, begin);
  std::string name(line.substr(begin, end - begin));
  for (char& c : name) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  if (name == k_every) {
    const std::size_t length = skip_blanks(line, end);
    if (length == line.size()) {
      throw line_error{length,
                       "@every needs a length of time and a command, as in @every 90s "
                       "./poll"};
    }
    end = skip_word(line, length);
  }
  return end;
}

}  // namespace

std::size_t skip_blanks(std::string_view line, std::size_t from) {
  while (from < line.size() && is_blank(line[from])) {
    ++from;
  }
  return from;
}

std::optional<setting_parts> read_setting(std::string_view line) {
  const std::size_t begin = skip_blanks(line, 0);
  std::size_t at = begin;
  setting_parts parts;
  const bool name_quoted = at < line.size() && is_quote(line[at]);
  if (name_quoted) {
    parts.name = take_quoted(line, at, "name");
  } else {
    while (at < line.size() && !is_blank(line[at]) && line[at] != '=') {
      ++at;
    }
    parts.name = line.substr(begin, at - begin);
  }
  at = skip_blanks(line, at);
  if (at == line.size() || line[at] != '=') {
    if (name_quoted) {
      throw line_error{at, "'=' is missing behind the name; write NAME = value"};
    }
    return std::nullopt;
  }
  check_name(parts.name, name_quoted ? begin + 1 : begin);
  parts.value_place = skip_blanks(line, at + 1);
  parts.value = take_value(line, parts.value_place);
  return parts;
}

schedule_parts read_schedule(std::string_view line, bool seconds) {
  schedule_parts parts;
  parts.begin = skip_blanks(line, 0);
  const bool nickname = line[parts.begin] == '@';
  parts.end = nickname ? take_nickname(line, parts.begin) : take_fields(line, parts.begin, seconds);
  parts.command = skip_blanks(line, parts.end);
  if (parts.command == line.size()) {
    throw line_error{
        line.size(),
        std::string("the command is missing behind the schedule; to run nothing, put "
                    "# before the line") +
            (seconds && !nickname ? ", and mind that --seconds wants six fields" : "")};
  }
  const std::string_view word =
      line.substr(parts.command, skip_word(line, parts.command) - parts.command);
  if (!nickname && !seconds && looks_like_a_field(word)) {
    throw line_error{parts.command, "the command would begin with " + quoted(word) +
                                        ", which looks like a sixth field; for schedules with "
                                        "seconds give --seconds"};
  }
  return parts;
}

}  // namespace weir::process
