#pragma once

#include <string>

#include "cli/command_table.hpp"

namespace weir::cli {

// Everything that is said about the command line, made from the command table.

/// `weir help`.
std::string overview_text();
/// `weir VERB --help`.
std::string help_text(const verb& about);
/// The man page as roff.
std::string man_page();
/// The completion for bash.
std::string bash_completion();

/// Writes a text to standard output; throws `process::run_error` if it does not take it.
void print(const std::string& text);

}  // namespace weir::cli
