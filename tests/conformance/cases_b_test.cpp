// Faults of other systems at wake-ups and shutdown: part B of the cases, those that no test in
// src/pool or tests/stress holds.

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <thread>
#include <vector>

#include "support/conservation.hpp"
#include "support/gate.hpp"
#include "support/watchdog.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

using testing::held_worker;

// Case 17: a worker that is stuck keeps nothing from the others, whatever it had in hand.
TEST(cases, B8_what_one_worker_cannot_take_the_others_do) {
  const testing::watchdog dog("work beside a stuck worker");
  thread_pool pool = thread_pool::fixed(4, 2'000);
  std::vector<future<void>> all;
  for (int task = 0; task < 500; ++task) all.push_back(pool.submit([] {}));
  held_worker stuck(pool);
  for (int task = 0; task < 1'000; ++task) all.push_back(pool.submit([] {}));
  for (auto& each : all) each.get();
  EXPECT_EQ(stuck.done().state(), task_state::running);
}

// Case 20: the end is a state that everybody sees, not a message that one can take from another.
TEST(cases, E3_an_idle_pool_always_joins) {
  const testing::watchdog dog("join of an idle pool");
  for (int round = 0; round < 1'000; ++round) {
    thread_pool pool({.core = 2, .max = 2, .capacity = 2});
    for (int task = 0; task < round % 3; ++task) pool.submit([] {}).get();
    pool.close();
    pool.join();
  }
}

int bell = -1;

void ring(int) {
  const std::uint64_t one = 1;
  (void)!::write(bell, &one, sizeof(one));
}

// Case 29, R26: no pool function may be called in a signal handler. What may be is a write to an
// eventfd, and the thread that reads it closes the pool, wherever the signal met the submitter.
TEST(cases, R26_a_signal_handler_rings_and_a_thread_closes) {
  const testing::watchdog dog("a signal during submit");
  bell = ::eventfd(0, EFD_CLOEXEC);
  ASSERT_GE(bell, 0);
  struct sigaction act = {}, before = {};
  act.sa_handler = ring;
  ASSERT_EQ(::sigaction(SIGUSR1, &act, &before), 0);
  for (int round = 0; round < 200; ++round) {
    thread_pool pool = thread_pool::fixed(1, 4);
    const pthread_t submitter = ::pthread_self();
    std::thread closer([&] {
      std::uint64_t rings = 0;
      while (::read(bell, &rings, sizeof(rings)) != sizeof(rings)) {
      }
      pool.close();
    });
    std::atomic<int> asked{0};
    std::thread sender([&] {
      while (asked < round) std::this_thread::yield();
      ::pthread_kill(submitter, SIGUSR1);
    });
    for (bool open = true; open; ++asked) {
      auto answer = pool.try_submit([] {});
      open = answer.accepted() || answer.why() != reject_reason::closed;
    }
    sender.join();
    closer.join();
    pool.join();
    testing::expect_conserved(pool.stats());
  }
  ::sigaction(SIGUSR1, &before, nullptr);
  ::close(bell);
}

}  // namespace
}  // namespace weir
