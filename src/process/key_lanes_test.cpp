#include "process/key_lanes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weir::process {
namespace {

class KeyLanes : public ::testing::Test, public job_owner {
 protected:
  void let_go(job& one) noexcept override { dropped.push_back(one.place); }

  job_ticket job_of(std::uint64_t place, std::optional<std::string> key) {
    job_ticket made(new job{this, place, finished_command(), {}});
    made->record.what.key = std::move(key);
    return made;
  }
  // Whether it may start at once.
  bool enter(std::uint64_t place, std::optional<std::string> key) {
    const job_ticket started = lanes.enter(job_of(place, std::move(key)));
    return over(started);
  }
  // The place of the next one of a lane, or 0.
  std::uint64_t leave(const std::string& key) {
    job_ticket next = lanes.leave(key);
    const std::uint64_t place = next == nullptr ? 0 : next->place;
    delete next.release();
    return place;
  }
  static bool over(const job_ticket& started) { return started != nullptr; }

  std::vector<std::uint64_t> dropped;
  key_lanes lanes;
};

TEST_F(KeyLanes, WithoutAKeyNothingWaits) {
  EXPECT_TRUE(enter(1, std::nullopt));
  EXPECT_TRUE(enter(2, std::nullopt));
}

TEST_F(KeyLanes, OfOneKeyOneAtATimeInTheOrderOfTheInput) {
  EXPECT_TRUE(enter(1, "a"));
  EXPECT_FALSE(enter(2, "a"));
  EXPECT_TRUE(enter(3, "b"));
  EXPECT_FALSE(enter(4, "a"));
  EXPECT_EQ(leave("a"), 2u);
  EXPECT_FALSE(enter(5, "a")) << "the key went from one command to the next, it was not free";
  EXPECT_EQ(leave("a"), 4u);
  EXPECT_EQ(leave("a"), 5u);
  EXPECT_EQ(leave("a"), 0u);
  EXPECT_TRUE(enter(6, "a")) << "a lane that is empty is gone";
  EXPECT_EQ(leave("b"), 0u);
}

TEST_F(KeyLanes, AnEmptyKeyIsAKey) {
  EXPECT_TRUE(enter(1, ""));
  EXPECT_FALSE(enter(2, ""));
}

TEST_F(KeyLanes, AfterTheCloseNothingIsKept) {
  dropped.clear();
  EXPECT_TRUE(enter(1, "a"));
  EXPECT_FALSE(enter(2, "a"));
  EXPECT_FALSE(enter(3, "a"));
  dropped.clear();
  { const std::vector<job_ticket> kept = lanes.close(); }
  EXPECT_EQ(dropped, (std::vector<std::uint64_t>{2, 3}))
      << "whoever drops a ticket tells its owner";
  EXPECT_TRUE(enter(4, "a"));
  EXPECT_TRUE(enter(5, "a"));
  EXPECT_EQ(leave("a"), 0u);
}

}  // namespace
}  // namespace weir::process
