#pragma once

#include <cstdint>

namespace bench {

/// Calls of operator new in this process so far, by all threads. Memory that a library takes from
/// malloc or mmap directly does not show.
[[nodiscard]] std::uint64_t allocation_count() noexcept;

}  // namespace bench
