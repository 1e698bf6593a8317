#include "cli/cron_flags.hpp"

#include <array>
#include <string>

#include "cli/flag_values.hpp"
#include "process/errors.hpp"
#include "weir/thread_pool.hpp"

namespace weir::cli {
namespace {

using process::usage_error;

void set_overlap(request& into, const std::string& text) {
  if (text != "skip" && text != "allow") {
    throw usage_error("--overlap '" + text + "': give skip or allow");
  }
  into.cron.overlap = text == "allow" ? overlap::allow : overlap::never;
}

void set_misfire(request& into, const std::string& text) {
  if (text == "coalesce") {
    into.cron.misfire = catch_up::coalesce;
  } else if (text == "burst") {
    into.cron.misfire = catch_up::burst;
  } else if (text == "skip") {
    into.cron.misfire = catch_up::skip;
  } else {
    throw usage_error("--misfire '" + text + "': give coalesce, burst or skip");
  }
}

constexpr std::size_t k_most_jobs = thread_pool::max_workers;

// Ordered as a reader meets them: what to do at all, how the file is read, what runs when, what is
// shown, how it ends.
constexpr std::array k_flags{
    flag{0, "check", "",
         "Run nothing: say what each line means and when it runs next. The exit code is 2 where a "
         "line is bad.",
         [](request& r, const std::string&) { r.cron.check = true; }},
    flag{0, "once", "",
         "Run every line once, now, one after the other in the order of the file, and exit as weir "
         "run does.",
         [](request& r, const std::string&) { r.cron.once = true; }},
    flag{0, "strict", "", "Run nothing as long as one line is bad.",
         [](request& r, const std::string&) { r.cron.strict = true; }},
    flag{0, "seconds", "", "Schedules have six fields, seconds first.",
         [](request& r, const std::string&) { r.cron.seconds = true; }},
    flag{0, "tz", "ZONE",
         "The time zone of schedules that no CRON_TZ stands above, as Europe/Berlin. Default: that "
         "of TZ or of this machine.",
         [](request& r, const std::string& v) { r.cron.zone = not_empty("--tz", v); }},
    flag{'j', "jobs", "N",
         "Run at most N commands at a time; more wait for a place. Default: 64, or as many as the "
         "limit of file descriptors allows.",
         [](request& r, const std::string& v) {
           r.cron.jobs = whole_number<std::size_t>("-j", v, 1, k_most_jobs);
         }},
    flag{0, "overlap", "skip|allow",
         "What a line does at its time while its last run still goes on. skip (default): nothing; "
         "that is counted and logged. allow: it runs beside it.",
         set_overlap, completes::words, "skip allow"},
    flag{
        0, "misfire", "coalesce|burst|skip",
        "What a line does about times at which the process or the machine slept, or which a "
        "change of the system's clock has jumped over. coalesce (default): one run for all. burst: "
        "a run for each, one after the other. skip: nothing.",
        set_misfire, completes::words, "coalesce burst skip"},
    flag{0, "jitter", "TIME",
         "Start each run up to TIME later, by a random length, so that many machines do not run in "
         "step.",
         [](request& r, const std::string& v) { r.cron.jitter = time_length("--jitter", v); }},
    flag{
        0, "timeout", "TIME",
        "End a command that runs longer: SIGTERM to its process group, SIGKILL after --kill-after. "
        "Times are 500ms, 2s, 1.5m, 1h or plain seconds. Default: no limit.",
        [](request& r, const std::string& v) { r.cron.timeout = time_length("--timeout", v); }},
    flag{0, "kill-after", "TIME",
         "How long a command that is being ended has between SIGTERM and SIGKILL. Default: 10s.",
         [](request& r, const std::string& v) {
           r.cron.kill_after = time_length("--kill-after", v);
         }},
    flag{0, "grace", "TIME",
         "How long commands may go on after the first SIGTERM or SIGINT, before they are ended. "
         "Default: 5s.",
         [](request& r, const std::string& v) { r.cron.grace = time_length("--grace", v); }},
    flag{0, "tag", "",
         "Put line N, where the command stands, and a tab before each line of output.",
         [](request& r, const std::string&) { r.cron.tag = true; }},
    flag{0, "json", "",
         "Write one JSON object a line to standard output for all that happens; those of ended "
         "commands have their output. With --check, one for each line of the crontab.",
         [](request& r, const std::string&) { r.cron.json = true; }},
    flag{'q', "quiet", "", "Say nothing of runs that start or succeed.",
         [](request& r, const std::string&) { r.cron.quiet = true; }},
    flag{'h', "help", "", "Show this text.", [](request& r, const std::string&) { r.help = true; }},
};

}  // namespace

std::span<const flag> cron_flags() { return k_flags; }

}  // namespace weir::cli
