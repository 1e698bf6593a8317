#include "pool/limits.hpp"

#include <stdexcept>
#include <string>
#include <utility>

#include "weir/thread_pool.hpp"

namespace weir::detail {

using std::chrono::nanoseconds;

void bad_option(const std::string& what) {
  throw std::invalid_argument("weir: thread_pool: " + what);
}

void check(const limits& wanted) {
  if (wanted.max == 0) bad_option("max is 0: a pool without workers runs nothing");
  if (wanted.max > thread_pool::max_workers) {
    bad_option("max is " + std::to_string(wanted.max) + ", at most " +
               std::to_string(thread_pool::max_workers) + " are allowed");
  }
  if (wanted.core > wanted.max) {
    bad_option("core " + std::to_string(wanted.core) + " is more than max " +
               std::to_string(wanted.max));
  }
  if (wanted.keep_alive < nanoseconds::zero()) bad_option("keep_alive is negative");
  if (wanted.core_may_time_out && wanted.keep_alive == nanoseconds::zero()) {
    bad_option("core_may_time_out with a keep_alive of zero would start a thread per task");
  }
  if (wanted.capacity_weight == 0) {
    bad_option("capacity_weight is 0: no task with a weight could ever enter; leave it unbounded");
  }
}

void check(const saturation_policy& wanted) {
  const auto* function = std::get_if<saturation_function>(&wanted);
  if (function != nullptr && !*function) bad_option("on_saturation is an empty function");
}

standing_policy::standing_policy(saturation_policy wanted) {
  if (const auto* chosen = std::get_if<saturation>(&wanted)) {
    fixed = *chosen;
  } else {
    function = std::make_shared<const saturation_function>(
        std::move(std::get<saturation_function>(wanted)));
  }
}

limits limits_of(const pool_options& options) {
  if (options.max != 0 && options.core <= options.max && !options.capacity) {
    bad_option("no capacity given; say how many tasks may wait, or weir::unbounded");
  }
  const limits wanted{options.core,
                      options.max,
                      options.keep_alive,
                      options.core_may_time_out,
                      options.capacity.value_or(0),
                      options.capacity_weight,
                      options.growth};
  check(wanted);
  return wanted;
}

}  // namespace weir::detail
