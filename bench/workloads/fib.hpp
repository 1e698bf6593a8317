#pragma once

#include "../harness/fork_system.hpp"

/// Fibonacci: the naive recursion, a fork for each addition, without a cutoff.
namespace bench {

template <class System>
std::uint64_t fib(System& system, std::uint64_t n) {
  if (n < 2) return n;
  std::uint64_t x = 0;
  std::uint64_t y = 0;
  System::join([&] { x = fib(system, n - 1); }, [&] { y = fib(system, n - 2); });
  return x + y;
}

/// How many additions fib(n) makes: fib(n + 1) - 1.
inline std::uint64_t forks_of_fib(std::uint64_t n) {
  std::uint64_t last = 0;
  std::uint64_t next = 1;
  for (std::uint64_t i = 0; i < n; ++i) last = std::exchange(next, last + next);
  return next - 1;
}

template <class System>
samples run_fib(const params& p) {
  System system(static_cast<std::size_t>(p["workers"]));
  const auto n = static_cast<std::uint64_t>(p["n"]);
  return fork_samples(system, forks_of_fib(n), [n](auto& on) { return fib(on, n); });
}

inline params fib_case(const scale& size, std::int64_t workers) {
  return {{"workers", workers}, {"n", size.pick(32, 24)}};
}

}  // namespace bench
