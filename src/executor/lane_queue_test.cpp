#include "executor/lane_queue.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "weir/detail/detached.hpp"

namespace {

using namespace weir;
using detail::lane_queue;

/// A task that the queue has one reference of, and the test another.
detail::task_base& make_task() {
  auto* node = detail::make_node<true>([] {});
  detail::detach(*node);
  return *node;
}

TEST(lane_queue, keeps_the_order_and_passes_over_the_dead) {
  lane_queue queue;
  std::vector<detail::task_base*> tasks;
  for (int at = 0; at < 4; ++at) queue.push(*tasks.emplace_back(&make_task()));
  queue.mark_dead(*tasks[0]);
  queue.mark_dead(*tasks[2]);
  EXPECT_EQ(queue.size(), 2u);
  EXPECT_EQ(queue.pop(), tasks[1]);
  EXPECT_EQ(queue.pop(), tasks[3]);
  EXPECT_EQ(queue.pop(), nullptr);
  EXPECT_EQ(tasks[0]->refs.load(), 1u);
  for (auto* task : {tasks[1], tasks[3]}) detail::release(task);
  for (auto* task : tasks) detail::release(task);
}

TEST(lane_queue, the_dead_never_outnumber_the_rest_by_much) {
  lane_queue queue;
  std::vector<detail::task_base*> tasks;
  for (int at = 0; at < 100; ++at) {
    queue.push(*tasks.emplace_back(&make_task()));
    queue.mark_dead(*tasks.back());
  }
  int kept = 0;
  for (auto* task : tasks) kept += task->refs.load() == 2 ? 1 : 0;
  EXPECT_LE(kept, 17);
  EXPECT_EQ(queue.pop(), nullptr);
  for (auto* task : tasks) detail::release(task);
}

TEST(lane_queue, what_is_taken_back_leaves_no_gap) {
  lane_queue queue;
  std::vector<detail::task_base*> tasks;
  for (int at = 0; at < 3; ++at) queue.push(*tasks.emplace_back(&make_task()));
  queue.remove(*tasks[2]);
  queue.remove(*tasks[0]);
  queue.push(*tasks[0]);
  EXPECT_EQ(queue.pop(), tasks[1]);
  EXPECT_EQ(queue.pop(), tasks[0]);
  EXPECT_TRUE(queue.empty());
  for (auto* task : tasks) {
    detail::release(task);
    detail::release(task);
  }
}

}  // namespace
