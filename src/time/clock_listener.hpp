#pragma once

#include <optional>

#include "base/intrusive_list.hpp"
#include "weir/clock.hpp"

namespace weir::detail {

/// Somebody who lives by a clock and wants to hear when it is moved: a pool. Called under the
/// registry's lock, so it may take its own lock but never calls back into the clock.
class clock_listener {
 public:
  clock_listener() = default;
  clock_listener(const clock_listener&) = delete;
  clock_listener& operator=(const clock_listener&) = delete;

  virtual void clock_moved(clock::time_point now) noexcept = 0;
  /// The civil time was set, and is `wall` when the clock shows `now`.
  virtual void wall_moved(clock::time_point now,
                          std::chrono::system_clock::time_point wall) noexcept = 0;
  [[nodiscard]] virtual std::optional<clock::time_point> next_due() noexcept = 0;

  void listen(clock& source) noexcept;
  /// After this returns no call is running or will come.
  void stop_listening(clock& source) noexcept;

  list_links<clock_listener> links;

 protected:
  ~clock_listener() = default;
};

}  // namespace weir::detail
