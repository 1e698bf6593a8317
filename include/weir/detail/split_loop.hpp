#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <functional>
#include <utility>

#include "weir/join.hpp"

/// Loops that are halved on demand. Design: docs/design/split-loop.md.
namespace weir::detail {

/// A loop runs its iterations in steps of this part of what is left; between two steps it looks
/// whether a thread is hungry.
inline constexpr std::size_t k_steps = 64;

[[nodiscard]] inline bool somebody_is_hungry() noexcept {
  const fork_worker* const self = fork_worker::current();
  return self != nullptr && self->wanted();
}

/// What all parts of a loop share.
template <class Run>
class shared_loop {
 public:
  shared_loop(std::size_t grain, Run& run) noexcept
      : grain_(std::max<std::size_t>(grain, 1)), run_(run) {}

  void part(std::size_t begin, std::size_t end) {
    while (end - begin > grain_) {
      if (stopped_.load(sync::relaxed)) return;
      if (somebody_is_hungry()) return halves(begin, end);
      const std::size_t step = std::max(grain_, (end - begin) / k_steps);
      guarded(begin, begin + step);
      begin += step;
    }
    if (begin < end && !stopped_.load(sync::relaxed)) guarded(begin, end);
  }

 private:
  void halves(std::size_t begin, std::size_t end) {
    const std::size_t middle = begin + (end - begin) / 2;
    join([this, begin, middle] { part(begin, middle); },
         [this, middle, end] { part(middle, end); });
  }

  void guarded(std::size_t begin, std::size_t end) {
    try {
      run_(begin, end);
    } catch (...) {
      stopped_.store(true, sync::relaxed);
      throw;
    }
  }

  const std::size_t grain_;
  Run& run_;
  sync::atomic<bool> stopped_{false};
};

/// Calls `run(begin, end)` for parts that together are 0 to `count`.
template <class Run>
void split_loop(std::size_t count, std::size_t grain, Run&& run) {
  shared_loop<std::remove_reference_t<Run>> loop(grain, run);
  loop.part(0, count);
}

template <class T, class Element, class Map, class Combine>
class shared_reduction {
 public:
  shared_reduction(std::size_t grain, const T& identity, const Element& element, Map& map,
                   Combine& combine) noexcept
      : grain_(std::max<std::size_t>(grain, 1)),
        identity_(identity),
        element_(element),
        map_(map),
        combine_(combine) {}

  /// Halved when somebody is hungry.
  T part(std::size_t begin, std::size_t end) {
    T sum = identity_;
    while (end - begin > grain_ && !stopped_.load(sync::relaxed)) {
      if (somebody_is_hungry()) {
        return combine_(std::move(sum), halves<&shared_reduction::part>(begin, end));
      }
      const std::size_t step = std::max(grain_, (end - begin) / k_steps);
      sum = fold(std::move(sum), begin, begin + step);
      begin += step;
    }
    return fold(std::move(sum), begin, end);
  }

  /// Always halved in the same way.
  T fixed_part(std::size_t begin, std::size_t end) {
    if (end - begin <= grain_) return fold(T(identity_), begin, end);
    return halves<&shared_reduction::fixed_part>(begin, end);
  }

 private:
  template <T (shared_reduction::*Part)(std::size_t, std::size_t)>
  T halves(std::size_t begin, std::size_t end) {
    const std::size_t middle = begin + (end - begin) / 2;
    auto both = join([this, begin, middle] { return (this->*Part)(begin, middle); },
                     [this, middle, end] { return (this->*Part)(middle, end); });
    return combine_(std::move(both.first), std::move(both.second));
  }

  // What is left out after a stop has no meaning: the exception takes its place.
  T fold(T sum, std::size_t begin, std::size_t end) {
    if (stopped_.load(sync::relaxed)) return sum;
    try {
      for (; begin < end; ++begin) {
        // An element may be a value, and map_ may return a reference into it.
        T next = combine_(std::move(sum), std::invoke(map_, element_(begin)));
        sum = std::move(next);
      }
    } catch (...) {
      stopped_.store(true, sync::relaxed);
      throw;
    }
    return sum;
  }

  const std::size_t grain_;
  const T& identity_;
  const Element& element_;
  Map& map_;
  Combine& combine_;
  sync::atomic<bool> stopped_{false};
};

template <class T, class Element, class Map, class Combine>
T split_reduce(std::size_t count, std::size_t grain, bool deterministic, const T& identity,
               const Element& element, Map& map, Combine& combine) {
  constexpr std::size_t k_fixed_parts = 1024;
  if (deterministic) grain = std::max(grain, (count + k_fixed_parts - 1) / k_fixed_parts);
  shared_reduction<T, Element, Map, Combine> reduction(grain, identity, element, map, combine);
  return deterministic ? reduction.fixed_part(0, count) : reduction.part(0, count);
}

}  // namespace weir::detail
