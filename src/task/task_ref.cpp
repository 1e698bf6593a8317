#include "weir/future.hpp"

#include "sync/futex.hpp"

namespace weir {

task_ref::task_ref(const task_ref& other) noexcept : task_(other.task_) {
  if (task_ != nullptr) detail::retain(*task_);
}

task_ref::~task_ref() {
  if (task_ != nullptr) detail::release(task_);
}

detail::task_base& task_ref::checked() const {
  if (task_ == nullptr) throw std::future_error(std::future_errc::no_state);
  return *task_;
}

cancel_result task_ref::cancel() const { return detail::cancel_task(checked(), false); }
cancel_result task_ref::cancel(if_queued_t) const { return detail::cancel_task(checked(), true); }
task_state task_ref::state() const { return detail::state_of(checked()); }
std::uint64_t task_ref::id() const { return checked().id; }
bool task_ref::wait(const std::stop_token& stop) const {
  return detail::wait_terminal_or_stop(checked(), stop);
}
void task_ref::wait() const { detail::wait_terminal(checked()); }

std::optional<cancellation> task_ref::cancellation() const {
  return detail::cancellation_of(checked());
}

std::optional<std::chrono::steady_clock::time_point> task_ref::due() const {
  const auto& task = checked();
  if (!task.delayed) return std::nullopt;
  return detail::shown_due(task);
}

bool task_ref::wait_until_real(std::chrono::steady_clock::time_point until) const {
  if (until == std::chrono::steady_clock::time_point::max()) {
    wait();
    return true;
  }
  return detail::wait_terminal(checked(), until);
}

std::chrono::steady_clock::time_point task_ref::limit_to_deadline(
    std::chrono::nanoseconds limit) noexcept {
  return detail::saturating_add(sync::real_now(), limit);
}

}  // namespace weir
