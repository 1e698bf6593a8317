#include "pool/alarm_heap.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "support/seed.hpp"

namespace weir::detail {
namespace {

time_point at(int when) { return time_point(std::chrono::nanoseconds(when)); }

TEST(alarm_heap, orders_by_due_time_then_by_id) {
  alarm_heap heap;
  alarm late{.due = at(2), .id = 1};
  alarm second{.due = at(1), .id = 3};
  alarm first{.due = at(1), .id = 2};
  for (alarm* each : {&late, &second, &first}) heap.insert(*each);
  for (alarm* each : {&first, &second, &late}) {
    ASSERT_EQ(heap.front(), each);
    heap.erase(*each);
    EXPECT_EQ(each->heap, nullptr);
  }
  EXPECT_TRUE(heap.empty());
}

TEST(alarm_heap, erasing_twice_is_a_broken_invariant) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  alarm_heap heap;
  alarm one{.due = at(1)};
  heap.insert(one);
  heap.erase(one);
  EXPECT_DEATH(heap.erase(one), "assertion failed");
}

// Against an ordered set, with erasures anywhere in the heap.
TEST(alarm_heap, agrees_with_a_set) {
  const std::uint64_t seed = testing::test_seed();
  SCOPED_TRACE(testing::replay(seed));
  std::mt19937_64 random(seed);
  alarm_heap heap;
  std::vector<std::unique_ptr<alarm>> armed;
  std::set<std::pair<time_point, std::uint64_t>> model;
  for (std::uint64_t round = 1; round <= 20'000; ++round) {
    const bool grows = random() % 100 < (round < 10'000 ? 60u : 40u);
    if (armed.empty() || grows) {
      armed.push_back(std::make_unique<alarm>());
      armed.back()->due = at(static_cast<int>(random() % 50));
      armed.back()->id = round;
      heap.insert(*armed.back());
      model.emplace(armed.back()->due, round);
    } else {
      std::swap(armed[random() % armed.size()], armed.back());
      heap.erase(*armed.back());
      model.erase({armed.back()->due, armed.back()->id});
      armed.pop_back();
    }
    ASSERT_EQ(heap.empty(), model.empty());
    if (model.empty()) continue;
    ASSERT_EQ(std::pair(heap.front()->due, heap.front()->id), *model.begin());
  }
}

}  // namespace
}  // namespace weir::detail
