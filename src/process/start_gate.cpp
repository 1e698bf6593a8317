#include "process/start_gate.hpp"

#include <poll.h>

#include <algorithm>
#include <cerrno>

#include "weir/detail/duration.hpp"

namespace weir::process {

using std::chrono::steady_clock;

bool wait_unless(const wake_fd& stop, std::chrono::nanoseconds length) {
  const auto until = detail::saturating_add(steady_clock::now(), length);
  for (;;) {
    const auto left = std::max(until - steady_clock::now(), steady_clock::duration::zero());
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
    const timespec limit{static_cast<time_t>(seconds.count()),
                         static_cast<long>((left - seconds).count())};
    pollfd look{stop.fd(), POLLIN, 0};
    const int ready = ::ppoll(&look, 1, &limit, nullptr);
    if (ready >= 0 || errno != EINTR) {
      return ready <= 0;
    }
  }
}

steady_clock::time_point start_gate::take_slot() {
  const sync::lock_guard held(mutex_);
  const auto slot = std::max(next_, steady_clock::now());
  next_ = detail::saturating_add(slot, gap_);
  return slot;
}

bool start_gate::pass(const wake_fd& stop) {
  if (gap_ <= std::chrono::nanoseconds::zero()) {
    return true;
  }
  return wait_unless(stop, take_slot() - steady_clock::now());
}

}  // namespace weir::process
