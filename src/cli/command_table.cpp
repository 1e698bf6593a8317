#include "cli/command_table.hpp"

#include <array>

namespace weir::cli {
namespace {

constexpr std::array k_exit_meanings{
    exit_meaning{"0", "all commands succeeded"},
    exit_meaning{"1", "some commands failed, or weir could not write or read what it had to"},
    exit_meaning{"2", "the command line or the input is wrong; nothing was lost"},
    exit_meaning{"124", "some commands timed out, and no other failed"},
    exit_meaning{"129", "stopped by SIGHUP"},
    exit_meaning{"130", "stopped by SIGINT, as from Ctrl-C"},
    exit_meaning{"143", "stopped by SIGTERM"},
};

}  // namespace

std::span<const verb> verbs() {
  static const std::array all{k_run_verb, k_cron_verb, k_next_verb, k_help_verb};
  return all;
}

std::span<const exit_meaning> exit_meanings() { return k_exit_meanings; }

const verb* find_verb(std::string_view name) {
  for (const verb& one : verbs()) {
    if (one.name == name) {
      return &one;
    }
  }
  return nullptr;
}

}  // namespace weir::cli
