#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace weir::cron_room {

/// From this instant (seconds since the epoch, UTC) the zone is this many seconds ahead of UTC.
struct zone_change {
  std::int64_t at;
  std::int64_t offset;

  bool operator==(const zone_change&) const = default;
};

/// What a zone does in every year from some year on: the rule of a POSIX `TZ` text such as
/// `CET-1CEST,M3.5.0,M10.5.0/3`, with which a compiled time zone file ends (RFC 8536).
class zone_rule {
 public:
  /// None when the text is no such rule.
  [[nodiscard]] static std::optional<zone_rule> read(std::string_view text);

  /// The changes of one year in their order; none where the zone has one offset all year.
  [[nodiscard]] std::vector<zone_change> changes(int year) const;

 private:
  // When in a year: the week-th weekday of a month (5: the last), or a day of the year.
  struct moment {
    enum class form { weekday_of_month, day_without_29_february, day_from_zero };
    form as = form::weekday_of_month;
    int month = 0;
    int week = 0;
    int day = 0;
    std::int64_t time = 7200;  // seconds after midnight, from -167 h to 167 h

    [[nodiscard]] std::int64_t local_time(int year) const;
  };
  class reader;

  std::int64_t standard_ = 0;
  std::int64_t summer_ = 0;
  bool changes_ = false;
  moment begin_;
  moment end_;
};

}  // namespace weir::cron_room
