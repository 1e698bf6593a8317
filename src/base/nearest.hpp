#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weir {

/// The candidate that differs least from `word`, whatever the case of letters; empty when all
/// differ by more than a third of it.
[[nodiscard]] std::string nearest(std::string_view word,
                                  const std::vector<std::string>& candidates);

}  // namespace weir
