#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <string>
#include <string_view>
#include <system_error>

#include "cli/generated_text.hpp"
#include "process/errors.hpp"
#include "weir/version.hpp"

namespace weir::cli {
namespace {

constexpr std::size_t k_width = 79;
constexpr std::size_t k_flag_column = 28;
constexpr std::size_t k_code_column = 6;

// Fills lines of words up to the width; the first line begins where the caller's text ends.
std::string fill(std::string_view text, std::size_t indent, std::size_t column) {
  std::string out;
  while (!text.empty()) {
    const auto blank = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, blank);
    text.remove_prefix(std::min(blank + 1, text.size()));
    if (column > indent && column + 1 + word.size() > k_width) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  return out + "\n";
}

std::string entry(const std::string& left, std::string_view text, std::size_t column) {
  std::string out = left;
  if (left.size() + 2 > column) {
    out += "\n" + std::string(column, ' ');
  } else {
    out += std::string(column - left.size(), ' ');
  }
  return out + fill(text, column, column);
}

std::string flag_names(const flag& one) {
  std::string text = one.letter == 0 ? "      " : std::string("  -") + one.letter + ", ";
  text += "--" + std::string(one.name);
  if (!one.value.empty()) {
    text += " " + std::string(one.value);
  }
  return text;
}

}  // namespace

std::string overview_text() {
  std::string text = "weir " WEIR_VERSION_STRING ": runs work with a bound on what it accepts\n\n";
  for (const verb& one : verbs()) {
    text += entry("  weir " + std::string(one.name), one.summary, 18);
  }
  text += "\nweir VERB --help shows all about a verb; weir --version shows the version.\n";
  return text;
}

std::string help_text(const verb& about) {
  std::string text;
  for (const std::string_view form : about.usage) {
    text += (text.empty() ? "Usage: weir " : "       weir ") + std::string(about.name) + " " +
            std::string(form) + "\n";
  }
  for (const std::string_view paragraph : about.details) {
    text += "\n" + fill(paragraph, 0, 0);
  }
  text += "\nFlags:\n";
  for (const flag& one : about.flags) {
    text += entry(flag_names(one), one.help, k_flag_column);
  }
  if (about.takes_template) {
    text += "\nExit codes:\n";
    for (const exit_meaning& one : exit_meanings()) {
      text += entry("  " + std::string(one.code), one.meaning, k_code_column + 2);
    }
  }
  if (!about.examples.empty()) {
    text += "\nExamples:\n";
  }
  for (const example& one : about.examples) {
    text += "  " + std::string(one.command) + "\n      " + std::string(one.what) + "\n";
  }
  return text;
}

void print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw process::run_error("standard output: " + std::generic_category().message(errno));
  }
}

}  // namespace weir::cli
