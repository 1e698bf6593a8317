#include "time/timer_queue.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <set>
#include <tuple>

#include "support/seed.hpp"

namespace weir::detail {
namespace {

constexpr task_ops k_no_ops{};

using key = std::tuple<time_point, std::uint64_t, task_base*>;
key key_of(task_base& task) { return {task.due, task.id, &task}; }

/// A timer queue beside a std::set that must agree with it after every step.
class compared_queue {
 public:
  void insert(time_point due) {
    task_base& task = tasks_.emplace_back(k_no_ops, 1u);
    task.id = ++last_id_;
    task.due = due;
    queue_.reserve_one();
    queue_.insert(task);
    oracle_.insert(key_of(task));
    alive_.push_back(&task);
  }
  void erase(std::size_t which) {
    task_base& task = *alive_[which];
    queue_.erase(task);
    oracle_.erase(key_of(task));
    alive_.erase(alive_.begin() + static_cast<std::ptrdiff_t>(which));
  }
  void pop() {
    task_base& top = queue_.top();
    queue_.erase(top);
    oracle_.erase(key_of(top));
    std::erase(alive_, &top);
  }
  void compare() const {
    ASSERT_EQ(queue_.size(), oracle_.size());
    ASSERT_EQ(queue_.empty(), oracle_.empty());
    if (oracle_.empty()) return;
    const auto& [due, id, task] = *oracle_.begin();
    ASSERT_EQ(&queue_.top(), task);
    ASSERT_EQ(queue_.earliest_due(), due);
  }
  void compare_all() const {
    std::set<key> seen;
    queue_.for_each([&](task_base& task) { seen.insert(key_of(task)); });
    ASSERT_EQ(seen, oracle_);
  }
  [[nodiscard]] std::size_t size() const { return alive_.size(); }

 private:
  std::deque<task_base> tasks_;
  std::vector<task_base*> alive_;
  timer_queue queue_;
  std::set<key> oracle_;
  std::uint64_t last_id_ = 0;
};

time_point at(std::chrono::nanoseconds since) { return time_point(since); }

// tck 251.
TEST(timer_queue, does_what_a_sorted_set_does) {
  const auto seed = testing::test_seed();
  SCOPED_TRACE(testing::replay(seed));
  std::mt19937_64 random(seed);
  for (int run = 0; run < 20; ++run) {
    compared_queue both;
    // Few different due times make many ties; every run leans to growing or to shrinking.
    const std::size_t dues = testing::pick(random, 1, 1'000);
    const std::size_t lean = testing::pick(random, 2, 8);
    for (int step = 0; step < 2'000; ++step) {
      if (both.size() == 0 || testing::pick(random, 0, 9) < lean) {
        both.insert(at(std::chrono::nanoseconds(testing::pick(random, 0, dues))));
      } else if (random() % 2 == 0) {
        both.pop();
      } else {
        both.erase(testing::pick(random, 0, both.size() - 1));
      }
      ASSERT_NO_FATAL_FAILURE(both.compare());
    }
    ASSERT_NO_FATAL_FAILURE(both.compare_all());
    while (both.size() > 0) {
      both.pop();
      ASSERT_NO_FATAL_FAILURE(both.compare());
    }
  }
}

// C1, case 44, tck 247: the ends of the time line are ordinary due times.
TEST(timer_queue, orders_the_ends_of_time) {
  compared_queue both;
  both.insert(time_point::max());
  both.insert(at(std::chrono::nanoseconds(0)));
  both.insert(time_point::min());
  both.insert(time_point::max());
  ASSERT_NO_FATAL_FAILURE(both.compare());
  for (int left = 4; left > 0; --left) {
    both.pop();
    ASSERT_NO_FATAL_FAILURE(both.compare());
  }
}

// Case 67: no width of a counter or of a wheel stands in the way of a year.
TEST(timer_queue, a_year_of_seconds_stays_in_order_beside_a_far_timer) {
  compared_queue both;
  both.insert(at(std::chrono::years(1)));
  for (std::chrono::milliseconds now{0}; now < std::chrono::years(1);
       now += std::chrono::hours(5)) {
    both.insert(at(now + std::chrono::seconds(1)));
    ASSERT_NO_FATAL_FAILURE(both.compare());
    both.pop();
    ASSERT_EQ(both.size(), 1u);
  }
}

TEST(timer_queue, inserting_without_room_made_is_a_broken_invariant) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  timer_queue queue;
  task_base task(k_no_ops, 1);
  EXPECT_DEATH(queue.insert(task), "assertion failed");
}

TEST(timer_queue, erasing_a_stranger_is_a_broken_invariant) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  timer_queue queue;
  task_base task(k_no_ops, 1);
  task.position = 0;
  EXPECT_DEATH(queue.erase(task), "assertion failed");
}

}  // namespace
}  // namespace weir::detail
