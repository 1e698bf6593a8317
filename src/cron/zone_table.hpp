#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cron/pattern.hpp"
#include "cron/zone_rule.hpp"

namespace weir::cron_room {

/// Seconds since the epoch, UTC.
using utc_second = std::int64_t;

/// A time during which a zone has one offset to UTC: [begin, end). Neighbours differ in offset. The
/// first begins and the last ends where no `system_clock::time_point` reaches.
struct zone_span {
  utc_second begin;
  utc_second end;
  std::int64_t offset;

  [[nodiscard]] local_second local(utc_second at) const noexcept { return at + offset; }
};

/// All changes of a zone, so that nothing has to be worked out while a job waits. Immutable.
class zone_table {
 public:
  /// `changes` in their order; the first holds from the beginning of time.
  zone_table(std::string name, const std::vector<zone_change>& changes);

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const std::vector<zone_span>& spans() const noexcept { return spans_; }

  /// The place in `spans` of the span that holds this instant.
  [[nodiscard]] std::size_t at(utc_second instant) const noexcept;

 private:
  std::string name_;
  std::vector<zone_span> spans_;
};

constexpr utc_second k_before_time = std::numeric_limits<std::int64_t>::min() / 4;
constexpr utc_second k_after_time = std::numeric_limits<std::int64_t>::max() / 4;

}  // namespace weir::cron_room
