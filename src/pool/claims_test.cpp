#include "pool/claims.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <numeric>
#include <vector>

#include "pool/pace.hpp"

namespace weir::detail {
namespace {

using namespace std::chrono_literals;

constexpr task_ops k_no_ops{};

struct claims_test : ::testing::Test {
  void fill(std::size_t count) {
    for (std::size_t at = 0; at < count; ++at) {
      tasks.emplace_back(k_no_ops, 2u).id = at + 1;
    }
    std::vector<task_base*> all;
    for (task_base& task : tasks) all.push_back(&task);
    const sync::lock_guard hold(ring.mutex);
    ring.fill(all.data(), count);
  }
  std::uint64_t start_next() {
    const sync::lock_guard hold(ring.mutex);
    const task_base* task = ring.start_next();
    return task != nullptr ? task->id : 0;
  }
  static void cancel(task_base& task) {
    bool was_detached = false;
    ASSERT_TRUE(try_cancel_unstarted(task, cancel_reason::cancelled, was_detached));
  }

  std::deque<task_base> tasks;
  claims ring;
};

TEST_F(claims_test, starts_in_order_and_says_what_runs) {
  fill(3);
  for (std::uint64_t id = 1; id <= 3; ++id) {
    EXPECT_EQ(start_next(), id);
    EXPECT_EQ(ring.running, &tasks[id - 1]);
    EXPECT_EQ(state_of(tasks[id - 1]), task_state::running);
  }
  EXPECT_EQ(start_next(), 0u);
  EXPECT_EQ(ring.running, &tasks[2]) << "nothing has changed";
  const sync::lock_guard hold(ring.mutex);
  EXPECT_EQ(ring.starts, 3u);
}

TEST_F(claims_test, a_start_passes_over_what_a_canceller_has_won_and_forgets_it) {
  fill(3);
  cancel(tasks[0]);
  EXPECT_EQ(start_next(), 2u);
  EXPECT_EQ(tasks[0].place, task_place::nowhere);
  const sync::lock_guard hold(ring.mutex);
  EXPECT_FALSE(ring.remove(tasks[0]));
  EXPECT_EQ(ring.starts, 1u);
}

TEST_F(claims_test, holds_as_many_as_it_has_places_for) {
  fill(claims::k_most);
  std::uint64_t last = 0;
  while (const std::uint64_t id = start_next()) last = id;
  EXPECT_EQ(last, claims::k_most);
}

TEST_F(claims_test, splits_off_the_older_half_rounded_up) {
  fill(5);
  const sync::lock_guard hold(ring.mutex);
  task_base* moved[claims::k_most];
  ASSERT_EQ(ring.split(moved), 3u);
  EXPECT_EQ(moved[0]->id, 1u);
  EXPECT_EQ(moved[2]->id, 3u);
  EXPECT_EQ(ring.pop()->id, 4u);
  ASSERT_EQ(ring.split(moved), 1u);
  EXPECT_EQ(moved[0]->id, 5u);
  EXPECT_TRUE(ring.empty());
  EXPECT_EQ(ring.split(moved), 0u);
}

TEST_F(claims_test, removes_from_anywhere) {
  fill(4);
  const sync::lock_guard hold(ring.mutex);
  EXPECT_TRUE(ring.remove(tasks[2]));
  EXPECT_FALSE(ring.remove(tasks[2]));
  EXPECT_TRUE(ring.remove(tasks[0]));
  EXPECT_EQ(ring.pop()->id, 2u);
  EXPECT_EQ(ring.pop()->id, 4u);
  EXPECT_EQ(ring.pop(), nullptr);
}

TEST_F(claims_test, finds_behind_those_that_may_still_start) {
  fill(4);
  cancel(tasks[1]);
  const sync::lock_guard hold(ring.mutex);
  std::size_t ahead = 1;
  EXPECT_EQ(ring.find_behind(ahead), &tasks[2]);
  ahead = 5;
  EXPECT_EQ(ring.find_behind(ahead), nullptr);
  EXPECT_EQ(ahead, 2u) << "three of them were passed over";
}

// One claim after tasks that took so long each.
struct pace_test : ::testing::Test {
  pace_test() { pace.claims_at(now); }
  std::size_t after(int tasks, std::chrono::nanoseconds each) {
    for (int at = 0; at < tasks; ++at) pace.finished();
    pace.claims_at(now += tasks * each);
    return pace.reach();
  }

  weir::detail::pace pace;
  weir::detail::pace::time_point now{1s};
};

TEST_F(pace_test, grows_while_tasks_are_short) {
  EXPECT_EQ(pace.reach(), 0u);
  EXPECT_EQ(after(1, 100ns), 1u);
  EXPECT_EQ(after(2, 100ns), 3u);
  EXPECT_EQ(after(4, 2000ns), 7u);
  EXPECT_EQ(after(8, 1ns), 15u);
  EXPECT_EQ(after(16, 1ns), claims::k_most);
  EXPECT_EQ(after(32, 1ns), claims::k_most);
}

TEST_F(pace_test, one_long_claim_ends_it) {
  after(1, 1ns);
  after(2, 1ns);
  EXPECT_EQ(after(4, 2001ns), 0u);
  EXPECT_EQ(after(1, 1ns), 1u);
}

TEST_F(pace_test, a_sleep_tells_nothing) {
  after(1, 1ns);
  pace.sleeps();
  now += 1h;
  EXPECT_EQ(after(1, 0ns), 1u) << "as before, for nobody knows when that task began";
  EXPECT_EQ(after(2, 1ns), 3u);
}

}  // namespace
}  // namespace weir::detail
