// Signals that arrive at any thread at any time: no wait ends early, none is lost, nothing fails
// with EINTR. And case 29: what a handler may do.

#include <dirent.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

#include "support/conservation.hpp"
#include "support/watchdog.hpp"
#include "weir/this_task.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;
using real = std::chrono::steady_clock;

std::atomic<std::uint64_t> handled{0};

/// While it lives every thread of the process but its own is hit by SIGUSR1 again and again.
class signal_storm {
 public:
  explicit signal_storm(int flags) {
    struct sigaction action = {};
    action.sa_handler = [](int) { handled.fetch_add(1, std::memory_order_relaxed); };
    action.sa_flags = flags;
    ::sigaction(SIGUSR1, &action, &before_);
    thread_ = std::thread([this] { blow(); });
  }
  ~signal_storm() {
    over_ = true;
    thread_.join();
    ::sigaction(SIGUSR1, &before_, nullptr);
  }
  signal_storm(const signal_storm&) = delete;
  signal_storm& operator=(const signal_storm&) = delete;

 private:
  void blow() const {
    sigset_t mine;
    sigemptyset(&mine);
    sigaddset(&mine, SIGUSR1);
    ::pthread_sigmask(SIG_BLOCK, &mine, nullptr);
    const auto self = static_cast<pid_t>(::syscall(SYS_gettid));
    while (!over_) {
      DIR* const threads = ::opendir("/proc/self/task");
      while (const dirent* entry = ::readdir(threads)) {
        const pid_t thread = std::atoi(entry->d_name);
        if (thread > 0 && thread != self) ::syscall(SYS_tgkill, ::getpid(), thread, SIGUSR1);
      }
      ::closedir(threads);
    }
  }

  struct sigaction before_ = {};
  std::atomic<bool> over_{false};
  std::thread thread_;
};

// One thread submits and is blocked, one waits with limits, bodies sleep, timers run.
void work_through_the_storm() {
  pool_options options{.core = 2, .max = 2, .capacity = 4};
  options.on_saturation = saturation::block;
  thread_pool pool(options);
  std::atomic<int> ran{0};
  std::atomic<int> early{0};
  std::thread submitter([&] {
    for (int task = 0; task < 2'000; ++task) pool.execute([&] { ++ran; });
  });
  std::vector<future<void>> timed;
  for (int at = 0; at < 20; ++at) {
    const auto due = real::now() + std::chrono::milliseconds(at);
    timed.push_back(pool.submit_at(due, [&, due] { early += real::now() < due ? 1 : 0; }));
    const auto limit = real::now() + 2ms;
    if (!timed.back().wait_until(limit)) early += real::now() < limit ? 1 : 0;
    auto sleeps = pool.submit([&] {
      const auto until = real::now() + 1ms;
      EXPECT_TRUE(this_task::sleep_for(1ms)) << "nobody has asked it to stop";
      early += real::now() < until ? 1 : 0;
    });
    EXPECT_FALSE(pool.join_for(100us));
    sleeps.get();
  }
  for (auto& each : timed) each.get();
  submitter.join();
  pool.wait_idle();
  EXPECT_EQ(ran, 2'000);
  EXPECT_EQ(early, 0) << "a wait ended before its time";
  testing::expect_conserved(pool.stats());
}

TEST(signals, a_storm_of_interrupting_signals_disturbs_nobody) {
  const testing::watchdog dog("a storm without SA_RESTART");
  handled = 0;
  const signal_storm storm(0);
  work_through_the_storm();
  EXPECT_GT(handled, 0u);
}

TEST(signals, a_storm_of_restarting_signals_disturbs_nobody) {
  const testing::watchdog dog("a storm with SA_RESTART");
  handled = 0;
  const signal_storm storm(SA_RESTART);
  work_through_the_storm();
  EXPECT_GT(handled, 0u);
}

int wake_up = -1;

// Case 29: no member of a pool is async-signal-safe; a handler writes to a descriptor, and a thread
// that reads it shuts down, whatever the interrupted thread was in the middle of.
TEST(signals, case_29_a_handler_asks_another_thread_to_shut_down) {
  const testing::watchdog dog("shutdown by a signal");
  for (int round = 0; round < 50; ++round) {
    wake_up = ::eventfd(0, EFD_CLOEXEC);
    struct sigaction action = {};
    struct sigaction before = {};
    action.sa_handler = [](int) {
      const std::uint64_t one = 1;
      if (::write(wake_up, &one, sizeof one) < 0) ::_exit(9);
    };
    ::sigaction(SIGUSR2, &action, &before);
    thread_pool pool = thread_pool::fixed(1, 64);
    const pthread_t here = ::pthread_self();
    std::thread ender([&] {
      std::uint64_t count = 0;
      while (::read(wake_up, &count, sizeof count) < 0) {
      }
      pool.abort();
    });
    std::thread sender([here] { ::pthread_kill(here, SIGUSR2); });
    std::uint64_t accepted = 0;
    for (;;) {
      const auto answer = pool.try_submit([] {});
      if (answer.accepted()) {
        ++accepted;
      } else if (answer.why() == reject_reason::closed) {
        break;
      }
    }
    sender.join();
    ender.join();
    pool.join();
    EXPECT_EQ(pool.stats().accepted, accepted);
    testing::expect_conserved(pool.stats());
    ::sigaction(SIGUSR2, &before, nullptr);
    ::close(wake_up);
  }
}

}  // namespace
}  // namespace weir
