#pragma once

#include <memory>

#include "weir/pool_options.hpp"

namespace weir::detail {

/// What of a pool's options may change while it runs.
struct limits {
  std::size_t core;
  std::size_t max;
  std::chrono::nanoseconds keep_alive;
  bool core_may_time_out;
  std::size_t capacity;
  std::size_t capacity_weight;
  weir::growth growth;

  bool operator==(const limits&) const = default;
};

/// Throws `std::invalid_argument`, naming the pool's option, when they contradict themselves.
void check(const limits& wanted);

/// The limits that options ask for, checked.
[[nodiscard]] limits limits_of(const pool_options& options);

using saturation_policy = std::variant<saturation, saturation_function>;
/// Throws `std::invalid_argument` for an empty function.
void check(const saturation_policy& wanted);

/// What a pool keeps of its policy. A function is shared, as it may be replaced while it decides.
struct standing_policy {
  explicit standing_policy(saturation_policy wanted);

  saturation fixed = saturation::reject;
  std::shared_ptr<const saturation_function> function;  ///< null: `fixed` decides
};

[[noreturn]] void bad_option(const std::string& what);

}  // namespace weir::detail
