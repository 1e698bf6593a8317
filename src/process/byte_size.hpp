#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace weir::process {

/// Reads a count of bytes as people type it: `4096`, `64K`, `10M`, `1G`, `1T`, also `64KiB`, in
/// either case; K is 1024. Returns nothing for any other text (`64kB` among it, which is 1000 to
/// one and 1024 to another) and for what `std::size_t` cannot hold.
std::optional<std::size_t> parse_byte_size(std::string_view text);

/// "300 bytes", "64 KiB", "1.5 MiB": for people, rounded to a tenth.
std::string byte_size_text(std::size_t bytes);

}  // namespace weir::process
