// Single workers stand still at any instruction for milliseconds, as on a machine that is loaded,
// debugged or paused: a signal handler that blocks, sent to one thread at a time. Everything shares
// one processor and there are more threads than that can serve. Nothing may be lost, doubled,
// reordered or left asleep.

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "support/conservation.hpp"
#include "support/seed.hpp"
#include "support/time_box.hpp"
#include "support/watchdog.hpp"
#include "weir/this_task.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;

constexpr int k_freeze = SIGUSR2;
std::atomic<long> frozen_for_us{0};
std::atomic<std::uint64_t> freezes{0};

// Async-signal-safe: lock-free atomics and nanosleep.
void stand_still(int) {
  const int kept = errno;
  freezes.fetch_add(1, std::memory_order_relaxed);
  timespec left{0, frozen_for_us.load(std::memory_order_relaxed) * 1000};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
  errno = kept;
}

/// All threads that are started from now on run on one processor, as this one does.
class one_processor {
 public:
  one_processor() {
    CPU_ZERO(&usual_);
    sched_getaffinity(0, sizeof usual_, &usual_);
    cpu_set_t only;
    CPU_ZERO(&only);
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (!CPU_ISSET(cpu, &usual_)) continue;
      CPU_SET(cpu, &only);
      break;
    }
    EXPECT_EQ(sched_setaffinity(0, sizeof only, &only), 0);
  }
  ~one_processor() { sched_setaffinity(0, sizeof usual_, &usual_); }
  one_processor(const one_processor&) = delete;
  one_processor& operator=(const one_processor&) = delete;

 private:
  cpu_set_t usual_;
};

/// Freezes one worker at a time, at random moments, until it is destroyed.
class freezer {
 public:
  freezer(std::string threads, std::uint64_t seed) : prefix_(std::move(threads)), random_(seed) {
    struct sigaction action {};
    action.sa_handler = stand_still;
    sigemptyset(&action.sa_mask);
    action.sa_flags = 0;  // no SA_RESTART: waits see EINTR
    sigaction(k_freeze, &action, &usual_);
    thread_ = std::thread([this] { run(); });
  }
  ~freezer() {
    over_ = true;
    thread_.join();
    sigaction(k_freeze, &usual_, nullptr);
  }
  freezer(const freezer&) = delete;
  freezer& operator=(const freezer&) = delete;

