#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <variant>

#include "cron/occurrences.hpp"
#include "cron/zone_table.hpp"

namespace weir::cron_room {

/// `@every`: the multiples of a period since the epoch, so that whether an instant is one does not
/// depend on who asked before.
struct period_grid {
  std::int64_t period;  // seconds

  [[nodiscard]] std::optional<utc_second> first(utc_second from) const noexcept;
  [[nodiscard]] std::optional<utc_second> last(utc_second upto) const noexcept;
  [[nodiscard]] bool at(utc_second instant) const noexcept { return instant % period == 0; }
};

/// What an expression was made into. Immutable, shared by the copies of a `cron`.
struct plan {
  std::string expression;
  std::string given_zone;
  cron_options options;
  std::shared_ptr<const zone_table> zone;
  cron_gap gap;
  cron_fold fold;
  std::variant<occurrences, period_grid> times;
};

[[nodiscard]] std::shared_ptr<const plan> make_plan(std::string_view expression,
                                                    std::string_view zone,
                                                    const cron_options& options);

/// In English, zone included.
[[nodiscard]] std::string describe(const plan& of);

/// What clocks do to an occurrence; empty: nothing.
[[nodiscard]] std::string remark(const plan& of, utc_second occurrence);

/// Which local times do not exist and are left out after the one instant, an occurrence mostly, and
/// up to the next one; empty: none.
[[nodiscard]] std::string left_out(const plan& of, utc_second after, utc_second upto);

}  // namespace weir::cron_room
