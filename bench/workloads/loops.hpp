#pragma once

#include <vector>

#include "../harness/fork_system.hpp"
#include "tree.hpp"

/// Loops: ten thousand items of very uneven cost, and millions of iterations that do next to
/// nothing.
namespace bench {

/// Some work whose length is drawn from `item`.
inline std::uint64_t uneven(std::uint64_t item) {
  std::uint64_t x = item;
  for (std::uint64_t left = mixed(item) % 4000; left > 0; --left) x = mixed(x + left);
  return x;
}

/// A system for loops has `k_name`, a constructor that takes the number of threads, `run(f)`, and a
/// static `loop(count, body)`.
template <class System>
samples run_loops(const params& p) {
  System system(static_cast<std::size_t>(p["workers"]));
  const auto items = static_cast<std::size_t>(p["items"]);
  const auto iterations = static_cast<std::size_t>(p["iterations"]);
  std::vector<std::uint64_t> found(items);
  std::vector<unsigned char> bytes(iterations);
  const auto sum_found = [&] {
    std::uint64_t sum = 0;
    for (const auto each : found) sum += each;
    return sum;
  };
  const auto serial = timed([&] {
    for (std::size_t i = 0; i < items; ++i) found[i] = uneven(i);
    return sum_found();
  });
  const auto each_item = [&](std::size_t i) { found[i] = uneven(i); };
  const auto each_byte = [&](std::size_t i) { bytes[i] = static_cast<unsigned char>(i); };
  const auto loop_items = [&] {
    return timed([&] {
      System::loop(items, each_item);
      return std::uint64_t{0};
    });
  };
  const auto loop_bytes = [&] {
    return timed([&] {
      System::loop(iterations, each_byte);
      return std::uint64_t{0};
    });
  };
  (void)system.run(loop_items);
  (void)system.run(loop_bytes);
  std::fill(found.begin(), found.end(), 0);
  const auto items_ns = system.run(loop_items).ns;
  verify("sum over the items", sum_found(), serial.result);
  std::fill(bytes.begin(), bytes.end(), 0);
  const auto bytes_ns = system.run(loop_bytes).ns;
  for (std::size_t i = 0; i < iterations; ++i) {
    if (bytes[i] != static_cast<unsigned char>(i)) verify("iteration that ran", 0, i);
  }
  return {{"time_per_item", "ns", static_cast<double>(items_ns) / static_cast<double>(items)},
          {"to_serial", "", static_cast<double>(items_ns) / static_cast<double>(serial.ns)},
          {"time_per_iteration", "ns",
           static_cast<double>(bytes_ns) / static_cast<double>(iterations)}};
}

template <class System>
void add_loops(experiments& all, const scale& size) {
  all.push_back({"loops",
                 {{"workers", 2},
                  {"items", size.pick(10'000, 1000)},
                  {"iterations", size.pick(20'000'000, 1'000'000)}},
                 System::k_name,
                 run_loops<System>});
}

}  // namespace bench
