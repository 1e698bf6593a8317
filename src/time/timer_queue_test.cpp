#include "time/timer_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <set>
#include <tuple>
#include <vector>

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
    put(task);
    alive_.push_back(&task);
  }
  void erase(std::size_t which) {
    take(*alive_[which]);
    std::swap(alive_[which], alive_.back());
    alive_.pop_back();
  }
  /// Out and in again at another time, without room being made.
  void move(std::size_t which, time_point due) {
    task_base& task = *alive_[which];
    take(task);
    task.due = due;
    put(task);
  }
  void pop() {
    task_base& top = queue_.top();
    take(top);
    const auto at = std::find(alive_.begin(), alive_.end(), &top);
    *at = alive_.back();
    alive_.pop_back();
  }
  void reserve(std::size_t count) { queue_.reserve(count); }
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
    for (const auto& [due, id, wanted] : oracle_) {
      ASSERT_EQ(queue_.find([&](const task_base& task) { return task.id == id; }), wanted);
      if (id % 97 != 0) break;  // a few do
    }
    ASSERT_EQ(queue_.find([](const task_base&) { return false; }), nullptr);
  }
  void pop_all() {
    while (size() > 0) {
      pop();
      ASSERT_NO_FATAL_FAILURE(compare());
    }
  }
  [[nodiscard]] std::size_t size() const { return alive_.size(); }
  [[nodiscard]] std::size_t memory_bytes() const { return queue_.memory_bytes(); }
  /// At most 64 bytes a timer, beside a first share that does not count them.
  void expect_lean() const { EXPECT_LE(queue_.memory_bytes(), 64 * size() + 64 * 1024); }

 private:
  void put(task_base& task) {
    queue_.insert(task);
    oracle_.insert(key_of(task));
  }
  void take(task_base& task) {
    queue_.erase(task);
    oracle_.erase(key_of(task));
  }

  std::deque<task_base> tasks_;
  std::vector<task_base*> alive_;
  timer_queue queue_;
  std::set<key> oracle_;
  std::uint64_t last_id_ = 0;
};

time_point at(std::chrono::nanoseconds since) { return time_point(since); }

/// One random program. Few different due times make many ties; it leans to growing at first and to
/// shrinking in the end.
void run_program(std::mt19937_64& random, std::size_t steps) {
  compared_queue both;
  const std::size_t dues = std::size_t{1} << testing::pick(random, 0, 40);
  const std::size_t lean = testing::pick(random, 4, 8);
  const std::size_t pops = testing::pick(random, 0, 4);
  const auto some_due = [&] {
    if (testing::pick(random, 0, 99) == 0) return random() % 2 == 0 ? time_point::max() : at({});
    return at(std::chrono::nanoseconds(random() % dues));
  };
  for (std::size_t step = 0; step < steps; ++step) {
    const bool grows = testing::pick(random, 0, 9) < (step < steps / 2 ? lean : 9 - lean);
    const std::size_t what = testing::pick(random, 0, 4);
    if (both.size() == 0 || grows) {
      both.insert(some_due());
    } else if (what < pops) {
      both.pop();
    } else if (random() % 4 == 0) {
      both.move(testing::pick(random, 0, both.size() - 1), some_due());
    } else {
      both.erase(testing::pick(random, 0, both.size() - 1));
    }
    ASSERT_NO_FATAL_FAILURE(both.compare());
  }
  both.expect_lean();
  ASSERT_NO_FATAL_FAILURE(both.compare_all());
  ASSERT_NO_FATAL_FAILURE(both.pop_all());
}

