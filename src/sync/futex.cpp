#include "sync/futex.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

namespace weir::sync {

namespace {

using steady = std::chrono::steady_clock;

timespec to_timespec(steady::time_point when) noexcept {
  using namespace std::chrono;
  const auto since = when.time_since_epoch();
  if (since <= steady::duration::zero()) return {0, 0};
  const auto whole = duration_cast<seconds>(since);
  return {static_cast<time_t>(whole.count()),
          static_cast<long>(duration_cast<nanoseconds>(since - whole).count())};
}

}  // namespace

bool futex_wait(const atomic<std::uint32_t>& word, std::uint32_t expected,
                deadline until) noexcept {
  timespec limit{};
  if (until) limit = to_timespec(*until);
  const int saved = errno;
  const long result = ::syscall(SYS_futex, reinterpret_cast<const std::uint32_t*>(&word),
                                FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, expected,
                                until ? &limit : nullptr, nullptr, FUTEX_BITSET_MATCH_ANY);
  const bool timed_out = result != 0 && errno == ETIMEDOUT;
  errno = saved;
  return !timed_out;
}

void futex_wake(const atomic<std::uint32_t>* word, int count) noexcept {
  const int saved = errno;
  ::syscall(SYS_futex, reinterpret_cast<const std::uint32_t*>(word),
            FUTEX_WAKE | FUTEX_PRIVATE_FLAG, count, nullptr, nullptr, 0);
  errno = saved;
}

steady::time_point real_now() noexcept { return steady::now(); }

void spin_pause() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace weir::sync
