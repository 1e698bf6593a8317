#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>

#include "weir/detail/duration.hpp"

namespace weir {
class thread_pool;

namespace detail {
class pool_core;
}  // namespace detail

/// What a body may ask about itself. Outside of a body: no stop is requested, the token is empty,
/// there is no deadline, the id is 0 and the pool null.
namespace this_task {

/// Whether this task has been asked to stop. One load; cheap enough for inner loops. A request made
/// to an earlier task of the same worker is never seen here.
[[nodiscard]] bool stop_requested() noexcept;

/// A token for libraries that take one; its callbacks run on the thread that requests the stop.
/// Allocates on first use in a task.
[[nodiscard]] std::stop_token stop_token();

namespace detail_sleep {
bool sleep_for(std::chrono::nanoseconds length);
}  // namespace detail_sleep

/// Blocks this task for `length` of real time or until a stop is requested, whichever is first.
/// Returns false when it was the stop. Occupies the worker meanwhile.
template <class Rep, class Period>
bool sleep_for(std::chrono::duration<Rep, Period> length) {
  return detail_sleep::sleep_for(detail::saturating_nanoseconds(length));
}

/// When this body is asked to stop for its `timeout`, on its pool's clock (real time without a
/// pool); none without a limit.
[[nodiscard]] std::optional<std::chrono::steady_clock::time_point> deadline() noexcept;

/// The number of this task in its pool.
[[nodiscard]] std::uint64_t id() noexcept;

/// Says, for its lifetime, that this body waits for something outside of its pool: the pool may
/// start another worker meanwhile, up to `max`. Scopes nest; on a thread that is no worker they do
/// nothing. Made and destroyed on one thread.
class blocking {
 public:
  blocking() noexcept;
  ~blocking();
  blocking(const blocking&) = delete;
  blocking& operator=(const blocking&) = delete;

 private:
  detail::pool_core* pool_ = nullptr;
};

/// The pool that accepted this task; null when it has been destroyed meanwhile.
[[nodiscard]] thread_pool* pool() noexcept;

}  // namespace this_task
}  // namespace weir
