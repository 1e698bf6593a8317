#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace weir::process {

/// When failures end a run: `never`, or `soon` (start nothing more) or `now` (end what runs, too)
/// as soon as a number of commands has failed, or a share of those that have ended.
struct halt_rule {
  enum class when : std::uint8_t { never, soon, now };

  /// A share says nothing about the first one or two commands, so it counts from the third on.
  static constexpr std::uint64_t k_least_finished = 3;

  when act = when::never;
  std::uint64_t limit = 1;
  bool percent = false;

  [[nodiscard]] bool reached(std::uint64_t failed, std::uint64_t finished) const;
};

/// Reads `never`, `soon`, `now`, `soon,fail=3`, `now,fail=10%`; nothing for any other text.
std::optional<halt_rule> parse_halt_rule(std::string_view text);

}  // namespace weir::process
