#pragma once

#include <string>

#include "process/capture.hpp"
#include "process/output_port.hpp"

namespace weir::process {

/// Writes what a stream holds. With a tag, that and a tab stand before each of its lines, and the
/// last one gets a newline if it has none. Blocks on the reader of `to`.
void write_stream(const capture& stream, const std::string* tag, output_port& to);

}  // namespace weir::process
