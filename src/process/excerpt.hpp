#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace weir::process {

/// The beginning of a text for a message: one line, no control bytes, about `most` bytes long, cut
/// between characters.
std::string excerpt(std::string_view text, std::size_t most);

}  // namespace weir::process
