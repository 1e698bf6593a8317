#include <array>
#include <string>

#include "cli/command_table.hpp"
#include "cli/generated_text.hpp"
#include "process/errors.hpp"

namespace weir::cli {
namespace {

constexpr std::array<std::string_view, 1> k_usage{"[VERB|man|bash]"};

constexpr std::array<std::string_view, 2> k_details{
    "Shows what weir can do, or all about one VERB.",
    "weir help man prints the man page, weir help bash the completion for bash: "
    "source <(weir help bash).",
};

constexpr std::array k_flags{
    flag{'h', "help", "", "Show this text.", [](request& r, const std::string&) { r.help = true; }},
};

int act(request& asked) {
  if (asked.words.size() > 1) {
    throw process::usage_error("help takes one word; see weir help");
  }
  if (asked.words.empty()) {
    print(overview_text());
    return 0;
  }
  const std::string& topic = asked.words[0];
  if (topic == "man") {
    print(man_page());
  } else if (topic == "bash") {
    print(bash_completion());
  } else if (const verb* about = find_verb(topic); about != nullptr) {
    print(help_text(*about));
  } else {
    throw process::usage_error("no help on '" + topic + "'; weir help lists the verbs");
  }
  return 0;
}

}  // namespace

const verb k_help_verb{
    "help",           "show what weir can do",       k_usage, k_details, k_flags, {}, false,
    completes::words, "run cron next help man bash", act};

}  // namespace weir::cli
