#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "oracle/program.hpp"
#include "oracle/session.hpp"

namespace weir::testing {

/// Performs a program on two pools in lock-step. None when all that was seen is the same; else the
/// first step at which it was not, what was seen on either side, and the program.
template <class Left, class Right>
std::optional<std::string> first_difference(const program& of) {
  session<Left> left(of);
  session<Right> right(of);
  const auto compare = [&of](const std::string& where, const std::string& one,
                             const std::string& other) -> std::optional<std::string> {
    if (one == other) return std::nullopt;
    return "they differ " + where + "\n" + Left::k_name + ": " + one + "\n" + Right::k_name + ": " +
           other + "\n" + describe(of);
  };
  for (std::size_t at = 0; at < of.steps.size(); ++at) {
    const std::string one = left.perform(of.steps[at]);
    const std::string other = right.perform(of.steps[at]);
    if (auto found = compare("at step " + std::to_string(at), one, other)) return found;
  }
  const std::string one = left.finish();
  const std::string other = right.finish();
  return compare("at the end", one, other);
}

/// The same for weir and the oracle.
[[nodiscard]] std::optional<std::string> weir_differs(const program& of);

}  // namespace weir::testing
