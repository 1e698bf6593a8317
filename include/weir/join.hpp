#pragma once

#include <utility>

#include "weir/detail/fork_arm.hpp"

namespace weir {

/// Runs `f()` and `g()`, perhaps at the same time, and returns when both have ended: `f` on the
/// calling thread, `g` on another one of its pool if one is free to take it, else after `f`. In a
/// thread that works for no work_stealing_pool, and has not come to one by `run`, that means one
/// after the other.
///
/// Returns nothing when both do, else a pair of what they return, with `std::monostate` for
/// nothing. Nothing is allocated. If `f` throws and nobody has taken `g`, `g` is not called; if it
/// was taken, its end is awaited and what it brought is dropped. Then `f`'s exception is thrown;
/// else `g`'s. An arm must not wait for the other by other means: it may run after it.
template <class F, class G>
auto join(F&& f, G&& g) {
  detail::fork_worker* const self = detail::fork_worker::current();
  if (self == nullptr) return detail::call_in_turn(f, g);
  return detail::fork_and_join(*self, f, g);
}

/// `join` of any number: parallel_invoke(a, b, c) is join(a, join(b, c)) with no result.
template <class F, class... Others>
void parallel_invoke(F&& f, Others&&... others) {
  if constexpr (sizeof...(Others) == 0) {
    (void)f();
  } else {
    join([&f] { (void)f(); }, [&others...] { parallel_invoke(others...); });
  }
}

}  // namespace weir
