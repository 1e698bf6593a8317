#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>

#include "weir/detail/split_loop.hpp"
#include "weir/detail/split_sort.hpp"

/// Loops, reductions and sorting over `join`. Each runs on the pool that the calling thread works
/// for, its own or as a guest by `work_stealing_pool::run`; elsewhere serially. There is no grain
/// to tune: a loop is halved when another thread is hungry, and at no other time. Bodies are called
/// through the one object that was handed in, from several threads at once.
///
/// When a body throws, a loop or a reduction begins no further step; the call ends when all that
/// run have ended, and throws one of the exceptions. Elements that share a word, as those of
/// std::vector<bool> do, must not be written from two threads. Contract: F1, F2.
namespace weir {

struct loop_options {
  /// Fewer iterations than this stay together. 0 counts as 1.
  std::size_t grain = 1;
};

/// Calls `body(i)` once for each `i` from `first` to `last`, without `last`. Does nothing when
/// `last <= first`.
template <std::integral Index, class Body>
requires(sizeof(Index) <= sizeof(std::size_t)) void parallel_for(Index first, Index last,
                                                                 Body&& body,
                                                                 loop_options options = {}) {
  if (last <= first) return;
  const auto origin = static_cast<std::size_t>(first);
  const auto run = [&body, origin](std::size_t begin, std::size_t end) {
    const std::size_t from = origin;  // what the body writes cannot be this
    for (std::size_t i = begin; i < end; ++i) std::invoke(body, static_cast<Index>(from + i));
  };
  detail::split_loop(static_cast<std::size_t>(last) - origin, options.grain, run);
}

/// Calls `body(element)` once for each element of a random-access range.
template <std::ranges::random_access_range Range, class Body>
requires std::ranges::sized_range<Range>
void parallel_for(Range&& range, Body&& body, loop_options options = {}) {
  const auto begin = std::ranges::begin(range);
  detail::split_loop(std::ranges::size(range), options.grain,
                     [&](std::size_t from, std::size_t to) {
                       auto at = begin + static_cast<std::ranges::range_difference_t<Range>>(from);
                       for (; from < to; ++from, ++at) std::invoke(body, *at);
                     });
}

/// Writes `function(element)` of each element to the place that many after `out`. The places must
/// be there; `out` is a random-access iterator.
template <std::ranges::random_access_range Range, std::random_access_iterator Out, class Function>
requires std::ranges::sized_range<Range> Out parallel_transform(Range&& range, Out out,
                                                                Function&& function,
                                                                loop_options options = {}) {
  const auto count = std::ranges::size(range);
  const auto begin = std::ranges::begin(range);
  parallel_for(
      std::size_t{0}, static_cast<std::size_t>(count),
      [&](std::size_t i) {
        out[static_cast<std::iter_difference_t<Out>>(i)] =
            std::invoke(function, begin[static_cast<std::ranges::range_difference_t<Range>>(i)]);
      },
      options);
  return out + static_cast<std::iter_difference_t<Out>>(count);
}

struct reduce_options {
  /// Fewer iterations than this stay together. 0 counts as 1.
  std::size_t grain = 1;
  /// The same grouping in every run and on any number of threads, for floating-point sums that
  /// must repeat bit for bit. Costs some balance, and a fork for each thousandth of the whole.
  bool deterministic = false;
};

/// combine(… combine(combine(identity, map(first)), map(first + 1)) …, map(last - 1)), grouped
/// anyhow but in this order: `combine` must be associative, need not be commutative, and
/// `combine(identity, x)` must equal `x`. Gives `identity` when `last <= first`.
template <std::integral Index, class T, class Map, class Combine>
requires(sizeof(Index) <= sizeof(std::size_t)) T
    parallel_reduce(Index first, Index last, T identity, Map&& map, Combine&& combine,
                    reduce_options options = {}) {
  if (last <= first) return identity;
  const auto from = static_cast<std::size_t>(first);
  const auto element = [from](std::size_t i) { return static_cast<Index>(from + i); };
  return detail::split_reduce(static_cast<std::size_t>(last) - from, options.grain,
                              options.deterministic, identity, element, map, combine);
}

/// The same over the elements of a random-access range.
template <std::ranges::random_access_range Range, class T, class Map, class Combine>
requires std::ranges::sized_range<Range> T parallel_reduce(Range&& range, T identity, Map&& map,
                                                           Combine&& combine,
                                                           reduce_options options = {}) {
  const auto begin = std::ranges::begin(range);
  const auto element = [&](std::size_t i) -> decltype(auto) {
    return begin[static_cast<std::ranges::range_difference_t<Range>>(i)];
  };
  return detail::split_reduce(static_cast<std::size_t>(std::ranges::size(range)), options.grain,
                              options.deterministic, identity, element, map, combine);
}

/// Sorts a random-access range by `less`, keeping the order of equals. Needs memory for as many
/// elements again, and throws `std::bad_alloc` before it has moved any. Elements are moved, which
/// must not throw, and may be move-only. If `less` throws, all elements are there, in no certain
/// order.
template <std::ranges::random_access_range Range, class Less = std::ranges::less>
requires std::ranges::sized_range<Range>
void parallel_stable_sort(Range&& range, Less less = {}) {
  detail::split_sort(std::ranges::begin(range), static_cast<std::size_t>(std::ranges::size(range)),
                     less);
}

/// Sorts in place, as std::sort does: without a promise about equals, or about what is left if
/// `less` throws.
template <std::ranges::random_access_range Range, class Less = std::ranges::less>
requires std::ranges::sized_range<Range>
void parallel_sort(Range&& range, Less less = {}) {
  detail::split_quick_sort(std::ranges::begin(range),
                           static_cast<std::size_t>(std::ranges::size(range)), less);
}

}  // namespace weir
