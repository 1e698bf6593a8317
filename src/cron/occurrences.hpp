#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "cron/pattern.hpp"
#include "cron/zone_table.hpp"
#include "weir/cron.hpp"

namespace weir::cron_room {

/// The instants that a pattern of local times means in a zone: docs/design/cron.md.
///
/// Works span by span of the zone's table. Within a span local time runs evenly, so the pattern
/// alone finds the match; what a change of offset adds or takes away lies at the ends of spans.
class occurrences {
 public:
  occurrences(const fields& of, std::shared_ptr<const zone_table> zone, cron_gap gap,
              cron_fold fold)
      : pattern_(of), zone_(std::move(zone)), gap_(gap), fold_(fold) {}

  /// The first at or after `from` and before `k_last_instant`.
  [[nodiscard]] std::optional<utc_second> first(utc_second from) const noexcept;

  /// The last at or before `upto` and after `k_first_instant`.
  [[nodiscard]] std::optional<utc_second> last(utc_second upto) const noexcept;

  [[nodiscard]] bool at(utc_second instant) const noexcept;

  /// The local times of the pattern that were shifted to this instant: the first and the last of
  /// them.
  [[nodiscard]] std::optional<std::pair<local_second, local_second>> shifted_to(
      utc_second instant) const noexcept;

  /// Local times of the pattern that do not exist and are left out.
  struct omission {
    local_second first;
    local_second last;          ///< of the same change of clocks
    std::uint64_t further = 0;  ///< later changes that leave some out as well
  };

  /// Those that would lie after the one instant and not after the other; none where gaps shift.
  [[nodiscard]] std::optional<omission> left_out(utc_second after, utc_second upto) const noexcept;

  /// Which of two passes of its local time an instant is in; none where there is one.
  [[nodiscard]] std::optional<cron_fold> pass(utc_second instant) const noexcept;

  [[nodiscard]] const zone_table& zone() const noexcept { return *zone_; }
  [[nodiscard]] const pattern& local() const noexcept { return pattern_; }
  [[nodiscard]] cron_gap gap() const noexcept { return gap_; }
  [[nodiscard]] cron_fold fold() const noexcept { return fold_; }

 private:
  struct window {
    local_second begin;
    local_second end;
  };
  [[nodiscard]] window admitted(std::size_t place) const noexcept;
  [[nodiscard]] std::optional<window> gap_before(std::size_t place) const noexcept;
  [[nodiscard]] bool shifted_into(std::size_t place) const noexcept;

  pattern pattern_;
  std::shared_ptr<const zone_table> zone_;
  cron_gap gap_;
  cron_fold fold_;
};

/// What a `system_clock::time_point` of nanoseconds can hold, in whole seconds.
constexpr utc_second k_first_instant = -9'223'372'036;
constexpr utc_second k_last_instant = 9'223'372'036;

}  // namespace weir::cron_room
