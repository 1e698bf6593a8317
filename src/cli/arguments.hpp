#pragma once

#include <string>
#include <vector>

#include "cli/command_table.hpp"

namespace weir::cli {

/// Reads the arguments after the verb's name as its table says. Throws `process::usage_error`.
request parse_arguments(const verb& of, std::vector<std::string> arguments);

/// Returns the candidate that `word` was most likely meant to be, or an empty text.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace weir::cli
