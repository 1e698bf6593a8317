#pragma once

#include <string>
#include <vector>

#include "cli/command_table.hpp"

namespace weir::cli {

/// Reads the arguments after the verb's name as its table says. Throws `process::usage_error`.
request parse_arguments(const verb& of, std::vector<std::string> arguments);

}  // namespace weir::cli
