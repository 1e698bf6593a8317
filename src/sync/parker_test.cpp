#include "sync/parker.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "support/watchdog.hpp"

namespace weir::sync {
namespace {

using std::chrono::steady_clock;
using namespace std::chrono_literals;

TEST(parker, takes_a_token_that_came_early) {
  const testing::watchdog dog("parker, early token");
  parker place;
  place.unpark();
  place.park();
  EXPECT_FALSE(place.park_until(steady_clock::time_point{})) << "the token was there twice";
}

TEST(parker, tokens_do_not_add_up) {
  parker place;
  place.unpark();
  place.unpark();
  EXPECT_TRUE(place.park_until(steady_clock::now()));
  EXPECT_FALSE(place.park_until(steady_clock::now()));
}

TEST(parker, a_deadline_that_has_passed_returns_at_once_and_leaves_the_parker_usable) {
  const testing::watchdog dog("parker, past deadline");
  parker place;
  EXPECT_FALSE(place.park_until(steady_clock::time_point::min()));
  EXPECT_FALSE(place.park_until(steady_clock::now() - 1h));
  place.unpark();
  EXPECT_TRUE(place.park_until(steady_clock::time_point::min())) << "a token beats the deadline";
}

TEST(parker, does_not_return_before_its_deadline) {
  parker place;
  const auto deadline = steady_clock::now() + 20ms;
  EXPECT_FALSE(place.park_until(deadline));
  EXPECT_GE(steady_clock::now(), deadline);
}

TEST(parker, the_end_of_time_is_a_legal_deadline) {
  const testing::watchdog dog("parker, end of time");
  parker place;
  std::thread other([&] { place.unpark(); });
  EXPECT_TRUE(place.park_until(steady_clock::time_point::max()));
  other.join();
}

TEST(parker, hands_over_what_was_written_before) {
  const testing::watchdog dog("parker, ping-pong");
  constexpr int k_rounds = 20'000;
  parker ping, pong;
  int shared = 0;  // no atomic: the token alone orders the accesses
  std::thread other([&] {
    for (int round = 0; round < k_rounds; ++round) {
      ping.park();
      ++shared;
      pong.unpark();
    }
  });
  for (int round = 0; round < k_rounds; ++round) {
    ++shared;
    ping.unpark();
    pong.park();
  }
  other.join();
  EXPECT_EQ(shared, 2 * k_rounds);
}

TEST(parker, may_die_as_soon_as_its_token_is_taken) {
  const testing::watchdog dog("parker, short life");
  for (int round = 0; round < 2'000; ++round) {
    auto place = std::make_unique<parker>();
    std::thread other([at = place.get()] { at->unpark(); });
    place->park();
    place.reset();
    other.join();
  }
}

TEST(parker, loses_no_token_to_a_deadline) {
  const testing::watchdog dog("parker, token against deadline");
  parker place;
  for (int round = 0; round < 2'000; ++round) {
    std::thread other([&] { place.unpark(); });
    const bool in_time = place.park_until(steady_clock::now() + 20us);
    other.join();
    // Either the deadline was first and the token is still there, or it has been taken.
    EXPECT_NE(place.park_until(steady_clock::now()), in_time);
  }
}

}  // namespace
}  // namespace weir::sync
