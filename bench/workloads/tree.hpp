#pragma once

#include "../harness/fork_system.hpp"

/// Unbalanced tree: a binary tree whose shape is drawn at random is made up and counted on the way.
namespace bench {

inline std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

/// The sum of all nodes' values in a tree of that many nodes, each of which draws how many of the
/// rest lie to its left.
template <class System>
std::uint64_t tree(System& system, std::uint64_t nodes, std::uint64_t seed) {
  if (nodes == 0) return 0;
  const std::uint64_t drawn = mixed(seed + nodes);
  if (nodes == 1) return drawn & 0xff;
  const std::uint64_t left = drawn % nodes;
  std::uint64_t x = 0;
  std::uint64_t y = 0;
  System::join([&] { x = tree(system, left, drawn); },
               [&] { y = tree(system, nodes - 1 - left, ~drawn); });
  return x + y + (drawn & 0xff);
}

/// How often that forks.
inline std::uint64_t forks_of_tree(std::uint64_t nodes, std::uint64_t seed) {
  if (nodes < 2) return 0;
  const std::uint64_t drawn = mixed(seed + nodes);
  const std::uint64_t left = drawn % nodes;
  return 1 + forks_of_tree(left, drawn) + forks_of_tree(nodes - 1 - left, ~drawn);
}

template <class System>
samples run_tree(const params& p) {
  System system(static_cast<std::size_t>(p["workers"]));
  const auto nodes = static_cast<std::uint64_t>(p["nodes"]);
  return fork_samples(system, forks_of_tree(nodes, 1),
                      [nodes](auto& on) { return tree(on, nodes, 1); });
}

inline params tree_case(const scale& size) {
  return {{"workers", 2}, {"nodes", size.pick(3'400'000, 100'000)}};
}

}  // namespace bench
