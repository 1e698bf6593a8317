#pragma once

#include <string_view>

#include "process/command.hpp"
#include "process/output_port.hpp"

namespace weir::process {

/// Writes one line with a JSON object about `ended`. Bytes stay exact: a stream that is valid UTF-8
/// is the string `stdout`, any other is `stdout_base64`; the same for `stderr` and `command`.
/// Members that are to stand `before` the others are JSON already, each with a comma behind it.
/// Memory is bounded whatever the size of the output. Returns whether all of it was written.
bool write_json(const finished_command& ended, output_port& to, std::string_view before = {});

}  // namespace weir::process
