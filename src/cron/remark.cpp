#include "cron/civil_text.hpp"
#include "cron/plan.hpp"

namespace weir::cron_room {
namespace {

// Said beside an occurrence, whose day needs no date.
std::string missing_text(local_second first, local_second last, local_second now) {
  const bool other_day = date_text(first) != date_text(now);
  std::string text = time_text(first);
  if (last != first) {
    text += " to " + time_text(last) + " do not exist";
  } else {
    text += " does not exist";
  }
  return text + (other_day ? " on " + date_text(first) : " on this day");
}

}  // namespace

std::string remark(const plan& of, utc_second occurrence) {
  const auto* times = std::get_if<occurrences>(&of.times);
  if (times == nullptr) return {};
  const zone_span& span = of.zone->spans()[of.zone->at(occurrence)];
  const local_second now = span.local(occurrence);
  if (const auto skipped = times->shifted_to(occurrence)) {
    return missing_text(skipped->first, skipped->second, now) + ": runs at " + time_text(now);
  }
  const auto pass = times->pass(occurrence);
  if (!pass) return {};
  return time_text(now) +
         " happens twice: " + (*pass == cron_fold::first ? "the first time" : "the second time");
}

std::string left_out(const plan& of, utc_second after, utc_second upto) {
  const auto* times = std::get_if<occurrences>(&of.times);
  if (times == nullptr) return {};
  const auto found = times->left_out(after, upto);
  if (!found) return {};
  const zone_span& span = of.zone->spans()[of.zone->at(upto)];
  std::string text = missing_text(found->first, found->last, span.local(upto)) + ": left out";
  if (found->further > 0) {
    text += ", as at " + std::to_string(found->further) +
            (found->further == 1 ? " later change of clocks" : " later changes of clocks");
  }
  return text;
}

}  // namespace weir::cron_room
