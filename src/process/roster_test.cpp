#include "process/roster.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <utility>

#include "sync/event.hpp"
#include "sync/thread.hpp"
#include "weir/detail/sync.hpp"

namespace weir::process {
namespace {

command numbered(std::uint64_t seq, std::size_t bytes = 1, std::optional<std::string> key = {}) {
  command one;
  one.seq = seq;
  one.text = std::string(bytes, 'x');
  one.key = std::move(key);
  return one;
}

// Enters on a thread of its own, where it has to wait, and tells what came of it.
class late_reader {
 public:
  late_reader(roster& into, command one)
      : thread_([this, &into, one = std::move(one)] {
          entered_ = into.enter(one);
          is_done_.store(true, sync::relaxed);
          done_.set();
        }) {
    while (!into.look(0).reader_waits && !is_done_.load(sync::relaxed)) {
      std::this_thread::yield();
    }
    EXPECT_FALSE(is_done_.load(sync::relaxed)) << "it entered without waiting";
  }
  bool result() {
    done_.wait();
    return entered_;
  }
  ~late_reader() { thread_.join(); }

 private:
  bool entered_ = false;
  sync::atomic<bool> is_done_{false};
  sync::event done_;
  sync::thread thread_;
};

TEST(Roster, CountsTheTextAndTheValueOnceEach) {
  command one;
  one.text = one.tag = "sleep 1";
  EXPECT_EQ(roster::bytes_of(one), 7u);
  one.tag = "1";
  EXPECT_EQ(roster::bytes_of(one), 8u);
}

TEST(Roster, BlocksWhenThereAreAsManyAsMayBe) {
  roster held(2, 0);
  EXPECT_TRUE(held.enter(numbered(1)));
  EXPECT_TRUE(held.enter(numbered(2)));
  late_reader third(held, numbered(3));
  held.leave(2);
  EXPECT_TRUE(third.result());
}

TEST(Roster, BlocksWhenThereAreAsManyBytesAsMayBe) {
  roster held(100, 10);
  EXPECT_TRUE(held.enter(numbered(1, 6)));
  EXPECT_TRUE(held.enter(numbered(2, 4)));
  held.leave(2);
  late_reader third(held, numbered(3, 5));
  held.leave(1);
  EXPECT_TRUE(third.result());
  EXPECT_EQ(held.look(0).bytes, 5u);
}

TEST(Roster, WhatIsHeavierThanTheBoundEntersAlone) {
  roster held(100, 10);
  EXPECT_TRUE(held.enter(numbered(1, 1)));
  late_reader heavy(held, numbered(2, 11));
  held.leave(1);
  EXPECT_TRUE(heavy.result());
  late_reader next(held, numbered(3, 1));
  held.leave(2);
  EXPECT_TRUE(next.result());
}

TEST(Roster, AStopEndsTheWaitAndLetsNobodyIn) {
  roster held(1, 0);
  EXPECT_TRUE(held.enter(numbered(1)));
  {
    late_reader second(held, numbered(2));
    held.stop();
    EXPECT_FALSE(second.result());
  }
  held.leave(1);
  EXPECT_FALSE(held.enter(numbered(3)));
  held.leave(3);
  EXPECT_EQ(held.look(0).bytes, 0u);
}

TEST(Roster, KnowsWhereEachCommandStands) {
  roster held(100, 0);
  for (std::uint64_t seq = 1; seq <= 4; ++seq) {
    ASSERT_TRUE(held.enter(numbered(seq)));
  }
  for (std::uint64_t seq = 5; seq <= 8; ++seq) {
    ASSERT_TRUE(held.enter(numbered(seq, 1, seq == 8 ? "b" : "a")));
  }
  const auto now = std::chrono::steady_clock::now();
  held.runs(1, 2);
  held.has_process(1, 4711);
  held.retries(2, 3, now + std::chrono::hours(2));
  held.retries(3, 2, now + std::chrono::hours(1));
  held.is_ready(5);
  held.runs(8, 1);
  held.ends(8);

  const roster::view seen = held.look(1);
  EXPECT_EQ(seen.last_read, 8u);
  ASSERT_EQ(seen.running.size(), 2u);
  EXPECT_EQ(seen.running[0].pid, 4711);
  EXPECT_EQ(seen.running[0].attempt, 2u);
  EXPECT_EQ(seen.running[1].where, standing::ending);
  EXPECT_EQ(seen.ready_count, 2u);
  ASSERT_EQ(seen.ready.size(), 1u);
  EXPECT_EQ(seen.ready[0].seq, 4u);
  EXPECT_EQ(seen.retrying_count, 2u);
  ASSERT_EQ(seen.retrying.size(), 1u);
  EXPECT_EQ(seen.retrying[0].seq, 3u) << "the one that is due first";
  EXPECT_EQ(seen.behind_key_count, 2u);
  ASSERT_EQ(seen.lanes.size(), 1u) << "nothing waits for b";
  EXPECT_EQ(seen.lanes[0].key, "a");
  EXPECT_EQ(seen.lanes[0].waiting, 2u);
  EXPECT_EQ(seen.lanes[0].holder, 5u);
}

TEST(Roster, KeepsExcerptsAlone) {
  roster held(2, 0);
  ASSERT_TRUE(held.enter(numbered(1, 100'000, std::string(100'000, 'k'))));
  held.is_ready(1);
  const roster::view seen = held.look(1);
  EXPECT_LT(seen.ready[0].text.size(), 100u);
  EXPECT_LT(seen.ready[0].key->size(), 100u);
  EXPECT_EQ(seen.bytes, 100'000u);
}

TEST(Roster, APlaceLeavesByItself) {
  roster held(1, 0);
  ASSERT_TRUE(held.enter(numbered(1)));
  { const roster_place place(held, 1); }
  EXPECT_TRUE(held.enter(numbered(2)));
}

}  // namespace
}  // namespace weir::process
