#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include "weir/detail/task_base.hpp"
#include "weir/schedule.hpp"
#include "weir/series.hpp"

namespace weir::detail {

using wall_point = std::chrono::system_clock::time_point;

/// When the runs of one series are due: arithmetic over readings of the clocks, without a lock, a
/// clock or a thread. One due time at a time, in this order: `first`; then, whenever that time has
/// come, `begins` and `next`. Distinct objects: safe. Shared objects: unsafe.
class series_plan {
 public:
  /// What the clocks of a pool show. A period needs `now` alone, a schedule `wall` alone.
  struct reading {
    time_point now;
    wall_point wall;
  };
  /// When a run is due, jitter included: on the pool's clock, or in civil time.
  struct slot {
    time_point due;
    std::optional<wall_point> wall = {};
  };

  /// Every `period`, for the first time at `first`.
  series_plan(std::chrono::nanoseconds period, time_point first, const series_options& options);
  /// At the times of `when` that come after `now`. Never null.
  series_plan(std::shared_ptr<const schedule> when, wall_point now, const series_options& options);

  /// None: the schedule has no time to come. Like all below it throws what the schedule throws.
  [[nodiscard]] std::optional<slot> first();

  /// The due time has come, and `at` is now: whether a run starts for it. If later ones have come
  /// as well, it may stand for them, or be passed over with them.
  [[nodiscard]] bool begins(const reading& at);

  /// The due time after that; `at` is the end of the run.
  [[nodiscard]] std::optional<slot> next(const reading& at);

  /// The civil time of the current due time, without jitter; none with a period.
  [[nodiscard]] std::optional<wall_point> wall() const noexcept;

  /// Due times that got no run of their own, since the last call.
  [[nodiscard]] std::uint64_t take_skipped() noexcept;

 private:
  [[nodiscard]] std::chrono::nanoseconds jitter_of(std::uint64_t index) const noexcept;
  [[nodiscard]] time_point due_of(std::uint64_t index) const noexcept;
  [[nodiscard]] std::uint64_t last_due_by(time_point now) const noexcept;
  [[nodiscard]] bool begins_on_grid(time_point now) noexcept;
  [[nodiscard]] slot next_on_grid(time_point now) noexcept;

  [[nodiscard]] wall_point put_off(wall_point at, std::uint64_t index) const;
  [[nodiscard]] std::optional<slot> next_of_schedule();
  [[nodiscard]] bool begins_by_schedule(wall_point now);
  [[nodiscard]] std::optional<slot> next_by_schedule(wall_point now);
  /// Passes over all that is due by `now`: of very many the last ones uncounted.
  void pass_over(wall_point now);

  std::shared_ptr<const schedule> when_;  // null: a period
  std::chrono::nanoseconds period_{};
  std::chrono::nanoseconds jitter_;
  std::uint64_t seed_;
  catch_up catch_up_;
  recurrence mode_;
  time_point origin_{};      // due time 0 of the grid
  wall_point at_{};          // the current time of the schedule
  wall_point after_{};       // the next one comes after this
  std::uint64_t index_ = 0;  // of the current due time
  std::uint64_t skipped_ = 0;
};

}  // namespace weir::detail
