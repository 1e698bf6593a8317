#include "process/run_limits.hpp"

#include <sys/resource.h>

#include <string>

#include "process/errors.hpp"
#include "weir/pool_options.hpp"

namespace weir::process {
namespace {

constexpr std::size_t k_least_window = 16;
constexpr std::size_t k_window_per_job = 4;
// Two pipes, a process descriptor and two files that output may spill to.
constexpr std::size_t k_descriptors_per_job = 5;
constexpr std::size_t k_descriptors_per_waiting = 2;
constexpr std::size_t k_descriptors_at_rest = 32;

}  // namespace

std::size_t jobs_of(const run_options& options) {
  return options.jobs != 0 ? options.jobs : default_concurrency();
}

std::size_t most_held(const run_options& options) {
  const std::size_t jobs = jobs_of(options);
  return jobs + (options.capacity != 0 ? options.capacity : 2 * jobs);
}

std::size_t window_of(const run_options& options) {
  return k_least_window + k_window_per_job * jobs_of(options);
}

void check_descriptors(const run_options& options) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) {
    return;
  }
  std::size_t needed = k_descriptors_at_rest + k_descriptors_per_job * jobs_of(options);
  if (options.keep_order) {
    needed += k_descriptors_per_waiting * window_of(options);
  }
  if (needed > limit.rlim_cur) {
    throw usage_error("-j " + std::to_string(jobs_of(options)) + " may need " +
                      std::to_string(needed) + " file descriptors, but the limit is " +
                      std::to_string(limit.rlim_cur) +
                      "; raise it with ulimit -n or run fewer at a time");
  }
}

}  // namespace weir::process
