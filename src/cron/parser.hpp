#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "cron/fields.hpp"

namespace weir::cron_room {

/// What an expression says, before anybody has looked for its zone.
struct parsed {
  std::string zone;                ///< of a prefix; empty: there is none
  std::size_t zone_at = 0;         ///< where it stands, from 0
  std::optional<fields> calendar;  ///< none: `every`
  std::chrono::seconds every{0};
};

/// Throws `cron_error`, also for an expression whose days never come.
[[nodiscard]] parsed parse(std::string_view expression);

}  // namespace weir::cron_room
