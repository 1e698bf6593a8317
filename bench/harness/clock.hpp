#pragma once

#include <sys/prctl.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bench {

/// CLOCK_MONOTONIC in nanoseconds, the time that std::chrono::steady_clock shows.
inline std::int64_t now_ns() noexcept {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1'000'000'000LL + t.tv_nsec;
}

/// Blocks until that instant of `now_ns`.
inline void sleep_until_ns(std::int64_t due) noexcept {
  const timespec t{due / 1'000'000'000, due % 1'000'000'000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, nullptr) == EINTR) {
  }
}

/// Lets this thread's sleeps end when they are due, and not up to 50 µs later.
inline void sleep_precisely() noexcept { prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL); }

/// Gives this thread's sleeps their usual slack back. Threads inherit that of their maker, so a
/// system that starts one late must not find the measuring thread's.
inline void sleep_as_usual() noexcept { prctl(PR_SET_TIMERSLACK, 0UL, 0UL, 0UL, 0UL); }

/// The value below which `part` (0 … 1) of the values lie. Sorts them; they are not empty.
inline double quantile(std::vector<std::int64_t>& values, double part) {
  std::sort(values.begin(), values.end());
  const auto last = static_cast<double>(values.size() - 1);
  return static_cast<double>(values[static_cast<std::size_t>(part * last + 0.5)]);
}

}  // namespace bench
