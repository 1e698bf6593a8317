#pragma once

#include <cstddef>
#include <istream>
#include <optional>

namespace weir::detail {

/// The processors that a cgroup v2 `cpu.max` grants ("150000 100000" is 1.5); none when it sets no
/// limit.
[[nodiscard]] std::optional<double> quota_from_cpu_max(std::istream& cpu_max);

/// How many workers make sense: all processors, or what the quota can keep busy, at least 1.
[[nodiscard]] std::size_t workers_for(std::size_t processors, std::optional<double> quota);

}  // namespace weir::detail
