#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "base/nearest.hpp"
#include "cli/arguments.hpp"
#include "cli/command_table.hpp"
#include "cli/generated_text.hpp"
#include "process/errors.hpp"
#include "process/run_counts.hpp"
#include "weir/version.hpp"

namespace {

using namespace weir;

// A descriptor below 3 that is closed would be given to the next file that is opened, and output
// for the user would go there.
void open_standard_descriptors() {
  int fd = 0;
  do {
    fd = ::open("/dev/null", O_RDWR);
  } while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd >= 0) {
    ::close(fd);
  }
}

std::string unknown_verb(const std::string& word) {
  std::vector<std::string> names;
  for (const cli::verb& one : cli::verbs()) {
    names.emplace_back(one.name);
  }
  const std::string meant = nearest(word, names);
  return "unknown verb '" + word + "'" + (meant.empty() ? "" : ", did you mean " + meant + "?") +
         " (weir help lists them)";
}

int dispatch(std::vector<std::string> arguments) {
  if (arguments.empty()) {
    std::fputs(cli::overview_text().c_str(), stderr);
    return process::k_usage;
  }
  const std::string first = arguments[0];
  if (first == "--version") {
    cli::print("weir " WEIR_VERSION_STRING "\n");
    return 0;
  }
  const cli::verb* found = cli::find_verb(first == "--help" || first == "-h" ? "help" : first);
  if (found == nullptr) {
    throw process::usage_error(unknown_verb(first));
  }
  arguments.erase(arguments.begin());
  cli::request asked = cli::parse_arguments(*found, std::move(arguments));
  if (asked.help) {
    cli::print(cli::help_text(*found));
    return 0;
  }
  return found->act(asked);
}

}  // namespace

int main(int count, char** words) {
  open_standard_descriptors();
  try {
    return dispatch({words + 1, words + count});
  } catch (const process::usage_error& error) {
    std::fprintf(stderr, "weir: %s\n", error.what());
    return process::k_usage;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "weir: %s\n", error.what());
    return process::k_some_failed;
  }
}
