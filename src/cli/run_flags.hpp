#pragma once

#include <span>

#include "cli/command_table.hpp"

namespace weir::cli {

/// The flags of `weir run`.
std::span<const flag> run_flags();

}  // namespace weir::cli
