#include <array>
#include <string>

#include "cli/command_table.hpp"
#include "cli/cron_flags.hpp"
#include "process/cron_service.hpp"
#include "process/errors.hpp"

namespace weir::cli {
namespace {

constexpr std::array<std::string_view, 1> k_usage{"[FLAG]... FILE"};

constexpr std::array<std::string_view, 8> k_details{
    "Runs the lines of a crontab when they are due, in the foreground, as the one process of a "
    "container does. FILE is a user's crontab; - reads standard input.",
    "A line is five fields, minute hour day-of-month month day-of-week, as weir next reads them, "
    "and "
    "a command; or @daily and its like, @every 90s, or @reboot, which is once at the start. # "
    "begins "
    "a comment on a line of its own.",
    "NAME = value sets a variable for the lines below, with quotes around the value to keep "
    "blanks. "
    "SHELL names the shell for them, CRON_TZ the time zone of their schedules.",
    "The first % in a command ends it, and the rest is its standard input, in which each % is a "
    "newline; a percent sign is written \\%.",
    "A bad line is shown with its place and the way out, and the others run, unless there is "
    "--strict.",
    "SIGHUP reads FILE again: lines that did not change go on undisturbed, what runs is let run, "
    "and "
    "a file that cannot be read, or with --strict has a bad line, changes nothing.",
    "SIGUSR1 shows on standard error what runs and what each line does next, and changes nothing; "
    "with --json as one JSON object.",
    "The first SIGTERM or SIGINT stops starting; what runs has --grace to end, then it is ended as "
    "--timeout does. The second does not wait.",
};

constexpr std::array k_examples{
    example{"weir cron crontab", "run until SIGTERM"},
    example{"weir cron --check crontab", "what the lines mean, and when they run next"},
    example{"weir cron --once crontab", "try all of them now"},
    example{"weir cron --json crontab | jq 'select(.event == \"end\")'", "one object a run"},
    example{"weir cron --strict --jitter 30s --tz Europe/Berlin crontab", "on many machines"},
    example{"kill -HUP $(pidof weir)", "after the crontab was edited"},
};

int act(request& asked) {
  if (asked.words.size() != 1) {
    throw process::usage_error(
        asked.words.empty() ? "cron takes a crontab, as in weir cron crontab; - is standard input"
                            : "cron takes one FILE, '" + asked.words[1] + "' is a second");
  }
  if (asked.cron.check && asked.cron.once) {
    throw process::usage_error("--check runs nothing and --once runs everything; give one of them");
  }
  asked.cron.file = asked.words[0];
  return process::run_cron(asked.cron);
}

}  // namespace

const verb k_cron_verb{"cron",       "run the lines of a crontab when they are due",
                       k_usage,      k_details,
                       cron_flags(), k_examples,
                       false,        completes::files,
                       "",           act};

}  // namespace weir::cli
