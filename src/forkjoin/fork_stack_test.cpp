// The split stack by itself, on one thread: docs/design/split-stack.md.

#include "weir/detail/fork_stack.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <deque>

namespace weir::detail {
namespace {

struct job final : fork_job {
  job() noexcept : fork_job([](fork_job&) noexcept { return true; }) {}
};

TEST(fork_stack, gives_out_nothing_unasked) {
  fork_stack stack;
  std::array<job, 3> jobs;
  for (job& each : jobs) EXPECT_TRUE(stack.push(each));
  EXPECT_FALSE(stack.wanted());
  EXPECT_EQ(stack.oldest().job, nullptr);
  EXPECT_EQ(stack.head(), 3U);
  for (std::uint64_t at = 3; at-- > 0;) EXPECT_TRUE(stack.pop(at));
  EXPECT_EQ(stack.head(), 0U);
}

TEST(fork_stack, gives_out_the_older_half_when_asked_and_once) {
  fork_stack stack;
  std::array<job, 5> jobs;
  for (std::size_t i = 0; i < 4; ++i) EXPECT_TRUE(stack.push(jobs[i]));
  stack.want();
  EXPECT_TRUE(stack.wanted());
  EXPECT_FALSE(stack.push(jobs[4]));
  const auto outcome = stack.push_slowly(jobs[4]);
  EXPECT_TRUE(outcome.in);
  EXPECT_TRUE(outcome.exposed);
  EXPECT_FALSE(stack.wanted()) << "asked once, served once";
  for (std::size_t i = 0; i < 3; ++i) {
    const auto oldest = stack.oldest();
    EXPECT_EQ(oldest.job, &jobs[i]);
    EXPECT_TRUE(stack.take(oldest));
    EXPECT_FALSE(stack.take(oldest)) << "gone";
  }
  EXPECT_EQ(stack.oldest().job, nullptr) << "two stay with the owner";
  EXPECT_TRUE(stack.pop(4));
  EXPECT_TRUE(stack.pop(3));
  EXPECT_FALSE(stack.pop(2));
  EXPECT_FALSE(stack.pop(1));
  EXPECT_FALSE(stack.pop(0));
}

TEST(fork_stack, takes_back_what_is_public) {
  fork_stack stack;
  std::array<job, 2> jobs;
  EXPECT_TRUE(stack.push(jobs[0]));
  stack.want();
  EXPECT_TRUE(stack.push_slowly(jobs[1]).in);
  ASSERT_EQ(stack.oldest().job, &jobs[0]);
  const auto seen = stack.oldest();
  EXPECT_TRUE(stack.pop(1));
  EXPECT_TRUE(stack.pop(0));
  EXPECT_EQ(stack.oldest().job, nullptr);
  EXPECT_FALSE(stack.take(seen)) << "its index is used up";
  // And it goes on behind that.
  EXPECT_EQ(stack.head(), 1U);
  EXPECT_TRUE(stack.push(jobs[0]));
  EXPECT_TRUE(stack.pop(1));
}

TEST(fork_stack, refuses_what_it_has_no_room_for) {
  fork_stack stack;
  std::deque<job> jobs(sync::k_fork_slots + 2);
  for (std::size_t i = 0; i < sync::k_fork_slots; ++i) ASSERT_TRUE(stack.push(jobs[i]));
  job& surplus = jobs[sync::k_fork_slots];
  EXPECT_FALSE(stack.push(surplus));
  EXPECT_FALSE(stack.push_slowly(surplus).in);
  stack.want();
  const auto full = stack.push_slowly(surplus);
  EXPECT_FALSE(full.in);
  EXPECT_TRUE(full.exposed) << "a full one gives out too";
  EXPECT_TRUE(stack.take(stack.oldest()));
  EXPECT_FALSE(stack.push(surplus));
  EXPECT_TRUE(stack.push_slowly(surplus).in) << "a place is free";
  EXPECT_FALSE(stack.push_slowly(jobs.back()).in);
}

}  // namespace
}  // namespace weir::detail
