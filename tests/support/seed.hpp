#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <string>

namespace weir::testing {

/// The seed of a random test: WEIR_SEED where it is set, else a fresh one. A failing test prints
/// it.
inline std::uint64_t test_seed() {
  const char* const given = std::getenv("WEIR_SEED");
  if (given != nullptr && *given != '\0') {
    char* end = nullptr;
    const auto seed = std::strtoull(given, &end, 10);
    if (*end != '\0')
      throw std::invalid_argument("WEIR_SEED is '" + std::string(given) + "', no number");
    return seed;
  }
  std::random_device device;
  return (std::uint64_t{device()} << 32) | device();
}

/// How to see the same run again; for SCOPED_TRACE.
inline std::string replay(std::uint64_t seed) {
  return "replay with WEIR_SEED=" + std::to_string(seed);
}

/// A whole number from `low` to `high`, both included.
template <class Engine>
std::size_t pick(Engine& engine, std::size_t low, std::size_t high) {
  return std::uniform_int_distribution<std::size_t>(low, high)(engine);
}

}  // namespace weir::testing
