#include <array>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>

#include "cli/command_table.hpp"
#include "cli/run_flags.hpp"
#include "process/errors.hpp"
#include "process/runner.hpp"
#include "weir/trace.hpp"

namespace weir::cli {
namespace {

constexpr std::array<std::string_view, 3> k_usage{
    "[FLAG]... [FILE]",
    "[FLAG]... -- COMMAND... [::: VALUE...]",
    "[FLAG]... -- COMMAND... [:::: FILE]",
};

constexpr std::array<std::string_view, 6> k_details{
    "Runs shell commands, several at a time, on a bounded pool. FILE has one command a line; blank "
    "lines and lines that begin with # are skipped. Without FILE, or with -, commands come from "
    "standard input, which is read no faster than commands are run.",
    "With -- the words up to ::: are a template that is run once for each value: those after :::, "
    "or "
    "the lines of the file after ::::, or those of standard input. Holes in it: {} the value, {.} "
    "without extension, {/} its last path component, {//} its directory, {/.} the last component "
    "without extension, {#} the number of the command; without a hole the value comes last. Values "
    "are quoted for the shell. A template of one word is shell text; of several words, each "
    "reaches the program exactly as it is.",
    "Each command has a process group of its own, /dev/null as its input, and its output is shown "
    "in one piece when it has ended, byte for byte. A command has ended when its shell has; what "
    "it "
    "left in the background is let be.",
    "The first SIGINT (Ctrl-C), SIGTERM or SIGHUP stops reading and starting; running commands "
    "finish. The second ends them as --timeout does.",
    "SIGUSR1 shows on standard error what runs, what waits and what is done, and changes nothing; "
    "with --json as a JSON object in one line.",
    "A failed command is named on standard error, with its number and its line.",
};

constexpr std::array k_examples{
    example{"weir run -j4 jobs.txt", "four at a time, one command a line"},
    example{"find . -name '*.wav' | weir run -k -- flac --silent", "standard input has the values"},
    example{"weir run -- convert {} {.}.png ::: *.jpg", "values on the command line"},
    example{"weir run --joblog log --resume --retries 2 jobs.txt", "go on where a run ended"},
    example{"weir run --key 'host=(\\S+)' jobs.txt", "one at a time for each host"},
    example{"weir run --json jobs.txt | jq .exit", "one object a command"},
};

std::string trace_failure(const std::string& file, int error) {
  return file + ": cannot write the trace: " + std::generic_category().message(error);
}

int run_traced(request& asked) {
  std::ofstream file(asked.trace, std::ios::binary | std::ios::trunc);
  if (!file) {
    throw process::usage_error(trace_failure(asked.trace, errno));
  }
  int code = 0;
  {
    trace_writer writer(file);
    asked.run.observer = &writer;
    code = process::run(asked.run);
  }
  file.close();
  if (!file) {
    throw process::run_error(trace_failure(asked.trace, errno));
  }
  return code;
}

int act(request& asked) {
  if (asked.words.size() > 1) {
    throw process::usage_error("run takes one FILE, '" + asked.words[1] +
                               "' is a second; to run a command on values: weir run -- COMMAND ::: "
                               "VALUE...");
  }
  if (!asked.words.empty()) {
    if (!asked.run.input.command.empty()) {
      throw process::usage_error("'" + asked.words[0] +
                                 "' stands before --; values come after ::: or, from a file, "
                                 "after ::::");
    }
    asked.run.input.file = asked.words[0];
  }
  return asked.trace.empty() || asked.run.dry_run ? process::run(asked.run) : run_traced(asked);
}

}  // namespace

const verb k_run_verb{"run",       "run commands, several at a time",
                      k_usage,     k_details,
                      run_flags(), k_examples,
                      true,        completes::files,
                      "",          act};

}  // namespace weir::cli
