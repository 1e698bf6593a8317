#include "cli/arguments.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "base/nearest.hpp"
#include "process/errors.hpp"

namespace weir::cli {
namespace {

using process::usage_error;
using words = std::vector<std::string>;

bool is_separator(const std::string& word) { return word == ":::" || word == "::::"; }

// The flag that `word` is, if its value is the next word.
bool takes_next_word(const verb& of, const std::string& word) {
  for (const flag& one : of.flags) {
    if (one.value.empty()) {
      continue;
    }
    if (word == "--" + std::string(one.name) ||
        (one.letter != 0 && word == std::string("-") + one.letter)) {
      return true;
    }
  }
  return false;
}

// Where the template begins: after a -- that follows flags only; or, if there is a :::, at the
// first word that is neither a flag nor the value of one, whatever comes later.
words::iterator find_template(const verb& of, words& all) {
  auto at = all.begin();
  while (at != all.end() && *at != "--" && at->starts_with('-') && *at != "-") {
    at += takes_next_word(of, *at) && at + 1 != all.end() ? 2 : 1;
  }
  const bool has_separator = std::any_of(at, all.end(), is_separator);
  return has_separator ? at : std::find(at, all.end(), "--");
}

void read_template(words::iterator begin, words::iterator end, process::input_description& input) {
  const auto separator = std::find_if(begin, end, is_separator);
  input.command.assign(begin, separator);
  if (input.command.empty()) {
    throw usage_error("there is no command before " + (separator == end ? "the end" : *separator) +
                      "; as in weir run -- gzip {} ::: a b");
  }
  if (separator == end) {
    return;
  }
  if (const auto second = std::find_if(separator + 1, end, is_separator); second != end) {
    throw usage_error("a second " + *second + ": there is one list of values");
  }
  if (*separator == ":::") {
    input.values.emplace(separator + 1, end);
  } else if (end - separator != 2) {
    throw usage_error(":::: takes one file, with one value a line");
  } else {
    input.file = *(separator + 1);
  }
}

std::string unknown_flag(const verb& of, const std::string& word) {
  std::vector<std::string> names;
  for (const flag& one : of.flags) {
    names.push_back("--" + std::string(one.name));
  }
  const std::string meant = nearest(word.substr(0, word.find('=')), names);
  return "unknown flag '" + word + "'" + (meant.empty() ? "" : ", did you mean " + meant + "?") +
         " (weir " + std::string(of.name) + " --help lists them)";
}

void add_flag(CLI::App& parser, const flag& one, request& into) {
  std::string names = "--" + std::string(one.name);
  if (one.letter != 0) {
    names += std::string(",-") + one.letter;
  }
  if (one.value.empty()) {
    parser.add_flag_callback(names, [&] { one.apply(into, {}); });
    return;
  }
  parser
      .add_option_function<std::string>(names,
                                        [&](const std::string& value) { one.apply(into, value); })
      ->take_last();
}

}  // namespace

request parse_arguments(const verb& of, words arguments) {
  request asked;
  if (of.takes_template) {
    const auto begin = find_template(of, arguments);
    if (begin != arguments.end()) {
      read_template(begin + (*begin == "--" ? 1 : 0), arguments.end(), asked.run.input);
      arguments.erase(begin, arguments.end());
    }
  }
  CLI::App parser;
  parser.set_help_flag();
  parser.allow_extras();
  for (const flag& one : of.flags) {
    add_flag(parser, one, asked);
  }
  std::reverse(arguments.begin(), arguments.end());
  try {
    parser.parse(arguments);
  } catch (const CLI::ParseError& error) {
    throw usage_error(std::string(error.what()) + " (see weir " + std::string(of.name) +
                      " --help)");
  }
  asked.words = parser.remaining();
  for (const std::string& word : asked.words) {
    if (word.size() > 1 && word.front() == '-') {
      throw usage_error(unknown_flag(of, word));
    }
  }
  return asked;
}

}  // namespace weir::cli
