#include "process/cron_snapshot.hpp"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <tuple>
#include <vector>

#include "process/time_text.hpp"

namespace weir::process {
namespace {

using json = nlohmann::ordered_json;
using stage = cron_snapshot::stage;
using std::chrono::nanoseconds;
using wall_point = std::chrono::system_clock::time_point;

std::string count_text(std::uint64_t count, const char* one, const char* more) {
  return std::to_string(count) + (count == 1 ? one : more);
}

bool is_idle(const cron_view::line& one) { return one.running == 0 && !one.waiting; }

// In the order of the crontab again, whichever are shown.
std::vector<cron_view::line> shown_lines(const cron_view& seen) {
  std::vector<cron_view::line> lines = seen.lines;
  const auto by_interest = [](const cron_view::line& left, const cron_view::line& right) {
    const auto rank = [](const cron_view::line& one) {
      return std::tuple(is_idle(one), one.next.value_or(wall_point::max()), one.number);
    };
    return rank(left) < rank(right);
  };
  if (lines.size() > cron_snapshot::k_most_lines) {
    std::sort(lines.begin(), lines.end(), by_interest);
    lines.resize(cron_snapshot::k_most_lines);
  }
  std::sort(lines.begin(), lines.end(),
            [](const auto& left, const auto& right) { return left.number < right.number; });
  return lines;
}

std::uint64_t skipped_in_all(const cron_view& seen) {
  std::uint64_t sum = 0;
  for (const cron_view::line& one : seen.lines) sum += one.skipped;
  return sum;
}

const char* stage_text(stage how) {
  switch (how) {
    case stage::reading:
      return "reading the crontab, ";
    case stage::going:
      return "";
    case stage::stopping:
      return "stopping, ";
    case stage::ending:
      return "ending what runs, ";
  }
  return "";
}

std::string head_line(const cron_snapshot& of) {
  const cron_view& seen = of.seen;
  const auto waiting = std::count_if(seen.lines.begin(), seen.lines.end(),
                                     [](const cron_view::line& one) { return one.waiting; });
  std::string text = std::string("weir: ") + stage_text(of.how) + "after " +
                     shown_seconds_text(of.elapsed) + ": " +
                     count_text(seen.lines.size(), " line; ", " lines; ") +
                     std::to_string(seen.running.size()) + " running, " + std::to_string(waiting) +
                     " waiting for a place; " + std::to_string(seen.counts.ended()) + " done";
  const auto add = [&text](std::uint64_t count, const char* what) {
    if (count > 0) text += ", " + std::to_string(count) + what;
  };
  add(seen.counts.failed, " failed");
  add(seen.counts.timed_out, " timed out");
  add(seen.counts.cancelled, " cancelled");
  add(skipped_in_all(seen), " not started");
  return text + "\n";
}

std::string running_line(const cron_view::run& one) {
  return "weir:   run " + std::to_string(one.number) + " (line " + std::to_string(one.line) +
         (one.retired ? ", no longer in the crontab" : "") + ") runs for " +
         shown_seconds_text(one.elapsed) + ": " + one.command + "\n";
}

std::string table_line(const cron_view::line& one, wall_point now) {
  std::string text = "weir:   line " + std::to_string(one.number) + ": ";
  text += one.next
              ? "next at " + utc_text(*one.next) + ", in " + shown_seconds_text(*one.next - now)
              : "no next time";
  text += "; " + count_text(one.runs, " run", " runs") + ", " + std::to_string(one.failures) +
          " failed, " + std::to_string(one.skipped) + " skipped";
  if (one.running > 0) text += ", " + std::to_string(one.running) + " running";
  if (one.waiting) text += ", waits for a place";
  if (one.owed > 0) text += ", owes " + std::to_string(one.owed);
  return text + ": " + one.command + "\n";
}

const char* stage_name(stage how) {
  switch (how) {
    case stage::reading:
      return "reading";
    case stage::going:
      return "going";
    case stage::stopping:
      return "stopping";
    case stage::ending:
      return "ending";
  }
  return "";
}

json to_json(const cron_view::line& one, wall_point now) {
  return {{"line", one.number},
          {"command", one.command},
          {"next", one.next ? json(utc_text(*one.next)) : json(nullptr)},
          {"due_in", one.next ? json(shown_seconds(*one.next - now)) : json(nullptr)},
          {"running", one.running},
          {"waiting", one.waiting},
          {"owed", one.owed},
          {"runs", one.runs},
          {"failures", one.failures},
          {"skipped", one.skipped}};
}

json to_json(const cron_view::run& one) {
  return {{"seq", one.number},
          {"line", one.line},
          {"command", one.command},
          {"retired", one.retired},
          {"seconds", shown_seconds(one.elapsed)}};
}

}  // namespace

std::string snapshot_text(const cron_snapshot& of) {
  std::string text = head_line(of);
  for (const cron_view::run& one : of.seen.running) text += running_line(one);
  const auto lines = shown_lines(of.seen);
  for (const cron_view::line& one : lines) text += table_line(one, of.seen.now);
  if (lines.size() < of.seen.lines.size()) {
    text += "weir:   and " + std::to_string(of.seen.lines.size() - lines.size()) + " more lines\n";
  }
  return text;
}

std::string snapshot_json(const cron_snapshot& of) {
  const cron_view& seen = of.seen;
  json running = json::array();
  for (const cron_view::run& one : seen.running) running.push_back(to_json(one));
  json lines = json::array();
  for (const cron_view::line& one : shown_lines(seen)) lines.push_back(to_json(one, seen.now));
  const std::size_t further = seen.lines.size() - lines.size();
  const json document{{"snapshot",
                       {{"stage", stage_name(of.how)},
                        {"time", utc_text(seen.now)},
                        {"seconds", shown_seconds(of.elapsed)},
                        {"succeeded", seen.counts.succeeded},
                        {"failed", seen.counts.failed},
                        {"timed_out", seen.counts.timed_out},
                        {"cancelled", seen.counts.cancelled},
                        {"never_started", seen.counts.never_started},
                        {"skipped", skipped_in_all(seen)},
                        {"running", std::move(running)},
                        {"lines", std::move(lines)},
                        {"further_lines", further}}}};
  return document.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace weir::process
