#include "cron/zone_table.hpp"

#include <algorithm>
#include <utility>

#include "weir/detail/assert.hpp"

namespace weir::cron_room {

zone_table::zone_table(std::string name, const std::vector<zone_change>& changes)
    : name_(std::move(name)) {
  WEIR_ASSERT(!changes.empty());
  for (const zone_change& change : changes) {
    if (!spans_.empty() && spans_.back().begin == change.at) spans_.pop_back();
    if (!spans_.empty() && spans_.back().offset == change.offset) continue;
    spans_.push_back({spans_.empty() ? k_before_time : change.at, k_after_time, change.offset});
  }
  for (std::size_t i = 0; i + 1 < spans_.size(); ++i) spans_[i].end = spans_[i + 1].begin;
}

std::size_t zone_table::at(utc_second instant) const noexcept {
  const auto later =
      std::upper_bound(spans_.begin() + 1, spans_.end(), instant,
                       [](utc_second when, const zone_span& span) { return when < span.begin; });
  return static_cast<std::size_t>(later - spans_.begin()) - 1;
}

}  // namespace weir::cron_room
