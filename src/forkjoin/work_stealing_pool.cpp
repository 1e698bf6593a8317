#include "weir/work_stealing_pool.hpp"

#include <stdexcept>

#include "forkjoin/fork_crew.hpp"

namespace weir {

namespace {

constexpr std::size_t k_most = 1000;

const work_stealing_options& checked(const work_stealing_options& options) {
  if (options.parallelism >= 1 && options.parallelism <= k_most) return options;
  throw std::invalid_argument("weir: a work_stealing_pool with a parallelism of " +
                              std::to_string(options.parallelism) + "; it may be 1 to " +
                              std::to_string(k_most));
}

}  // namespace

work_stealing_pool::work_stealing_pool(work_stealing_options options)
    : crew_(std::make_unique<detail::fork_crew>(checked(options))) {}

work_stealing_pool::~work_stealing_pool() = default;

bool work_stealing_pool::bring(detail::fork_job& job) { return crew_->bring(job); }

std::size_t work_stealing_pool::parallelism() const noexcept { return crew_->size(); }

work_stealing_stats work_stealing_pool::stats() const noexcept { return crew_->stats(); }

bool work_stealing_pool::is_inside() const noexcept {
  const auto* const self = detail::fork_thread::current();
  return self != nullptr && &self->crew() == crew_.get();
}

}  // namespace weir