// tck 251.
TEST(timer_queue, does_what_a_sorted_set_does) {
  const auto seed = testing::test_seed();
  SCOPED_TRACE(testing::replay(seed));
  std::mt19937_64 random(seed);
  for (int run = 0; run < 40; ++run) {
    ASSERT_NO_FATAL_FAILURE(run_program(random, 200));
  }
  for (int run = 0; run < 10; ++run) {
    ASSERT_NO_FATAL_FAILURE(run_program(random, 10'000));
  }
}

// Case 49: what is cancelled keeps no memory, in whatever order it goes.
TEST(timer_queue, case_49_memory_goes_back_with_the_timers) {
  std::mt19937_64 random(49);
  compared_queue both;
  for (int i = 0; i < 50'000; ++i) both.insert(at(std::chrono::nanoseconds(random())));
  both.expect_lean();
  while (both.size() > 0) {
    both.erase(testing::pick(random, 0, both.size() - 1));
    if (both.size() % 100 == 0) both.expect_lean();
    if (both.size() % 5'000 == 0) {
      ASSERT_NO_FATAL_FAILURE(both.compare_all());
    }
    ASSERT_NO_FATAL_FAILURE(both.compare());
  }
  EXPECT_LE(both.memory_bytes(), 64 * 1024u);
}

// The same where those that are left are far apart, and come due one by one.
TEST(timer_queue, few_that_are_left_of_many_come_in_order) {
  std::mt19937_64 random(50);
  compared_queue both;
  for (int i = 0; i < 20'000; ++i) both.insert(at(std::chrono::nanoseconds(random() % 5'000)));
  while (both.size() > 7'000) both.erase(testing::pick(random, 0, both.size() - 1));
  both.expect_lean();
  ASSERT_NO_FATAL_FAILURE(both.pop_all());
}

// Set and cancelled for ever, beside few that stay.
TEST(timer_queue, case_49_a_place_that_is_used_again_and_again_takes_no_more_memory) {
  compared_queue both;
  for (int i = 0; i < 20; ++i) both.insert(time_point::max());
  for (int i = 0; i < 5'000; ++i) {
    both.insert(at(std::chrono::nanoseconds(i)));
    both.erase(both.size() - 1);
    ASSERT_NO_FATAL_FAILURE(both.compare());
  }
  EXPECT_LE(both.memory_bytes(), 16 * 1024u);
}

// A timer gets another due time without memory, also where every slot is taken.
TEST(timer_queue, a_timer_moves_without_room_being_made) {
  for (const std::size_t count : {1u, 15u, 16u, 17u, 511u, 512u, 513u, 1024u, 5120u}) {
    compared_queue both;
    for (std::size_t i = 0; i < count; ++i) both.insert(at(std::chrono::nanoseconds(i)));
    for (std::size_t i = 0; i < 2'000; ++i) {
      both.move(i * 7 % count, at(std::chrono::nanoseconds(i * 31 % 1'000)));
      ASSERT_NO_FATAL_FAILURE(both.compare());
    }
    both.expect_lean();
    ASSERT_NO_FATAL_FAILURE(both.pop_all());
  }
}

// It comes to stand below the dead slot of number 6, which shows no id, and above that is number 2.
TEST(timer_queue, what_is_put_back_is_told_from_its_equals_above_a_dead_slot) {
  timer_queue queue;
  std::deque<task_base> tasks;
  queue.reserve(6);
  for (std::uint64_t id = 1; id <= 6; ++id) {
    tasks.emplace_back(k_no_ops, 1u).id = id;
    queue.insert(tasks.back());
  }
  queue.erase(tasks[0]);
  queue.erase(tasks[5]);
  queue.insert(tasks[0]);
  EXPECT_EQ(&queue.top(), &tasks[0]);
  queue.erase(tasks[0]);
  EXPECT_EQ(&queue.top(), &tasks[1]);
}

TEST(timer_queue, room_for_several_is_made_at_once) {
  timer_queue queue;
  std::deque<task_base> tasks;
  for (std::uint64_t id = 1; id <= 3'000; ++id) {
    tasks.emplace_back(k_no_ops, 1u).id = id;
    tasks.back().due = at(std::chrono::nanoseconds(id * 7919 % 1'000));
  }
  queue.reserve_one();
  queue.insert(tasks[0]);
  queue.reserve(2'999);
  for (std::size_t i = 1; i < 3'000; ++i) queue.insert(tasks[i]);
  for (time_point last = time_point::min(); !queue.empty(); queue.erase(queue.top())) {
    ASSERT_GE(queue.earliest_due(), last);
    last = queue.earliest_due();
  }
}

// A million due at one instant come in the order of their ids.
TEST(timer_queue, equal_due_times_come_by_id) {
  compared_queue both;
  for (int i = 0; i < 5'000; ++i) both.insert(at(std::chrono::seconds(1)));
  for (std::size_t i = 0; i < 2'500; ++i) both.erase(i * 7 % both.size());
  ASSERT_NO_FATAL_FAILURE(both.pop_all());
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
