#include "pool/pending_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <tuple>
#include <vector>

#include "support/seed.hpp"
#include "task/state_word.hpp"

namespace weir::detail {
namespace {

using namespace std::chrono_literals;

constexpr task_ops k_no_ops{};

time_point at(std::chrono::nanoseconds since) { return time_point(since); }

struct queue_under_test : ::testing::Test {
  task_base& ready(std::chrono::nanoseconds now) { return ready_at(at(now)); }
  task_base& ready_at(time_point due) {
    task_base& task = make(due);
    queue.reserve(false);
    queue.push_ready(task);
    return task;
  }
  task_base& delayed(std::chrono::nanoseconds due) {
    task_base& task = make(at(due));
    task.delayed = true;
    queue.reserve(true);
    queue.push_delayed(task);
    return task;
  }
  std::vector<std::uint64_t> all_due(std::chrono::nanoseconds now) {
    std::vector<std::uint64_t> ids;
    while (const task_base* task = queue.pick(at(now))) ids.push_back(task->id);
    return ids;
  }

  pending_queue queue;

 private:
  task_base& make(time_point due) {
    task_base& task = tasks_.emplace_back(k_no_ops, 1u);
    task.id = ++last_id_;
    task.due = due;
    return task;
  }

  std::deque<task_base> tasks_;
  std::uint64_t last_id_ = 0;
};

using pending_queue_test = queue_under_test;

TEST_F(pending_queue_test, claims_ahead_end_before_a_delayed_task_that_comes_first) {
  ready(1ns);
  ready(2ns);
  delayed(3ns);
  ready(4ns);
  task_base* taken[8];
  EXPECT_EQ(queue.take_ahead(taken, 1), 1u);
  EXPECT_EQ(taken[0]->id, 1u);
  EXPECT_EQ(queue.take_ahead(taken, 8), 1u);
  EXPECT_EQ(taken[0]->id, 2u);
  EXPECT_EQ(queue.take_ahead(taken, 8), 0u);
  EXPECT_EQ(all_due(4ns), (std::vector<std::uint64_t>{3, 4}));
}

TEST_F(pending_queue_test, is_empty_at_first) {
  EXPECT_EQ(queue.first(), nullptr);
  EXPECT_EQ(queue.pick(time_point::max()), nullptr);
  EXPECT_FALSE(queue.has_ready());
  EXPECT_FALSE(queue.has_delayed());
  EXPECT_FALSE(queue.needs_clock());
}

TEST_F(pending_queue_test, B8_ready_tasks_leave_in_order_of_arrival) {
  for (int task = 0; task < 3; ++task) ready_at(k_due_at_once);
  EXPECT_EQ(all_due(0s), (std::vector<std::uint64_t>{1, 2, 3}));
}

TEST_F(pending_queue_test, C3_a_delayed_task_that_is_due_comes_before_younger_ready_ones) {
  delayed(5s);
  ready(2s);
  ready(7s);
  EXPECT_EQ(all_due(7s), (std::vector<std::uint64_t>{2, 1, 3}));
}

TEST_F(pending_queue_test, C1_nothing_is_picked_before_it_is_due) {
  task_base& later = delayed(5s);
  EXPECT_TRUE(queue.needs_clock());
  EXPECT_EQ(queue.pick(at(4'999'999'999ns)), nullptr);
  EXPECT_EQ(queue.first(), &later);
  EXPECT_EQ(queue.pick(at(5s)), &later);
}

TEST_F(pending_queue_test, B8_equal_due_times_go_by_id) {
  delayed(5s);
  ready(5s);
  delayed(5s);
  ready(5s);
  EXPECT_EQ(all_due(5s), (std::vector<std::uint64_t>{1, 2, 3, 4}));
}

TEST_F(pending_queue_test, R3_among_immediate_tasks_the_id_alone_decides) {
  ready(9s);
  task_base& raised = ready(4s);  // its submitter read the clock earlier and came later
  EXPECT_EQ(raised.due, at(9s));
  EXPECT_EQ(all_due(9s), (std::vector<std::uint64_t>{1, 2}));
}

TEST_F(pending_queue_test, unlinking_is_exact_and_may_be_repeated) {
  task_base& a = ready(1s);
  task_base& b = ready(1s);
  task_base& c = delayed(1s);
  queue.unlink(b);
  queue.unlink(b);
  queue.unlink(c);
  queue.unlink(c);
  EXPECT_EQ(queue.first(), &a);
  EXPECT_EQ(b.place, task_place::nowhere);
  EXPECT_FALSE(queue.has_delayed());
  queue.unlink(a);
  EXPECT_EQ(queue.first(), nullptr);
}

TEST_F(pending_queue_test, A2_passes_over_what_a_canceller_owns) {
  task_base& cancelled = ready(1s);
  task_base& next = ready(1s);
  bool was_detached = false;
  ASSERT_TRUE(try_cancel_unstarted(cancelled, cancel_reason::cancelled, was_detached));
  EXPECT_EQ(queue.pick(at(1s)), &next);
  EXPECT_EQ(state_of(next), task_state::running);
  EXPECT_EQ(cancelled.place, task_place::nowhere);
}

// B4: what is discarded stands behind the tasks that free workers are about to take.
TEST_F(pending_queue_test, B4_what_waits_stands_behind_what_free_workers_take) {
  task_base& cancelled = ready(1s);
  task_base& taken = ready(1s);
  task_base& waits = ready(1s);
  EXPECT_EQ(queue.waiting_behind(0, at(1s)), &cancelled);
  EXPECT_EQ(queue.waiting_behind(1, at(1s)), &taken);
  EXPECT_EQ(queue.waiting_behind(3, at(1s)), nullptr);
  bool was_detached = false;
  ASSERT_TRUE(try_cancel_unstarted(cancelled, cancel_reason::cancelled, was_detached));
  EXPECT_EQ(queue.waiting_behind(1, at(1s)), &waits) << "nobody takes a cancelled task";
  EXPECT_EQ(queue.waiting_behind(2, at(1s)), nullptr);
}

TEST_F(pending_queue_test, B8_any_mixture_leaves_by_due_time_then_by_id) {
  const auto seed = testing::test_seed();
  SCOPED_TRACE(testing::replay(seed));
  std::mt19937_64 random(seed);
  for (int run = 0; run < 200; ++run) {
    std::chrono::nanoseconds now{0};
    std::vector<std::pair<time_point, std::uint64_t>> expected;
    for (int task = 0; task < 60; ++task) {
      now += std::chrono::nanoseconds(testing::pick(random, 0, 3));
      const bool later = random() % 2 == 0;
      const task_base& made =
          later ? delayed(now + std::chrono::nanoseconds(testing::pick(random, 1, 20)))
                : ready(now);
      expected.emplace_back(made.due, made.id);
    }
    std::sort(expected.begin(), expected.end());
    for (const auto& [due, id] : expected) {
      const task_base* task = queue.pick(time_point::max());
      ASSERT_NE(task, nullptr);
      ASSERT_EQ(task->id, id);
    }
    ASSERT_EQ(queue.first(), nullptr);
  }
}

}  // namespace
}  // namespace weir::detail
