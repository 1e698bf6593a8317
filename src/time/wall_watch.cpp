#include "time/wall_watch.hpp"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <limits>
#include <system_error>

#include "base/unique_fd.hpp"
#include "sync/fork.hpp"
#include "sync/mutex.hpp"
#include "sync/thread.hpp"
#include "weir/clock.hpp"

namespace weir::detail {

#ifdef WEIR_SYNC_SEAM

void need_wall_watch() {}  // in the explorer nobody sets the clock

#else

namespace {

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

unique_fd checked(int descriptor, const char* what) {
  if (descriptor < 0) fail(what);
  return unique_fd(descriptor);
}

/// Sleeps in the kernel on a timer of the civil clock, which never rings but is cancelled when that
/// clock jumps (timerfd_create(2), TFD_TIMER_CANCEL_ON_SET).
class wall_watch final : public sync::fork_part {
 public:
  wall_watch() { sync::join_forks(*this, sync::fork_rank::clock); }
  ~wall_watch() { sync::leave_forks(*this, sync::fork_rank::clock); }

  void start() {
    // ordering: wall-watch-started
    if (started_.load(sync::acquire)) return;
    const sync::lock_guard lock(mutex_);
    if (started_.load(sync::relaxed)) return;
    timer_ = checked(::timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK),
                     "weir: timerfd_create");
    farewell_ = checked(::eventfd(0, EFD_CLOEXEC), "weir: eventfd");
    arm(timer_.get());
    thread_ = sync::thread([timer = timer_.get(), farewell = farewell_.get()] {
      sync::name_this_thread("weir-wall");
      sigset_t all;
      ::sigfillset(&all);
      ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
      watch(timer, farewell);
    });
    process_.store(::getpid(), sync::relaxed);
    // ordering: wall-watch-started
    started_.store(true, sync::release);
  }

  /// At the end of the process, or when the library is unloaded.
  void leave() noexcept {
    if (process_.load(sync::relaxed) != ::getpid()) return;
    sync::thread ending;
    {
      const sync::lock_guard lock(mutex_);
      if (!thread_.joinable()) return;
      ending = std::move(thread_);
    }
    const std::uint64_t one = 1;
    if (::write(farewell_.get(), &one, sizeof one) == sizeof one) {
      ending.join();
    } else {
      ending.detach();
    }
  }

  void hold_for_fork() noexcept override WEIR_NO_THREAD_SAFETY_ANALYSIS { mutex_.lock(); }
  void resume_parent() noexcept override WEIR_NO_THREAD_SAFETY_ANALYSIS { mutex_.unlock(); }
  // The descriptors are the parent's as well: the child must not read them, and makes its own.
  void resume_child() noexcept override WEIR_NO_THREAD_SAFETY_ANALYSIS {
    thread_.forget();
    timer_ = unique_fd();
    farewell_ = unique_fd();
    started_.store(false, sync::relaxed);
    mutex_.unlock();
  }

 private:
  static void arm(int timer) {
    itimerspec never{};
    never.it_value.tv_sec = std::numeric_limits<std::time_t>::max();
    const int how = TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET;
    // Cancelled at once: the clock was set just now, and the timer stands all the same.
    const bool armed = ::timerfd_settime(timer, how, &never, nullptr) == 0 || errno == ECANCELED;
    if (!armed) fail("weir: timerfd_settime");
  }

  // A jump that comes after the read and before the pools have looked is seen by their look, or
  // cancels the next wait: the timer stays armed.
  static void watch(int timer, int farewell) {
    for (;;) {
      pollfd both[] = {{timer, POLLIN, 0}, {farewell, POLLIN, 0}};
      if (::poll(both, 2, -1) < 0) {
        if (errno == EINTR) continue;
        return;
      }
      // Told to go, or somebody has closed descriptors that are not his.
      if (both[1].revents != 0 || (both[0].revents & POLLNVAL) != 0) return;
      std::uint64_t rings = 0;
      if (::read(timer, &rings, sizeof rings) < 0 && errno != ECANCELED) continue;
      steady_clock::instance().wall_was_set();
    }
  }

  sync::atomic<bool> started_{false};
  sync::atomic<int> process_{0};  // in which the thread was started
  sync::mutex mutex_;
  sync::thread thread_ WEIR_GUARDED_BY(mutex_);
  unique_fd timer_ WEIR_GUARDED_BY(mutex_);
  unique_fd farewell_;
};

constinit wall_watch* of_process = nullptr;

[[gnu::destructor]] void leave_process() noexcept {
  if (of_process != nullptr) of_process->leave();
}

wall_watch& instance() {
  static wall_watch& k_instance = *(of_process = new wall_watch);
  return k_instance;
}

// Made before main, so that no fork finds it half made.
[[maybe_unused]] const auto& made_early = instance();

}  // namespace

void need_wall_watch() { instance().start(); }

#endif

}  // namespace weir::detail
