#include <algorithm>
#include <array>
#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "cli/command_table.hpp"
#include "cli/flag_values.hpp"
#include "cli/generated_text.hpp"
#include "cron/civil_text.hpp"
#include "cron/plan.hpp"
#include "cron/read_instant.hpp"
#include "cron/zones.hpp"
#include "process/errors.hpp"
#include "weir/cron.hpp"

namespace weir::cli {
namespace {

using process::usage_error;

constexpr std::array<std::string_view, 1> k_usage{"[FLAG]... EXPRESSION"};

constexpr std::array<std::string_view, 4> k_details{
    "Shows what a cron expression means and when it occurs next: weekday, local time with its "
    "offset, the same instant in UTC, and a remark where clocks are changed. Put EXPRESSION in "
    "quotes.",
    "Five fields, minute hour day-of-month month day-of-week, or six with seconds first: values, "
    "names (JAN, FRI), lists, ranges (also FRI-MON and 22-2), steps (*/10, 8-18/2), and for days "
    "L, "
    "L-3, 15W, LW, 5L, 5#2 and ?. Where both day fields are restricted either is enough; one that "
    "begins with * is not restricted. @daily and its like, @every 90s, and CRON_TZ=Zone in front.",
    "A local time that does not exist runs at the first instant after the gap, one that exists "
    "twice the first time; where the hours are a wildcard, the expression follows the clock: "
    "nothing "
    "is shifted, and both times count. --gap and --fold change that. What is left out since it "
    "does not exist stands in the remark of the next occurrence.",
    "An expression that is wrong, never occurs or names an unknown zone is shown with a caret "
    "under "
    "the place; the exit code is 2.",
};

template <class Policy>
struct choice {
  std::string_view name;
  Policy policy;
};

template <class Policy, std::size_t Count>
Policy chosen(const char* flag, const std::string& text,
              const std::array<choice<Policy>, Count>& choices) {
  std::string names;
  for (const auto& one : choices) {
    if (one.name == text) {
      return one.policy;
    }
    names += (names.empty() ? "" : ", ") + std::string(one.name);
  }
  throw usage_error(std::string(flag) + " '" + text + "': give one of " + names);
}

constexpr std::array k_gaps{choice<cron_gap>{"shift", cron_gap::shift},
                            choice<cron_gap>{"skip", cron_gap::skip}};
constexpr std::array k_folds{choice<cron_fold>{"first", cron_fold::first},
                             choice<cron_fold>{"second", cron_fold::second},
                             choice<cron_fold>{"both", cron_fold::both}};
constexpr std::array k_outputs{choice<bool>{"text", false}, choice<bool>{"json", true}};

template <class Policy, std::size_t Count>
std::string name_of(Policy policy, const std::array<choice<Policy>, Count>& choices) {
  const auto found = std::find_if(choices.begin(), choices.end(),
                                  [&](const auto& one) { return one.policy == policy; });
  return std::string(found->name);
}

constexpr std::array k_flags{
    flag{0, "tz", "ZONE",
         "The time zone, as Europe/Berlin. Default: that of TZ or of this machine. A zone in the "
         "expression counts first.",
         [](request& r, const std::string& v) { r.next.zone = not_empty("--tz", v); }},
    flag{'n', "count", "N", "Show N occurrences. Default: 5.",
         [](request& r, const std::string& v) {
           r.next.count = whole_number<unsigned>("-n", v, 1, 1'000'000);
         }},
    flag{0, "after", "TIME",
         "Begin after TIME: 2026-03-28T12:00:00Z, 2026-03-28T12:00+01:00, 2026-03-28 12:00 or "
         "2026-03-28 by the clocks of the zone, or @ and seconds since the epoch. Default: now.",
         [](request& r, const std::string& v) { r.next.after = not_empty("--after", v); }},
    flag{0, "gap", "shift|skip",
         "What becomes of local times that do not exist. Default: shift; skip for wildcard hours.",
         [](request& r, const std::string& v) { r.next.policies.gap = chosen("--gap", v, k_gaps); },
         completes::words, "shift skip"},
    flag{0, "fold", "first|second|both",
         "What becomes of local times that exist twice. Default: first; both for wildcard hours.",
         [](request& r, const std::string& v) {
           r.next.policies.fold = chosen("--fold", v, k_folds);
         },
         completes::words, "first second both"},
    flag{'o', "output", "text|json", "How to show it. Default: text; json is one object.",
         [](request& r, const std::string& v) { r.next.json = chosen("-o", v, k_outputs); },
         completes::words, "text json"},
    flag{'h', "help", "", "Show this text.", [](request& r, const std::string&) { r.help = true; }},
};

constexpr std::array k_examples{
    example{"weir next '30 2 * * *' --tz Europe/Berlin -n 400", "a daily job over both changes"},
    example{"weir next '0 0 13 * FRI'", "every 13th and every Friday: either is enough"},
    example{"weir next '0 18 LW * *' --after 2026-12-01", "the last workday of the month"},
    example{"weir next '*/10 * * * *' -o json | jq -r '.next[].utc'", "for another program"},
};

struct occurrence {
  cron_room::local_second local;
  std::string offset;
  std::string utc;
  std::int64_t epoch;
  std::string remark;
};

/// What comes behind the occurrences that are shown.
struct ending {
  bool no_further = false;
  std::string remark;
};

cron_room::utc_second second_of(cron::time_point at) {
  return std::chrono::floor<std::chrono::seconds>(at).time_since_epoch().count();
}

std::string joined(const std::string& first, const std::string& second) {
  return first + (first.empty() || second.empty() ? "" : "; ") + second;
}

template <class Show>
ending show_each(const cron& of, cron::time_point after, unsigned count, Show show) {
  const auto plan = cron_room::make_plan(of.expression(), of.zone(), {of.gap(), of.fold()});
  const cron_room::zone_table& zone = *plan->zone;
  cron_room::utc_second before = second_of(after);
  auto at = of.next(after);
  for (unsigned shown = 0; shown < count; ++shown, at = of.next(*at)) {
    if (!at) return {true, cron_room::left_out(*plan, before, cron_room::k_last_instant)};
    const cron_room::utc_second epoch = second_of(*at);
    const cron_room::zone_span& span = zone.spans()[zone.at(epoch)];
    show(occurrence{span.local(epoch), cron_room::offset_text(span.offset),
                    cron_room::civil_text(epoch) + "Z", epoch,
                    joined(cron_room::left_out(*plan, before, epoch), of.remark(*at))});
    before = epoch;
  }
  return {};
}

std::string text_line(const occurrence& one) {
  return cron_room::weekday_text(one.local) + "  " + cron_room::civil_text(one.local) + one.offset +
         "  " + one.utc + (one.remark.empty() ? "" : "  " + one.remark) + "\n";
}

nlohmann::ordered_json json_entry(const occurrence& one) {
  nlohmann::ordered_json entry{{"local", cron_room::civil_text(one.local) + one.offset},
                               {"utc", one.utc},
                               {"epoch", one.epoch},
                               {"weekday", cron_room::weekday_text(one.local)}};
  if (!one.remark.empty()) {
    entry["remark"] = one.remark;
  }
  return entry;
}

cron::time_point start_of(const next_request& asked, const cron_room::zone_table& zone) {
  if (asked.after.empty()) {
    return std::chrono::system_clock::now();
  }
  const auto found = cron_room::read_instant(asked.after, zone);
  if (!found) {
    throw usage_error("--after '" + asked.after +
                      "': give a time such as 2026-03-28T12:00:00Z, 2026-03-28 12:00, 2026-03-28 "
                      "or @1774699200");
  }
  return cron::time_point(std::chrono::seconds(*found));
}

cron read_expression(const request& asked) {
  if (asked.words.size() != 1) {
    throw usage_error(asked.words.empty()
                          ? "next takes a cron expression, as in weir next '30 2 * * *'"
                          : "next takes one EXPRESSION; put it in quotes, as in weir next '30 2 * "
                            "* *'");
  }
  const std::string zone = asked.next.zone.empty() ? cron_room::local_zone_name() : asked.next.zone;
  try {
    return cron(asked.words[0], zone, asked.next.policies);
  } catch (const cron_error& error) {
    throw usage_error(error.what());
  }
}

std::string text_of(const cron& of, cron::time_point after, unsigned count) {
  std::string text = of.describe() + "\n\n";
  const ending end =
      show_each(of, after, count, [&text](const occurrence& one) { text += text_line(one); });
  if (end.no_further) {
    text += joined("no further occurrence", end.remark) + "\n";
  }
  return text;
}

std::string json_of(const cron& of, cron::time_point after, unsigned count) {
  nlohmann::ordered_json next = nlohmann::ordered_json::array();
  const ending end = show_each(of, after, count,
                               [&next](const occurrence& one) { next.push_back(json_entry(one)); });
  nlohmann::ordered_json whole{{"expression", of.expression()},
                               {"zone", of.zone()},
                               {"meaning", of.describe()},
                               {"gap", name_of(of.gap(), k_gaps)},
                               {"fold", name_of(of.fold(), k_folds)},
                               {"next", std::move(next)}};
  if (!end.remark.empty()) {
    whole["remark"] = end.remark;
  }
  return whole.dump() + "\n";
}

int act(request& asked) {
  const cron of = read_expression(asked);
  const auto zone = cron_room::find_zone(of.zone());
  const cron::time_point after = start_of(asked.next, *zone);
  print(asked.next.json ? json_of(of, after, asked.next.count)
                        : text_of(of, after, asked.next.count));
  return 0;
}

}  // namespace

const verb k_next_verb{"next",  "show what a cron expression means and when it occurs",
                       k_usage, k_details,
                       k_flags, k_examples,
                       false,   completes::nothing,
                       "",      act};

}  // namespace weir::cli
