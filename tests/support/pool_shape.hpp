#pragma once

#include <cstddef>

#include "weir/pool_options.hpp"

namespace weir::testing {

/// Options that say how large a pool is, and nothing else.
inline pool_options sized(std::size_t core, std::size_t max, std::size_t capacity) {
  return {.core = core, .max = max, .capacity = capacity};
}

}  // namespace weir::testing
