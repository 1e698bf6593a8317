#include "process/start_gate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <thread>
#include <vector>

namespace weir::process {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

TEST(StartGate, IsOpenWithoutAGap) {
  wake_fd stop;
  stop.set();
  start_gate gate(0ns);
  EXPECT_TRUE(gate.pass(stop));
}

TEST(StartGate, KeepsStartsApart) {
  const wake_fd never;
  start_gate gate(20ms);
  const auto begin = steady_clock::now();
  std::mutex mutex;
  std::vector<steady_clock::duration> starts;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      EXPECT_TRUE(gate.pass(never));
      const std::lock_guard held(mutex);
      starts.push_back(steady_clock::now() - begin);
    });
  }
  for (std::thread& one : threads) {
    one.join();
  }
  std::sort(starts.begin(), starts.end());
  for (std::size_t i = 0; i < starts.size(); ++i) {
    EXPECT_GE(starts[i], 20ms * i);
  }
}

TEST(StartGate, HearsAStop) {
  wake_fd stop;
  start_gate gate(1h);
  EXPECT_TRUE(gate.pass(stop));
  std::thread stopper([&] { stop.set(); });
  EXPECT_FALSE(gate.pass(stop));
  stopper.join();
}

TEST(WaitUnless, EndsByTimeOrByStop) {
  wake_fd stop;
  const auto begin = steady_clock::now();
  EXPECT_TRUE(wait_unless(stop, 10ms));
  EXPECT_GE(steady_clock::now() - begin, 10ms);
  stop.set();
  EXPECT_FALSE(wait_unless(stop, 1h));
}

}  // namespace
}  // namespace weir::process