 private:
  void run() {
    while (!over_) {
      const std::vector<pid_t> workers = find();
      frozen_for_us = static_cast<long>(testing::pick(random_, 200, 4'000));
      if (!workers.empty()) {
        const pid_t chosen = workers[testing::pick(random_, 0, workers.size() - 1)];
        // It may have left meanwhile; then nobody is meant.
        (void)syscall(SYS_tgkill, getpid(), chosen, k_freeze);
      }
      const timespec pause{0, static_cast<long>(testing::pick(random_, 50, 2'000)) * 1000};
      (void)nanosleep(&pause, nullptr);
    }
  }

  [[nodiscard]] std::vector<pid_t> find() const {
    std::vector<pid_t> found;
    std::error_code gone;
    for (std::filesystem::directory_iterator at("/proc/self/task", gone), end; !gone && at != end;
         at.increment(gone)) {
      std::ifstream file(at->path() / "comm");
      std::string name;
      if (std::getline(file, name) && name.starts_with(prefix_)) {
        found.push_back(static_cast<pid_t>(std::atol(at->path().filename().c_str())));
      }
    }
    return found;
  }

  const std::string prefix_;
  std::mt19937_64 random_;
  struct sigaction usual_ {};
  std::atomic<bool> over_{false};
  std::thread thread_;
};

/// What the producers of one pool have seen, and what its bodies have done.
struct ledger {
  std::atomic<std::uint64_t> accepted{0}, refused{0}, ran{0}, never_ran{0};
  std::atomic<std::size_t> inside{0}, most_inside{0};

  void body() {
    const std::size_t now = ++inside;
    std::size_t most = most_inside;
    while (now > most && !most_inside.compare_exchange_weak(most, now)) {
    }
    ++ran;
    --inside;
  }
};

void produce(thread_pool& pool, ledger& book, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<future<void>> kept;
  const auto keep = [&](submission<void> answer) {
    ++(answer ? book.accepted : book.refused);
    if (answer) kept.push_back(*std::move(answer));
  };
  for (testing::time_box box; !box.over();) {
    switch (testing::pick(random, 0, 5)) {
      case 0:
        keep(pool.try_submit_after(std::chrono::microseconds(testing::pick(random, 0, 3'000)),
                                   [&book] { book.body(); }));
        break;
      case 1:
        keep(pool.try_submit_for(1ms, [&book] { book.body(); }));
        break;
      case 2:
        if (!kept.empty()) (void)kept[testing::pick(random, 0, kept.size() - 1)].cancel();
        break;
      case 3:
        if (!kept.empty()) kept.back().wait();
        break;
      default:
        keep(pool.try_submit([&book] { book.body(); }));
        break;
    }
    if (kept.size() < 64) continue;
    for (auto& each : kept) {
      each.wait();
      if (each.cancellation() == cancellation::never_started) ++book.never_ran;
    }
    kept.clear();
  }
  for (auto& each : kept) {
    each.wait();
    if (each.cancellation() == cancellation::never_started) ++book.never_ran;
  }
}

// A1, A2, B2, C2: many producers, more workers than processors, workers that come and go.
TEST(frozen, workers_lose_nothing) {
  const testing::watchdog dog("frozen workers", testing::stress_time() + 180s);
  const auto seed = testing::test_seed();
  SCOPED_TRACE(testing::replay(seed));
  std::mt19937_64 random(seed);
  const one_processor pinned;
  const std::uint64_t before = freezes;
  ledger book;
  pool_options options{.core = 3, .max = 8, .keep_alive = 1ms, .capacity = 16, .name = "frozen"};
  options.core_may_time_out = true;
  thread_pool pool(options);
  {
    const freezer ice("frozen-", random());
    std::vector<std::thread> producers;
    for (int at = 0; at < 4; ++at) {
      producers.emplace_back([&, mine = random()] { produce(pool, book, mine); });
    }
    for (auto& each : producers) each.join();
    pool.close();
    pool.join();
  }
  const pool_stats end = pool.stats();
  testing::expect_conserved(end);
  EXPECT_EQ(end.accepted, book.accepted);
  EXPECT_EQ(end.refused, book.refused);
  EXPECT_EQ(book.ran, book.accepted - book.never_ran);
  EXPECT_LE(book.most_inside, 8u);
  EXPECT_LE(end.waiting_max, 16u);
  EXPECT_LE(end.workers_max, 8u);
  EXPECT_GT(freezes, before) << "nobody was ever frozen";
}

// E1–E4 while a worker stands still wherever it happens to be.
TEST(frozen, every_ending_ends) {
  const testing::watchdog dog("endings with a frozen worker", testing::stress_time() + 180s);
  const auto seed = testing::test_seed();
  SCOPED_TRACE(testing::replay(seed));
  std::mt19937_64 random(seed);
  const one_processor pinned;
  const freezer ice("frozen-", random());
  for (testing::time_box box; !box.over();) {
    std::atomic<std::uint64_t> ran{0};
    const auto capture = std::make_shared<int>(0);
    std::vector<future<void>> kept;
    {
      thread_pool pool({.core = 2, .max = 4, .keep_alive = 200us, .capacity = 8, .name = "frozen"});
      for (std::size_t task = testing::pick(random, 1, 40); task > 0; --task) {
        const auto in = std::chrono::microseconds(testing::pick(random, 0, 1'500));
        auto answer = pool.try_submit_after(in, [&ran, capture] { ++ran; });
        if (answer) kept.push_back(*std::move(answer));
      }
      switch (testing::pick(random, 0, 3)) {
        case 0:
          pool.close();
          pool.join();
          break;
        case 1:
          (void)pool.abort();
          break;
        case 2:
          for (auto& each : pool.shutdown_now()) each();
          break;
        default:
          break;
      }
    }
    std::uint64_t never_ran = 0;
    for (auto& each : kept) {
      ASSERT_TRUE(is_terminal(each.state()));
      if (each.cancellation() == cancellation::never_started) ++never_ran;
    }
    ASSERT_EQ(ran, kept.size() - never_ran);
    ASSERT_EQ(capture.use_count(), 1);
  }
}

// B8: the one worker keeps the order, wherever it stands still.
TEST(frozen, one_worker_keeps_the_order) {
  const testing::watchdog dog("order with a frozen worker", testing::stress_time() + 180s);
  const auto seed = testing::test_seed();
  SCOPED_TRACE(testing::replay(seed));
  std::mt19937_64 random(seed);
  const one_processor pinned;
  const freezer ice("frozen-", random());
  manual_clock clock;
  pool_options options{.core = 1, .max = 1, .capacity = unbounded, .name = "frozen"};
  options.clock = &clock;
  thread_pool pool(options);
  for (testing::time_box box; !box.over();) {
    using key = std::pair<clock::time_point, std::uint64_t>;
    std::vector<key> started;  // written by the one worker alone
    std::vector<future<void>> all;
    for (std::size_t task = testing::pick(random, 1, 60); task > 0; --task) {
      const auto due = clock.now() + std::chrono::milliseconds(testing::pick(random, 1, 6));
      all.push_back(
          pool.submit_at(due, [&started, due] { started.emplace_back(due, this_task::id()); }));
    }
    while (clock.advance_to_next_due()) {
    }
    for (auto& each : all) each.get();
    ASSERT_EQ(started.size(), all.size());
    ASSERT_TRUE(std::is_sorted(started.begin(), started.end()));
  }
}

}  // namespace
}  // namespace weir
