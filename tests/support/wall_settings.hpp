#pragma once

#include <sys/timerfd.h>

#include <cerrno>
#include <cstdint>
#include <ctime>
#include <limits>

#include "base/unique_fd.hpp"

namespace weir::testing {

/// Tells whether anybody has set the system's civil time since it was last asked.
class wall_settings {
 public:
  wall_settings() : timer_(::timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK)) {
    itimerspec never{};
    never.it_value.tv_sec = std::numeric_limits<std::time_t>::max();
    (void)::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never,
                            nullptr);
  }

  [[nodiscard]] bool was_set() const noexcept {
    std::uint64_t rings = 0;
    return ::read(timer_.get(), &rings, sizeof rings) < 0 && errno == ECANCELED;
  }

 private:
  unique_fd timer_;
};

}  // namespace weir::testing
