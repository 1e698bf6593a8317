#pragma once

#include <cstdint>

namespace bench {

/// What the process has used so far; differences of two are what matters.
struct usage {
  std::int64_t cpu_ns = 0;        ///< user and system, all threads
  std::int64_t own_cpu_ns = 0;    ///< the calling thread's part of it
  std::int64_t switches = 0;      ///< context switches, all threads
  std::int64_t own_switches = 0;  ///< those of the calling thread
  std::uint64_t allocations = 0;  ///< calls of operator new, all threads

  [[nodiscard]] static usage now();

  [[nodiscard]] usage operator-(const usage& before) const noexcept;
};

/// Resident memory of the process, in bytes.
[[nodiscard]] std::int64_t resident_bytes();

}  // namespace bench
