#include "pool/ready_list.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <vector>

#include "support/seed.hpp"

namespace weir::detail {
namespace {

constexpr task_ops k_no_ops{};

struct ready_list_test : ::testing::Test {
  task_base& push() {
    task_base& task = tasks.emplace_back(k_no_ops, 1u);
    task.id = tasks.size();
    list.reserve_one();
    list.push_back(task);
    return task;
  }
  std::vector<std::uint64_t> take(std::size_t count) {
    std::vector<task_base*> taken(count);
    taken.resize(list.take(taken.data(), count));
    std::vector<std::uint64_t> ids;
    for (const task_base* task : taken) ids.push_back(task->id);
    return ids;
  }

  std::deque<task_base> tasks;
  ready_list list;
};

TEST_F(ready_list_test, takes_the_oldest_first) {
  for (int at = 0; at < 4; ++at) push();
  EXPECT_EQ(take(2), (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(list.front().id, 3u);
  EXPECT_EQ(take(9), (std::vector<std::uint64_t>{3, 4}));
  EXPECT_TRUE(list.empty());
}

TEST_F(ready_list_test, a_taken_task_keeps_saying_where_it_was) {
  const task_base& task = push();
  task_base* taken = nullptr;
  EXPECT_EQ(list.take(&taken, 1), 1u);
  EXPECT_EQ(taken, &task);
  EXPECT_EQ(task.place, task_place::ready);
}

TEST_F(ready_list_test, finds_the_first_that_is_accepted) {
  for (int at = 0; at < 200; ++at) push();
  EXPECT_EQ(list.find([](const task_base& task) { return task.id > 130; })->id, 131u);
  EXPECT_EQ(list.find([](const task_base&) { return false; }), nullptr);
}

TEST_F(ready_list_test, what_goes_back_to_the_front_keeps_its_order) {
  for (int at = 0; at < 150; ++at) push();
  std::vector<task_base*> taken(140);
  ASSERT_EQ(list.take(taken.data(), 140), 140u);
  list.reserve_front(139);
  list.push_front(taken.data(), 139);
  list.remove(*taken[1]);
  EXPECT_EQ(list.size(), 148u);
  std::vector<std::uint64_t> wanted;
  for (std::uint64_t id = 1; id <= 150; ++id) {
    if (id != 2 && id != 140) wanted.push_back(id);
  }
  EXPECT_EQ(take(200), wanted);
  push();
  EXPECT_EQ(list.front().id, 151u);
}

TEST_F(ready_list_test, holes_at_both_ends_are_skipped) {
  for (int at = 0; at < 3; ++at) push();
  list.remove(tasks[0]);
  list.remove(tasks[2]);
  EXPECT_EQ(list.front().id, 2u);
  push();
  EXPECT_EQ(take(9), (std::vector<std::uint64_t>{2, 4}));
}

// The order and the size of a std::deque, over random steps that cross chunks.
TEST_F(ready_list_test, does_what_a_deque_does) {
  const auto seed = testing::test_seed();
  SCOPED_TRACE(testing::replay(seed));
  std::mt19937_64 random(seed);
  std::deque<std::uint64_t> expected;
  for (int step = 0; step < 20'000; ++step) {
    const auto what = random() % 8;
    if (what < 5 || expected.empty()) {
      expected.push_back(push().id);
    } else if (what < 7) {
      const auto at = random() % expected.size();
      list.remove(tasks[expected[at] - 1]);
      expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(at));
    } else {
      const auto count = random() % 90;
      const auto ids = take(count);
      const auto end = expected.begin() +
                       static_cast<std::ptrdiff_t>(std::min<std::size_t>(count, expected.size()));
      ASSERT_EQ(ids, std::vector<std::uint64_t>(expected.begin(), end));
      expected.erase(expected.begin(), end);
    }
    ASSERT_EQ(list.size(), expected.size());
    if (!expected.empty()) {
      ASSERT_EQ(list.front().id, expected.front());
    }
  }
}

}  // namespace
}  // namespace weir::detail
