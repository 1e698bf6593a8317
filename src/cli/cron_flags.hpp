#pragma once

#include <span>

#include "cli/command_table.hpp"

namespace weir::cli {

/// The flags of `weir cron`.
std::span<const flag> cron_flags();

}  // namespace weir::cli
