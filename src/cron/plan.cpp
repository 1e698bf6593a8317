#include "cron/plan.hpp"

#include "base/nearest.hpp"
#include "cron/parser.hpp"
#include "cron/source_text.hpp"
#include "cron/zones.hpp"

namespace weir::cron_room {
namespace {

std::string unknown_zone(std::string_view name) {
  const std::vector<std::string> known = zone_names();
  if (known.empty()) return "this system has no time zones: install its package tzdata";
  const std::string meant = nearest(name, known);
  return "no time zone is called " + quoted(name) +
         (meant.empty() ? ": give a name such as Europe/Berlin or UTC"
                        : ": did you mean " + meant + "?");
}

std::shared_ptr<const zone_table> zone_of(std::string_view expression, const parsed& read,
                                          std::string_view zone) {
  const std::string_view name = read.zone.empty() ? zone : std::string_view(read.zone);
  if (auto found = find_zone(name)) return found;
  if (read.zone.empty()) throw cron_error(zone, 1, unknown_zone(name));
  throw cron_error(expression, read.zone_at + 1, unknown_zone(name));
}

}  // namespace

std::optional<utc_second> period_grid::first(utc_second from) const noexcept {
  utc_second found = from / period * period;
  if (found < from) found += period;
  return found <= k_last_instant ? std::optional(found) : std::nullopt;
}

std::optional<utc_second> period_grid::last(utc_second upto) const noexcept {
  utc_second found = upto / period * period;
  if (found > upto) found -= period;
  return found >= k_first_instant ? std::optional(found) : std::nullopt;
}

std::shared_ptr<const plan> make_plan(std::string_view expression, std::string_view zone,
                                      const cron_options& options) {
  const parsed read = parse(expression);
  auto table = zone_of(expression, read, zone);
  const bool wildcard = !read.calendar || read.calendar->wildcard_hours;
  const cron_gap gap = options.gap.value_or(wildcard ? cron_gap::skip : cron_gap::shift);
  const cron_fold fold = options.fold.value_or(wildcard ? cron_fold::both : cron_fold::first);
  std::variant<occurrences, period_grid> times = period_grid{read.every.count()};
  if (read.calendar) times = occurrences(*read.calendar, table, gap, fold);
  return std::make_shared<const plan>(plan{std::string(expression), std::string(zone), options,
                                           std::move(table), gap, fold, std::move(times)});
}

}  // namespace weir::cron_room
