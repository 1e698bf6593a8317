#include "weir/task_group.hpp"

#include <stdexcept>
#include <stop_token>
#include <system_error>

#include "executor/lane.hpp"
#include "task/state_word.hpp"
#include "task/unhandled.hpp"
#include "weir/this_task.hpp"

namespace weir {

namespace detail {

/// A lane whose first failure stops it.
class group_lane final : public lane {
 public:
  group_lane(executor_ref on, std::size_t limit)
      : lane(on, {"task_group", limit, unbounded, true}) {}

  [[nodiscard]] std::exception_ptr failure() const noexcept {
    const sync::lock_guard lock(mutex_);
    return failure_;
  }
  /// The failure that nobody has been told of.
  [[nodiscard]] std::exception_ptr tell() noexcept {
    const sync::lock_guard lock(mutex_);
    return std::exchange(told_, true) ? nullptr : failure_;
  }

 private:
  ~group_lane() override = default;

  void left(task_base& task) noexcept override {
    const std::uint32_t word = task.word.load(sync::relaxed);
    const bool threw = (word & state_word::k_threw) != 0;
    if (state_word::phase_of(word) != phase::returned || !threw) return;
    mark_observed(task);
    {
      const sync::lock_guard lock(mutex_);
      if (failure_ == nullptr) failure_ = task.ops->failure(task);
    }
    stop(cancel_reason::cancelled);
  }

  mutable sync::mutex mutex_;
  std::exception_ptr failure_ WEIR_GUARDED_BY(mutex_);
  bool told_ WEIR_GUARDED_BY(mutex_) = false;
  sync::fork_guard in_fork_{mutex_, sync::fork_rank::lane};
};

}  // namespace detail

task_group::task_group(executor_ref on, std::size_t limit) {
  if (limit == 0) throw std::invalid_argument("weir: task_group: a limit of 0 runs nothing");
  lane_ = new detail::group_lane(on, limit);
}

task_group::~task_group() {
  if (std::uncaught_exceptions() > exceptions_ && !lane_->husk()) cancel();
  (void)lane_->serve();
  if (const auto error = lane_->tell()) detail::print_unhandled(error, {0, "of a task_group"});
  lane_->release();
}

std::optional<detail::refusal> task_group::admit(detail::task_base& task,
                                                 detail::admission_request& request) const {
  return lane_->admit(task, request);
}

void task_group::wait() {
  {
    const auto stop = [this] { cancel(); };
    const std::stop_callback hears(this_task::stop_token(), stop);
    if (!lane_->serve()) {
      throw std::system_error(std::make_error_code(std::errc::owner_dead),
                              "weir: the task_group is the parent process's");
    }
  }
  (void)lane_->tell();
  if (const auto error = lane_->failure()) std::rethrow_exception(error);
  if (const auto reason = lane_->stopped()) throw task_cancelled(*reason);
}

void task_group::cancel() { lane_->stop(cancel_reason::cancelled); }
bool task_group::stopped() const noexcept { return lane_->stopped().has_value(); }

}  // namespace weir
