#include "weir/detail/lane_handle.hpp"

#include <stdexcept>
#include <string>

#include "executor/lane.hpp"

namespace weir::detail {

lane_handle::lane_handle(executor_ref on, const char* what, std::size_t width,
                         std::size_t capacity) {
  if (width == 0) {
    throw std::invalid_argument(std::string("weir: ") + what + ": a width of 0 runs nothing");
  }
  lane_ = new lane(on, {what, width, capacity});
}

lane_handle::~lane_handle() { lane_->release(); }

std::optional<refusal> lane_handle::admit_here(task_base& task,
                                               const admission_request& request) const {
  return lane_->admit(task, request);
}

void lane_handle::close() noexcept { lane_->close(); }
bool lane_handle::closed() const noexcept { return lane_->closed(); }
void lane_handle::wait_idle() { (void)lane_->wait_idle({}); }
std::size_t lane_handle::size() const noexcept { return lane_->size(); }
bool lane_handle::running_in_this_thread() const noexcept { return lane_->runs_here(); }

std::size_t lane_handle::cancel_pending() noexcept {
  return lane_->cancel_pending(cancel_reason::cancelled);
}

bool lane_handle::wait_idle_within(std::chrono::nanoseconds limit) {
  sync::deadline until;
  if (limit != std::chrono::nanoseconds::max()) until = saturating_add(sync::real_now(), limit);
  return lane_->wait_idle(until);
}

}  // namespace weir::detail
