#pragma once

#include <exception>
#include <utility>

#include "weir/detail/detached.hpp"
#include "weir/detail/sync.hpp"

namespace weir::detail {

/// A detached task on its way through an executor that knows nothing of it. Two have a part in it,
/// the callable that was submitted and whoever submits it; the second one to leave decides what
/// becomes of a task that has not run, and frees the record.
class carriage {
 public:
  using disposal = void (*)(carriage&) noexcept;

  carriage(detached_task carried, disposal dispose) noexcept
      : task(std::move(carried)), dispose_(dispose) {}
  carriage(const carriage&) = delete;
  carriage& operator=(const carriage&) = delete;

  /// The executor has taken the callable over; it may be gone already.
  void submitted() noexcept { leave(); }
  /// The executor has thrown: that is the task's result, unless it has run all the same.
  void refused(std::exception_ptr error) noexcept;
  /// The callable has run or been dropped.
  void leave() noexcept;

  detached_task task;

 private:
  const disposal dispose_;
  sync::atomic<bool> one_has_left_{false};
};

/// The callable that an executor is given. Move-only; dropped unrun it lets go of the task.
class carrier {
 public:
  explicit carrier(carriage& of) noexcept : carriage_(&of) {}
  carrier(carrier&& other) noexcept : carriage_(std::exchange(other.carriage_, nullptr)) {}
  carrier(const carrier&) = delete;
  carrier& operator=(const carrier&) = delete;
  ~carrier() {
    if (carriage_ != nullptr) carriage_->leave();
  }

  void operator()() { run_carried(carriage_->task.task()); }

 private:
  carriage* carriage_;
};

}  // namespace weir::detail
