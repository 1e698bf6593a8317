#pragma once

#include <chrono>
#include <memory>
#include <optional>

namespace weir {

namespace detail {
class clock_listener;
class clock_registry;
}  // namespace detail

/// The time that a pool lives by: decides when delayed tasks are due and when idle workers leave.
/// Waits for results and for termination use real time instead, so that a frozen clock freezes no
/// test.
///
/// An implementation's `now` must be nonnegative, nondecreasing, cheap, nonthrowing and
/// thread-safe; the pool calls it outside its locks. A reading that goes backwards is counted in
/// `stats` and not obeyed. The clock outlives its pools. Shared objects: safe.
class clock {
 public:
  using duration = std::chrono::nanoseconds;
  using time_point = std::chrono::steady_clock::time_point;

  clock();
  virtual ~clock();
  clock(const clock&) = delete;
  clock& operator=(const clock&) = delete;

  [[nodiscard]] virtual time_point now() const noexcept = 0;

  /// The civil time that belongs to `now`. Default: the system's.
  [[nodiscard]] virtual std::chrono::system_clock::time_point wall_now() const noexcept;

  /// The real time at which a sleeper should look again in order to see `due` arrive; none means
  /// that no amount of real time brings it and that `wake` will be called instead. Default: none.
  [[nodiscard]] virtual std::optional<std::chrono::steady_clock::time_point> real_time_of(
      time_point due) const noexcept;

  /// Tells every pool on this clock that `now` has moved. For clocks that are moved from outside.
  void wake() noexcept;

  /// Tells every pool on this clock that `wall_now` was set: tasks of a civil time find their new
  /// place. `steady_clock` hears of it from the system; for other clocks whoever sets them calls
  /// this.
  void wall_was_set() noexcept;

 protected:
  /// The earliest due time that any pool on this clock waits for.
  [[nodiscard]] std::optional<time_point> next_due() const noexcept;

 private:
  friend class detail::clock_listener;
  std::unique_ptr<detail::clock_registry> registry_;
};

/// Real time: CLOCK_MONOTONIC. The default of every pool.
class steady_clock final : public clock {
 public:
  [[nodiscard]] time_point now() const noexcept override;
  [[nodiscard]] std::optional<std::chrono::steady_clock::time_point> real_time_of(
      time_point due) const noexcept override;

  /// The one instance, which pools share.
  [[nodiscard]] static steady_clock& instance() noexcept;

 private:
  steady_clock() = default;
};

/// A clock that stands still until a test moves it. Its civil time goes along with `now`, and may
/// be set besides.
class manual_clock final : public clock {
 public:
  using wall_point = std::chrono::system_clock::time_point;

  explicit manual_clock(time_point start = time_point{}, wall_point wall = wall_point{});
  ~manual_clock() override;

  [[nodiscard]] time_point now() const noexcept override;
  [[nodiscard]] std::chrono::system_clock::time_point wall_now() const noexcept override;

  /// Moves time forward in one jump, wakes every pool on this clock and returns; what became due
  /// runs on the pools' workers. Throws `std::invalid_argument` when `step` is negative or runs off
  /// the time line.
  void advance(duration step);

  /// Sets the civil time, as somebody sets a system's clock: `now` stays where it is.
  void set_wall(wall_point wall);

  /// Advances to the earliest due time of all pools on this clock. False, and nothing moves, when
  /// no delayed task waits.
  bool advance_to_next_due();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace weir
