#include "weir/clock.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>
#include <vector>

#include "time/clock_listener.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;
using time_point = clock::time_point;

/// Stands in for a pool: remembers what it was told.
class listener final : public detail::clock_listener {
 public:
  explicit listener(clock& source, std::optional<time_point> due = {})
      : due_(due), source_(source) {
    listen(source);
  }
  ~listener() { stop_listening(source_); }

  void clock_moved(time_point now) noexcept override { heard.push_back(now); }
  void wall_moved(time_point now, std::chrono::system_clock::time_point wall) noexcept override {
    set.emplace_back(now, wall);
  }
  std::optional<time_point> next_due() noexcept override { return due_; }

  std::vector<time_point> heard;
  std::vector<std::pair<time_point, std::chrono::system_clock::time_point>> set;

 private:
  std::optional<time_point> due_;
  clock& source_;
};

TEST(manual_clock, stands_still_until_it_is_moved) {
  manual_clock clock(time_point(5s));
  EXPECT_EQ(clock.now(), time_point(5s));
  EXPECT_EQ(clock.now(), time_point(5s));
  clock.advance(2s);
  EXPECT_EQ(clock.now(), time_point(7s));
  clock.advance(0s);
  EXPECT_EQ(clock.now(), time_point(7s));
}

TEST(manual_clock, R28_jumps_once_and_tells_everybody) {
  manual_clock clock;
  listener one(clock);
  listener two(clock);
  clock.advance(365 * 24h);
  EXPECT_EQ(one.heard, std::vector{time_point(365 * 24h)});
  EXPECT_EQ(two.heard, one.heard);
}

TEST(manual_clock, C5_the_civil_time_goes_along_and_may_be_set) {
  using wall_point = manual_clock::wall_point;
  const manual_clock plain(time_point(5s));
  EXPECT_EQ(plain.wall_now(), wall_point{});
  manual_clock clock(time_point(5s), wall_point(100h));
  listener one(clock);
  clock.advance(1s);
  EXPECT_EQ(clock.wall_now(), wall_point(100h + 1s));
  EXPECT_TRUE(one.set.empty());
  clock.set_wall(wall_point(1h));
  EXPECT_EQ(clock.now(), time_point(6s)) << "the other stays";
  EXPECT_EQ(clock.wall_now(), wall_point(1h));
  ASSERT_EQ(one.set.size(), 1u);
  EXPECT_EQ(one.set[0], std::pair(time_point(6s), wall_point(1h)));
  clock.advance(2s);
  EXPECT_EQ(clock.wall_now(), wall_point(1h + 2s));
}

TEST(manual_clock, C5_the_civil_time_ends_where_its_type_ends) {
  using wall_point = manual_clock::wall_point;
  manual_clock clock(time_point(1h), wall_point::max());
  clock.advance(2h);
  EXPECT_EQ(clock.wall_now(), wall_point::max());
  clock.set_wall(wall_point::min());
  clock.advance(1h);
  EXPECT_LT(clock.wall_now(), wall_point{});
}

TEST(manual_clock, tells_nobody_who_has_stopped_listening) {
  manual_clock clock;
  listener gone(clock, time_point(4s));
  gone.stop_listening(clock);
  clock.advance(1s);
  EXPECT_TRUE(gone.heard.empty());
  EXPECT_FALSE(clock.advance_to_next_due());
  gone.listen(clock);
  EXPECT_TRUE(clock.advance_to_next_due());
}

TEST(manual_clock, R28_advances_to_the_earliest_due_time_of_all) {
  manual_clock clock;
  EXPECT_FALSE(clock.advance_to_next_due());
  const listener none(clock);
  const listener later(clock, time_point(9s));
  const listener sooner(clock, time_point(4s));
  EXPECT_TRUE(clock.advance_to_next_due());
  EXPECT_EQ(clock.now(), time_point(4s));
}

TEST(manual_clock, a_due_time_that_has_passed_moves_nothing_but_wakes) {
  manual_clock clock(time_point(10s));
  listener late(clock, time_point(4s));
  EXPECT_TRUE(clock.advance_to_next_due());
  EXPECT_EQ(clock.now(), time_point(10s));
  EXPECT_EQ(late.heard.size(), 1u);
}

TEST(manual_clock, C4_refuses_to_go_back_or_over_the_end) {
  manual_clock clock(time_point::max() - 1s);
  listener pool(clock);
  EXPECT_THROW(clock.advance(-1ns), std::invalid_argument);
  EXPECT_THROW(clock.advance(2s), std::invalid_argument);
  EXPECT_EQ(clock.now(), time_point::max() - 1s);
  EXPECT_TRUE(pool.heard.empty());
  clock.advance(1s);
  EXPECT_EQ(clock.now(), time_point::max());
}

TEST(manual_clock, has_a_civil_time_that_moves_with_it) {
  manual_clock clock(time_point(5s));
  const auto before = clock.wall_now();
  clock.advance(90min);
  EXPECT_EQ(clock.wall_now() - before, 90min);
}

TEST(manual_clock, no_real_time_brings_its_due_times) {
  const manual_clock clock;
  EXPECT_EQ(clock.real_time_of(time_point(1s)), std::nullopt);
}

TEST(manual_clock, may_be_moved_by_several_threads) {
  manual_clock clock;
  std::vector<std::thread> movers;
  for (int mover = 0; mover < 4; ++mover) {
    movers.emplace_back([&] {
      for (int step = 0; step < 1'000; ++step) clock.advance(1ns);
    });
  }
  for (auto& each : movers) each.join();
  EXPECT_EQ(clock.now(), time_point(4'000ns));
}

TEST(steady_clock, is_the_system_s_monotonic_time) {
  auto& clock = steady_clock::instance();
  EXPECT_EQ(&clock, &steady_clock::instance());
  const auto before = std::chrono::steady_clock::now();
  const auto reading = clock.now();
  EXPECT_GE(reading, before);
  EXPECT_LE(reading, std::chrono::steady_clock::now());
  EXPECT_EQ(clock.real_time_of(reading), reading);
}

/// A clock of somebody else, moved by hand and by `wake`.
class foreign_clock final : public clock {
 public:
  time_point now() const noexcept override { return reading; }
  using clock::next_due;
  time_point reading{3s};
};

TEST(clock, C4_wake_passes_the_reading_on) {
  foreign_clock clock;
  listener pool(clock, time_point(8s));
  clock.wake();
  clock.reading = time_point(6s);
  clock.wake();
  EXPECT_EQ(pool.heard, (std::vector{time_point(3s), time_point(6s)}));
  EXPECT_EQ(clock.next_due(), time_point(8s));
  EXPECT_EQ(clock.real_time_of(time_point(8s)), std::nullopt);
}

}  // namespace
}  // namespace weir
