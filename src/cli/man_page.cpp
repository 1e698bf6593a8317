#include <string>
#include <string_view>

#include "cli/generated_text.hpp"
#include "weir/version.hpp"

namespace weir::cli {
namespace {

// Text for roff: no line may begin as a request, no dash become a hyphen, no backslash an escape.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (out.empty() && (c == '.' || c == '\'')) {
      out += std::string("\\&") + c;
    } else {
      out.push_back(c);
    }
  }
  return out;
}

std::string bold(std::string_view text) { return "\\fB" + plain(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + plain(text) + "\\fR"; }

std::string flag_entry(const flag& one) {
  std::string text = ".TP\n";
  if (one.letter != 0) {
    text += bold(std::string("-") + one.letter) + ", ";
  }
  text += bold("--" + std::string(one.name));
  if (!one.value.empty()) {
    text += " " + italic(one.value);
  }
  return text + "\n" + plain(one.help) + "\n";
}

std::string verb_section(const verb& one) {
  std::string text = ".SH WEIR " + plain(one.name) + "\n";
  for (const std::string_view paragraph : one.details) {
    text += ".PP\n" + plain(paragraph) + "\n";
  }
  for (const flag& each : one.flags) {
    text += flag_entry(each);
  }
  return text;
}

}  // namespace

std::string man_page() {
  std::string text = ".TH WEIR 1 \"\" \"weir " WEIR_VERSION_STRING "\" \"User Commands\"\n";
  text += ".SH NAME\nweir \\- run commands, several at a time, with a bound\n.SH SYNOPSIS\n";
  for (const verb& one : verbs()) {
    for (const std::string_view form : one.usage) {
      text += bold("weir " + std::string(one.name)) + " " + plain(form) + "\n.br\n";
    }
  }
  text += bold("weir --version") + "\n";
  for (const verb& one : verbs()) {
    text += verb_section(one);
  }
  text += ".SH EXIT STATUS\n";
  for (const exit_meaning& one : exit_meanings()) {
    text += ".TP\n" + bold(one.code) + "\n" + plain(one.meaning) + "\n";
  }
  text += ".SH EXAMPLES\n";
  for (const verb& one : verbs()) {
    for (const example& each : one.examples) {
      text += ".TP\n" + bold(each.command) + "\n" + plain(each.what) + "\n";
    }
  }
  return text + ".SH SEE ALSO\n.BR sh (1),\n.BR xargs (1),\n.BR parallel (1)\n";
}

}  // namespace weir::cli
