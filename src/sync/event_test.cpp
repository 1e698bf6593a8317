#include "sync/event.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "support/watchdog.hpp"

namespace weir::sync {
namespace {

using std::chrono::steady_clock;
using namespace std::chrono_literals;

TEST(event, is_set_once_and_for_all) {
  event happened;
  EXPECT_FALSE(happened.is_set());
  happened.set();
  happened.set();
  EXPECT_TRUE(happened.is_set());
  happened.wait();
  EXPECT_TRUE(happened.wait_until(steady_clock::time_point::min()));
}

TEST(event, wakes_everyone_with_what_was_written_before) {
  const testing::watchdog dog("event, wakes everyone");
  for (int round = 0; round < 200; ++round) {
    event happened;
    int written = 0;
    std::vector<std::thread> waiting;
    for (int at = 0; at < 4; ++at) {
      waiting.emplace_back([&] {
        happened.wait();
        EXPECT_EQ(written, 7);
      });
    }
    written = 7;
    happened.set();
    for (auto& each : waiting) each.join();
  }
}

TEST(event, a_wait_ends_at_its_deadline_and_not_before) {
  event never;
  EXPECT_FALSE(never.wait_until(steady_clock::now() - 1s));
  const auto deadline = steady_clock::now() + 20ms;
  EXPECT_FALSE(never.wait_until(deadline));
  EXPECT_GE(steady_clock::now(), deadline);
}

}  // namespace
}  // namespace weir::sync
