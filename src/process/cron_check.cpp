#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <system_error>

#include "cron/civil_text.hpp"
#include "cron/zones.hpp"
#include "process/cron_service.hpp"
#include "process/errors.hpp"
#include "process/excerpt.hpp"
#include "process/output_port.hpp"

namespace weir::process {
namespace {

using json = nlohmann::ordered_json;
using wall_point = std::chrono::system_clock::time_point;

constexpr std::size_t k_excerpt = 160;

// "in 3h 12m": the two largest units.
std::string distance(std::chrono::seconds length) {
  struct unit {
    std::int64_t seconds;
    const char* name;
  };
  constexpr unit k_units[] = {{86400, "d"}, {3600, "h"}, {60, "m"}, {1, "s"}};
  std::string text;
  std::int64_t left = length.count();
  int shown = 0;
  for (const unit& one : k_units) {
    const std::int64_t count = left / one.seconds;
    if ((count > 0 || one.seconds == 1) && shown < 2 && (shown > 0 || count > 0 || left == 0)) {
      text += (shown > 0 ? " " : "") + std::to_string(count) + one.name;
    }
    shown += shown > 0 || count > 0 ? 1 : 0;
    left %= one.seconds;
  }
  return text;
}

std::string local_text(const cron& of, wall_point at) {
  const auto epoch = std::chrono::floor<std::chrono::seconds>(at).time_since_epoch().count();
  const auto zone = cron_room::find_zone(of.zone());
  const cron_room::zone_span& span = zone->spans()[zone->at(epoch)];
  const auto local = span.local(epoch);
  return cron_room::weekday_text(local) + " " + cron_room::civil_text(local) +
         cron_room::offset_text(span.offset);
}

std::string next_text(const cron& of, wall_point now) {
  const auto next = of.next(now);
  if (!next) {
    return "never again";
  }
  const std::string remark = of.remark(*next);
  const auto length = std::chrono::ceil<std::chrono::seconds>(*next - now);
  return local_text(of, *next) + ", in " + distance(length) +
         (remark.empty() ? "" : " (" + remark + ")");
}

std::string meaning_of(const crontab_entry& entry) {
  return entry.schedule == nullptr ? "once, when weir cron starts" : entry.schedule->describe();
}

std::string text_of(const std::string& file, const crontab_entry& entry, wall_point now) {
  std::string text = file + ":" + std::to_string(entry.line) + ": " + meaning_of(entry) + "\n";
  if (entry.schedule != nullptr) {
    text += "  next  " + next_text(*entry.schedule, now) + "\n";
  }
  text += "  runs  " + excerpt(entry.command, k_excerpt) + "\n";
  if (!entry.input.empty()) {
    text += "  reads " + excerpt(entry.input, k_excerpt) + "\n";
  }
  return text;
}

std::string json_of(const crontab_entry& entry, wall_point now) {
  json object{{"event", "check"}, {"line", entry.line}, {"schedule", entry.when}};
  object["meaning"] = meaning_of(entry);
  if (entry.schedule != nullptr) {
    object["zone"] = entry.schedule->zone();
    const auto next = entry.schedule->next(now);
    object["next"] =
        next
            ? json(cron_room::civil_text(
                       std::chrono::floor<std::chrono::seconds>(*next).time_since_epoch().count()) +
                   "Z")
            : json(nullptr);
  }
  object["command"] = entry.command;
  return object.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

void report(const cron_service_options& options, const cron_table& table) {
  for (const crontab_problem& one : table.problems) {
    std::fprintf(stderr, "weir: %s\n", describe_problem(options.file, one).c_str());
  }
  if (table.further_problems > 0) {
    std::fprintf(stderr, "weir: %s: and %llu further bad lines\n", options.file.c_str(),
                 static_cast<unsigned long long>(table.further_problems));
  }
}

}  // namespace

int check_cron(const cron_service_options& options) {
  const wake_fd never;
  const spawner starter;
  const cron_table table = make_cron_table(
      read_crontab(read_crontab_file(options.file, never), {options.seconds, zone_of(options)}),
      starter);
  output_port out(STDOUT_FILENO, never);
  const wall_point now = std::chrono::system_clock::now();
  for (const cron_job& job : table.jobs) {
    if (!out.write(options.json ? json_of(job.entry, now)
                                : text_of(options.file, job.entry, now))) {
      throw run_error("standard output: " + std::generic_category().message(out.error()));
    }
  }
  report(options, table);
  return table.sound() ? k_all_succeeded : k_usage;
}

}  // namespace weir::process
