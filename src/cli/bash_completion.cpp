#include <string>
#include <string_view>

#include "cli/generated_text.hpp"

namespace weir::cli {
namespace {

std::string compgen(completes kind, std::string_view words) {
  switch (kind) {
    case completes::files:
      return "-f";
    case completes::folders:
      return "-d";
    case completes::words:
      return "-W '" + std::string(words) + "'";
    case completes::nothing:
      break;
  }
  return {};
}

std::string all_flags(const verb& one) {
  std::string text;
  for (const flag& each : one.flags) {
    text += (text.empty() ? "--" : " --") + std::string(each.name);
  }
  return text;
}

std::string value_cases(const verb& one) {
  std::string text;
  for (const flag& each : one.flags) {
    if (each.value.empty()) {
      continue;
    }
    std::string pattern = std::string(one.name) + ":--" + std::string(each.name);
    if (each.letter != 0) {
      pattern += "|" + std::string(one.name) + ":-" + each.letter;
    }
    const std::string how = compgen(each.kind, each.words);
    text += "    " + pattern + ") ";
    text +=
        how.empty() ? "return ;;\n" : "COMPREPLY=($(compgen " + how + " -- \"$cur\")); return ;;\n";
  }
  return text;
}

std::string verb_case(const verb& one) {
  std::string text = "    " + std::string(one.name) + ")\n";
  text += "      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W '" + all_flags(one) +
          "' -- \"$cur\"))\n";
  text += "      else COMPREPLY=($(compgen " + compgen(one.words_kind, one.words) +
          " -- \"$cur\")); fi ;;\n";
  return text;
}

}  // namespace

std::string bash_completion() {
  std::string names;
  std::string values;
  std::string cases;
  for (const verb& one : verbs()) {
    names += std::string(one.name) + " ";
    values += value_cases(one);
    cases += verb_case(one);
  }
  return "_weir() {\n"
         "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
         "  local verb=${COMP_WORDS[1]}\n"
         "  if ((COMP_CWORD == 1)); then\n"
         "    COMPREPLY=($(compgen -W '" +
         names +
         "--help --version' -- \"$cur\")); return\n"
         "  fi\n"
         "  case $verb:$prev in\n" +
         values + "  esac\n  case $verb in\n" + cases +
         "  esac\n"
         "}\n"
         "complete -o filenames -F _weir weir\n";
}

}  // namespace weir::cli
