#pragma once

#include "model/explorer.hpp"
#include "sync/event.hpp"
#include "sync/thread.hpp"
#include "weir/thread_pool.hpp"

/// What the kernels of the whole pool share.
namespace weir::model {

/// Made before any execution, as it lives for ever.
inline const clock& k_real_clock = steady_clock::instance();

/// For kernels with few threads that can run at a time, and for those with more.
inline constexpr options k_few{.bound = 3, .views_bound = 2};
inline constexpr options k_many{.bound = 3, .views_bound = 2, .delays = true};

struct pool_shape {
  std::size_t core = 1;
  std::size_t max = 1;
  std::size_t capacity = 1;
  saturation policy = saturation::reject;
  weir::clock* clock = nullptr;
  std::chrono::nanoseconds keep_alive = std::chrono::seconds(60);
};

inline pool_options options_for(const pool_shape& shape) {
  pool_options options;
  options.core = shape.core;
  options.max = shape.max;
  options.capacity = shape.capacity;
  options.on_saturation = shape.policy;
  options.clock = shape.clock;
  options.keep_alive = shape.keep_alive;
  // Without a name the pool takes a number that no execution resets.
  options.name = "model";
  options.timing = timing::off;  // the streams of the sampling count on as well
  return options;
}

/// At rest every accepted task has had one end.
inline void check_conservation(const thread_pool& pool) {
  const pool_stats at = pool.stats();
  MODEL_CHECK(at.accepted == at.succeeded + at.failed + at.cancelled + at.drained);
  MODEL_CHECK(at.queued == 0 && at.delayed == 0 && at.running == 0);
}

/// Closes, waits for the end, and counts.
inline void check_end(thread_pool& pool) {
  pool.close();
  pool.join();
  check_conservation(pool);
}

}  // namespace weir::model
