#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "clock.hpp"
#include "experiment.hpp"

/// What fork/join workloads share. A system for them has `k_name`, a constructor that takes the
/// number of threads, the caller among them, `run(f)`, which calls `f` with those threads at hand,
/// and a static `join(f, g)`.
namespace bench {

/// Without threads: what the others are measured against, in the same process.
struct serial_system {
  template <class F, class G>
  static void join(F&& f, G&& g) {
    f();
    g();
  }
};

struct timed_result {
  std::uint64_t result = 0;
  std::int64_t ns = 0;
};

template <class F>
timed_result timed(F f) {
  const auto begin = now_ns();
  const std::uint64_t result = f();
  return {result, now_ns() - begin};
}

/// `program(join_of<System>{})` computes something with `forks` forks. The second of two runs
/// counts.
template <class System, class Program>
samples fork_samples(System& system, std::uint64_t forks, Program program) {
  const auto on = [&] { return program(system); };
  const auto serially = [&] {
    serial_system serial;
    return program(serial);
  };
  const auto expected = timed(serially);
  (void)system.run([&] { return on(); });
  const auto found = timed([&] { return system.run([&] { return on(); }); });
  verify("result", found.result, expected.result);
  const auto count = static_cast<double>(forks);
  return {{"time_per_fork", "ns", static_cast<double>(found.ns) / count},
          {"serial_per_fork", "ns", static_cast<double>(expected.ns) / count},
          {"to_serial", "", static_cast<double>(found.ns) / static_cast<double>(expected.ns)}};
}

}  // namespace bench
