#pragma once

#include "../harness/fork_system.hpp"

/// N queens: all ways to place n queens on n lines, a fork between any two columns that are free.
namespace bench {

/// The free columns of one line, halved until one is left: then the next line. Each bit of a set is
/// a column; `down` and `up` are those that the queens so far threaten along the diagonals.
template <class System>
std::uint64_t queens_among(System& system, std::uint32_t all, std::uint32_t columns,
                           std::uint32_t down, std::uint32_t up, std::uint32_t among);

template <class System>
std::uint64_t queens(System& system, std::uint32_t all, std::uint32_t columns, std::uint32_t down,
                     std::uint32_t up) {
  if (columns == all) return 1;
  const std::uint32_t free = all & ~(columns | down | up);
  return free == 0 ? 0 : queens_among(system, all, columns, down, up, free);
}

/// The lower half of the columns in a set of two at least.
inline std::uint32_t lower_half(std::uint32_t among) {
  std::uint32_t lower = 0;
  for (int left = __builtin_popcount(among) / 2; left > 0; --left) {
    const std::uint32_t lowest = among & -among;
    lower |= lowest;
    among ^= lowest;
  }
  return lower;
}

template <class System>
std::uint64_t queens_among(System& system, std::uint32_t all, std::uint32_t columns,
                           std::uint32_t down, std::uint32_t up, std::uint32_t among) {
  if ((among & (among - 1)) == 0) {
    return queens(system, all, columns | among, (down | among) << 1, (up | among) >> 1);
  }
  const std::uint32_t lower = lower_half(among);
  std::uint64_t x = 0;
  std::uint64_t y = 0;
  System::join([&] { x = queens_among(system, all, columns, down, up, lower); },
               [&] { y = queens_among(system, all, columns, down, up, among ^ lower); });
  return x + y;
}

struct counting_system {
  static inline std::uint64_t forks = 0;
  template <class F, class G>
  static void join(F&& f, G&& g) {
    ++forks;
    f();
    g();
  }
};

template <class System>
samples run_nqueens(const params& p) {
  System system(static_cast<std::size_t>(p["workers"]));
  const std::uint32_t all = (1U << p["n"]) - 1;
  counting_system counting;
  counting_system::forks = 0;
  (void)queens(counting, all, 0, 0, 0);
  return fork_samples(system, counting_system::forks,
                      [all](auto& on) { return queens(on, all, 0, 0, 0); });
}

inline params nqueens_case(const scale& size) { return {{"workers", 2}, {"n", size.pick(13, 8)}}; }

}  // namespace bench
