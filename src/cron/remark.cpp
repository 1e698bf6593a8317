#include "cron/civil_text.hpp"
#include "cron/plan.hpp"

namespace weir::cron_room {
namespace {

std::string shifted_text(const std::pair<local_second, local_second>& skipped, local_second now) {
  const bool other_day = date_text(skipped.first) != date_text(now);
  std::string text = time_text(skipped.first);
  if (skipped.second != skipped.first) {
    text += " to " + time_text(skipped.second) + " do not exist";
  } else {
    text += " does not exist";
  }
  return text + (other_day ? " on " + date_text(skipped.first) : " on this day") + ": runs at " +
         time_text(now);
}

}  // namespace

std::string remark(const plan& of, utc_second occurrence) {
  const auto* times = std::get_if<occurrences>(&of.times);
  if (times == nullptr) return {};
  const zone_span& span = of.zone->spans()[of.zone->at(occurrence)];
  const local_second now = span.local(occurrence);
  if (const auto skipped = times->shifted_to(occurrence)) return shifted_text(*skipped, now);
  const auto pass = times->pass(occurrence);
  if (!pass) return {};
  return time_text(now) +
         " happens twice: " + (*pass == cron_fold::first ? "the first time" : "the second time");
}

}  // namespace weir::cron_room
