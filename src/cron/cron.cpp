#include "weir/cron.hpp"

#include "cron/plan.hpp"

namespace weir {
namespace {

using cron_room::k_first_instant;
using cron_room::k_last_instant;
using cron_room::utc_second;
using std::chrono::seconds;

cron::time_point instant(utc_second at) { return cron::time_point(seconds(at)); }

std::optional<cron::time_point> instant(std::optional<utc_second> at) {
  return at ? std::optional(instant(*at)) : std::nullopt;
}

utc_second floored(cron::time_point at) {
  return std::chrono::floor<seconds>(at).time_since_epoch().count();
}

utc_second ceiled(cron::time_point at) {
  const utc_second below = floored(at);
  // Not by chrono's ceil, whose comparison would overflow in the last second of time.
  return at.time_since_epoch() % seconds(1) == at.time_since_epoch().zero() ? below : below + 1;
}

}  // namespace

cron::cron(std::string_view expression, std::string_view zone, cron_options options)
    : plan_(cron_room::make_plan(expression, zone, options)) {}

std::optional<cron::time_point> cron::next(time_point after) const {
  const utc_second from = floored(after) + 1;
  return instant(std::visit([&](const auto& times) { return times.first(from); }, plan_->times));
}

std::optional<cron::time_point> cron::prev(time_point before) const {
  const utc_second upto = ceiled(before) - 1;
  return instant(std::visit([&](const auto& times) { return times.last(upto); }, plan_->times));
}

bool cron::matches(time_point when) const {
  const utc_second at = floored(when);
  return at == ceiled(when) && at >= k_first_instant && at <= k_last_instant &&
         std::visit([&](const auto& times) { return times.at(at); }, plan_->times);
}

std::string cron::describe() const { return cron_room::describe(*plan_); }

std::string cron::remark(time_point occurrence) const {
  return cron_room::remark(*plan_, floored(occurrence));
}

const std::string& cron::expression() const noexcept { return plan_->expression; }
const std::string& cron::zone() const noexcept { return plan_->zone->name(); }
cron_gap cron::gap() const noexcept { return plan_->gap; }
cron_fold cron::fold() const noexcept { return plan_->fold; }

bool operator==(const cron& left, const cron& right) noexcept {
  return left.expression() == right.expression() && left.zone() == right.zone() &&
         left.gap() == right.gap() && left.fold() == right.fold();
}

}  // namespace weir
