#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "weir/detail/fork_arm.hpp"
#include "weir/join.hpp"
#include "weir/pool_options.hpp"

namespace weir {

struct work_stealing_options {
  /// Threads of the pool, at least 1. None is woken for public work while as many run already,
  /// guests that have come by `run` among them; one that is awake when a guest comes goes on.
  std::size_t parallelism = default_concurrency();
  /// The threads are called `name`-0, `name`-1 …; Linux keeps 15 bytes.
  std::string name = "weir-fork";
};

/// What has happened since the pool was made; each count by itself, not at one moment.
struct work_stealing_stats {
  std::uint64_t steals = 0;     ///< arms that ran on another thread than their fork
  std::uint64_t exposures = 0;  ///< times at which a thread gave others something to take
  std::uint64_t sleeps = 0;     ///< waits for a stolen arm that went to sleep
  std::size_t sleeping = 0;  ///< threads that have asked all others for work, found none and sleep
};

namespace detail {
class fork_crew;
}

/// Threads for forks and joins: `join`, `parallel_invoke`. A fork that nobody takes costs little
/// more than a call, and allocates nothing; a thread without work takes the oldest fork of another.
/// A join whose arm was taken helps with that arm alone, never with strange work. Threads without
/// work sleep without a timeout. For bounded queues, order and delay use thread_pool.
///
/// Every call but the destructor: safe from any thread, at any time. Contract: F1, F2.
class work_stealing_pool {
 public:
  /// Starts the threads. Throws `std::invalid_argument` for a parallelism of 0 or above 1000,
  /// `std::system_error` when the system has no threads to give, and `std::bad_alloc`.
  explicit work_stealing_pool(work_stealing_options options = {});
  template <std::integral Number>
  explicit work_stealing_pool(Number parallelism)
      : work_stealing_pool(
            work_stealing_options{.parallelism = static_cast<std::size_t>(parallelism)}) {}
  /// No call may be in progress. Joins the threads.
  ~work_stealing_pool();
  work_stealing_pool(const work_stealing_pool&) = delete;
  work_stealing_pool& operator=(const work_stealing_pool&) = delete;

  /// Calls `f()` with the pool's threads at hand and returns, or throws, what it does. The calling
  /// thread becomes a guest and begins at once; up to four may at a time, others sleep while a
  /// thread of the pool calls their `f`. On a thread that works for the pool already, however deep
  /// and through whatever other pools, this is a plain call.
  template <class F>
  std::invoke_result_t<F&> run(F&& f) {
    if (is_inside()) return f();
    detail::fork_arm<std::remove_reference_t<F>> whole(f);
    const bool succeeded = bring(whole);
    if constexpr (std::is_void_v<std::invoke_result_t<F&>>) {
      (void)whole.collect(succeeded);
    } else {
      return whole.collect(succeeded);
    }
  }

  [[nodiscard]] std::size_t parallelism() const noexcept;
  [[nodiscard]] work_stealing_stats stats() const noexcept;
  /// Whether the calling thread works for this pool now.
  [[nodiscard]] bool is_inside() const noexcept;

 private:
  bool bring(detail::fork_job& job);

  std::unique_ptr<detail::fork_crew> crew_;
};

}  // namespace weir
