#include "cli/run_flags.hpp"

#include <array>
#include <string>

#include "cli/flag_values.hpp"
#include "process/byte_size.hpp"
#include "process/errors.hpp"
#include "weir/thread_pool.hpp"

namespace weir::cli {
namespace {

using process::usage_error;

std::size_t byte_size(const char* name, const std::string& text) {
  const auto value = process::parse_byte_size(text);
  if (!value || *value == 0) {
    throw usage_error(std::string(name) + " '" + text +
                      "': give a size such as 64K, 10M, 1G, or plain bytes, at least 1");
  }
  return *value;
}

void set_progress(request& into, const std::string& text) {
  using bar = process::run_options::progress_bar;
  if (text == "auto") {
    into.run.progress = bar::automatic;
  } else if (text == "always") {
    into.run.progress = bar::always;
  } else if (text == "never") {
    into.run.progress = bar::never;
  } else {
    throw usage_error("--progress '" + text + "': give auto, always or never");
  }
}

void set_halt(request& into, const std::string& text) {
  const auto rule = process::parse_halt_rule(text);
  if (!rule) {
    throw usage_error("--halt '" + text +
                      "': give never, soon or now, and after the last two a limit if you like, "
                      "as in soon,fail=3 or now,fail=10%");
  }
  into.run.halt = *rule;
}

constexpr std::size_t k_most_jobs = thread_pool::max_workers;
constexpr std::size_t k_most_capacity = 1'000'000'000;

// Ordered as a reader meets them: how many, when to give up, what to show, what to keep.
constexpr std::array k_flags{
    flag{'j', "jobs", "N",
         "Run N commands at a time. Default: the processors that this process may use, by affinity "
         "and by the container's quota.",
         [](request& r, const std::string& v) {
           r.run.jobs = whole_number<std::size_t>("-j", v, 1, k_most_jobs);
         }},
    flag{0, "capacity", "N",
         "Read at most N commands ahead of --jobs. They wait for a worker, for their key or for "
         "a retry. Default: twice --jobs.",
         [](request& r, const std::string& v) {
           r.run.capacity = whole_number<std::size_t>("--capacity", v, 1, k_most_capacity);
         }},
    flag{0, "max-bytes", "SIZE",
         "Read no further while the commands that were read and have not ended, with their values, "
         "have more than SIZE bytes together. Sizes are 64K, 10M, 1G or plain bytes. A command "
         "that alone has more fails. Default: no limit.",
         [](request& r, const std::string& v) { r.run.max_bytes = byte_size("--max-bytes", v); }},
    flag{0, "key", "REGEX",
         "Run commands with the same key one after the other, in the order of the input. The key "
         "is what the first group of REGEX (RE2 syntax) matches in the command, or all of the "
         "match where there is no group; commands without a match have none.",
         [](request& r, const std::string& v) { r.run.key = not_empty("--key", v); }},
    flag{
        0, "timeout", "TIME",
        "End a command that runs longer: SIGTERM to its process group, SIGKILL after --kill-after. "
        "Times are 500ms, 2s, 1.5m, 1h or plain seconds. Default: no limit.",
        [](request& r, const std::string& v) { r.run.timeout = time_length("--timeout", v); }},
    flag{0, "kill-after", "TIME",
         "How long a command that is being ended has between SIGTERM and SIGKILL. Default: 10s.",
         [](request& r, const std::string& v) {
           r.run.kill_after = time_length("--kill-after", v);
         }},
    flag{0, "retries", "N",
         "Try a command that failed or timed out up to N times more. Its last attempt is the one "
         "that "
         "is shown and logged. Default: 0.",
         [](request& r, const std::string& v) {
           r.run.retries = whole_number<unsigned>("--retries", v, 0, 1'000'000);
         }},
    flag{0, "backoff", "TIME",
         "Wait TIME before the first retry and twice as long before each further one, at most an "
         "hour. Default: 1s.",
         [](request& r, const std::string& v) { r.run.backoff = time_length("--backoff", v); }},
    flag{0, "delay", "TIME", "Leave at least TIME between the starts of commands.",
         [](request& r, const std::string& v) { r.run.delay = time_length("--delay", v); }},
    flag{0, "halt", "WHEN[,fail=N|N%]",
         "What failures do to the rest: never (default): nothing. soon: after N failures (default "
         "1) "
         "start no more. now: end those that run, too. N% is a share of the commands that have "
         "ended, "
         "looked at from the third on.",
         set_halt, completes::words, "never soon now soon,fail= now,fail="},
    flag{'k', "keep-order", "",
         "Show output in the order of the input, not in the order in which commands end.",
         [](request& r, const std::string&) { r.run.keep_order = true; }},
    flag{0, "tag", "",
         "Put the value, or the command where there is no value, and a tab before each line of its "
         "output.",
         [](request& r, const std::string&) { r.run.tag = true; }},
    flag{0, "json", "",
         "Write one JSON object for each command that has ended, in place of its output. Output "
         "that is "
         "not UTF-8 is in stdout_base64 and stderr_base64.",
         [](request& r, const std::string&) { r.run.json = true; }},
    flag{'q', "quiet", "",
         "Say nothing about failed commands and show no summary; the exit code still tells.",
         [](request& r, const std::string&) { r.run.quiet = true; }},
    flag{0, "progress", "auto|always|never",
         "Show a bar on standard error with rate, running and failed commands and the time left. "
         "Default: auto, which is on a terminal only.",
         set_progress, completes::words, "auto always never"},
    flag{0, "dry-run", "", "Show the commands in place of running them.",
         [](request& r, const std::string&) { r.run.dry_run = true; }},
    flag{0, "results", "DIR",
         "Keep everything under DIR/<number>/: command, stdout and stderr, written while the "
         "command "
         "runs, and status.",
         [](request& r, const std::string& v) { r.run.results = not_empty("--results", v); },
         completes::folders},
    flag{0, "joblog", "FILE",
         "Write a line about each command that has ended, in the format of GNU parallel. An old "
         "FILE is "
         "overwritten unless there is --resume.",
         [](request& r, const std::string& v) { r.run.joblog = not_empty("--joblog", v); },
         completes::files},
    flag{0, "resume", "",
         "Skip the commands that succeeded by what the --joblog says, and go on with that log. The "
         "input must be the same.",
         [](request& r, const std::string&) { r.run.resume = true; }},
    flag{0, "trace", "FILE",
         "Write a picture of workers over time: a trace for ui.perfetto.dev or chrome://tracing.",
         [](request& r, const std::string& v) { r.trace = not_empty("--trace", v); },
         completes::files},
    flag{0, "shell", "PATH", "Run commands with this shell, as PATH -c COMMAND. Default: /bin/sh.",
         [](request& r, const std::string& v) { r.run.shell = not_empty("--shell", v); },
         completes::files},
    flag{0, "pipefail", "",
         "A pipeline fails if any part of it fails, not only the last. The shell must know "
         "-o pipefail: bash does.",
         [](request& r, const std::string&) { r.run.pipefail = true; }},
    flag{'h', "help", "", "Show this text.", [](request& r, const std::string&) { r.help = true; }},
};

}  // namespace

std::span<const flag> run_flags() { return k_flags; }

}  // namespace weir::cli
