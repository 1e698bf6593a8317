// Loops, reductions and sorting: F1, F2.

#include "weir/parallel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <ranges>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/eventually.hpp"
#include "support/gate.hpp"
#include "support/seed.hpp"
#include "weir/work_stealing_pool.hpp"

namespace weir {
namespace {

/// Calls `f` outside of every pool, and on pools of several sizes.
template <class F>
void everywhere(F f) {
  f();
  for (const std::size_t threads : {1U, 2U, 4U}) work_stealing_pool(threads).run(f);
}

TEST(parallel_for, F1_calls_each_index_once) {
  everywhere([] {
    for (const std::size_t count : {0U, 1U, 2U, 63U, 64U, 65U, 10'000U}) {
      std::vector<int> calls(count);
      parallel_for(std::size_t{0}, count, [&calls](std::size_t i) { ++calls[i]; });
      EXPECT_EQ(std::count(calls.begin(), calls.end(), 1), static_cast<std::ptrdiff_t>(count));
    }
  });
}

TEST(parallel_for, F1_takes_any_index_and_any_order_of_bounds) {
  std::array<std::atomic<int>, 256> calls{};
  parallel_for<std::int8_t>(-128, 127, [&calls](std::int8_t i) { ++calls[i + 128]; });
  EXPECT_EQ(std::count(calls.begin(), calls.end(), 1), 255);
  parallel_for(3, 3, [](int) { FAIL(); });
  parallel_for(3, -3, [](int) { FAIL(); });
  std::vector<std::uint64_t> seen;
  parallel_for(~std::uint64_t{0} - 2, ~std::uint64_t{0},
               [&seen](std::uint64_t i) { seen.push_back(i); });
  EXPECT_EQ(seen, (std::vector{~std::uint64_t{0} - 2, ~std::uint64_t{0} - 1}));
}

TEST(parallel_for, F1_visits_the_elements_of_a_range) {
  everywhere([] {
    std::deque<std::unique_ptr<int>> numbers;
    for (int i = 0; i < 1000; ++i) numbers.push_back(std::make_unique<int>(i));
    parallel_for(numbers, [](std::unique_ptr<int>& each) { *each *= 2; });
    for (int i = 0; i < 1000; ++i) EXPECT_EQ(*numbers[static_cast<std::size_t>(i)], 2 * i);
  });
}

TEST(parallel_for, F1_keeps_a_grain_together) {
  work_stealing_pool pool(4);
  pool.run([] {
    std::atomic<int> calls{0};
    parallel_for(0, 1000, [&calls](int) { ++calls; }, {.grain = 0});
    parallel_for(0, 1000, [&calls](int) { ++calls; }, {.grain = 5000});
    EXPECT_EQ(calls, 2000);
  });
}

TEST(parallel_for, F2_begins_no_further_part_after_a_body_has_thrown) {
  std::atomic<int> calls{0};
  const auto thrower = [&calls](int i) {
    ++calls;
    if (i == 0) throw std::runtime_error("body");
  };
  EXPECT_THROW(parallel_for(0, 1000, thrower), std::runtime_error);
  EXPECT_EQ(calls, 1) << "outside of every pool";
}

// The second half is on its way on another thread, and would take five seconds.
TEST(parallel_for, F2_a_half_on_another_thread_stops_as_well) {
  work_stealing_pool pool(2);
  std::atomic<int> calls{0};
  testing::gate half_way;
  const auto body = [&](int i) {
    ++calls;
    if (i == 0) {
      half_way.wait();
      throw std::runtime_error("body");
    }
    if (i >= 5000) half_way.open();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  const auto loop = [&] {
    ASSERT_TRUE(testing::eventually([&pool] { return pool.stats().sleeping == 2; }));
    parallel_for(0, 10'000, body);
  };
  EXPECT_THROW(pool.run(loop), std::runtime_error);
  EXPECT_LT(calls, 4000);
}

TEST(parallel_for, F1_nests) {
  everywhere([] {
    std::vector<int> cells(100 * 100);
    parallel_for(0, 100, [&cells](int row) {
      parallel_for(0, 100, [&cells, row](int column) {
        ++cells[static_cast<std::size_t>(row * 100 + column)];
      });
    });
    EXPECT_EQ(std::count(cells.begin(), cells.end(), 1), 10'000);
  });
}

TEST(parallel_transform, F1_writes_each_result_to_its_place) {
  everywhere([] {
    std::vector<int> numbers(5000);
    std::iota(numbers.begin(), numbers.end(), 0);
    std::vector<std::string> texts(5000);
    const auto end =
        parallel_transform(numbers, texts.begin(), [](int n) { return std::to_string(n); });
    EXPECT_EQ(end, texts.end());
    EXPECT_EQ(texts[4321], "4321");
    EXPECT_EQ(texts[0], "0");
  });
}

TEST(parallel_reduce, F1_keeps_the_order_of_what_it_combines) {
  everywhere([] {
    const auto digit = [](int i) { return std::string(1, static_cast<char>('a' + i % 26)); };
    std::string expected;
    for (int i = 0; i < 3000; ++i) expected += digit(i);
    EXPECT_EQ(parallel_reduce(0, 3000, std::string(), digit, std::plus<>()), expected);
    EXPECT_EQ(
        parallel_reduce(0, 3000, std::string(), digit, std::plus<>(), {.deterministic = true}),
        expected);
    EXPECT_EQ(parallel_reduce(5, 5, std::string("none"), digit, std::plus<>()), "none");
  });
}

TEST(parallel_reduce, F1_over_a_range) {
  everywhere([] {
    std::vector<int> numbers(10'000, 3);
    EXPECT_EQ(parallel_reduce(
                  numbers, 0L, [](int n) { return n; }, std::plus<>()),
              30'000);
  });
}

// The element is a value of the loop's own, and the map gives it through.
TEST(parallel_reduce, F1_a_map_may_return_a_reference_to_its_argument) {
  everywhere([] {
    EXPECT_EQ(parallel_reduce(0, 1000, 0L, std::identity(), std::plus<>()), 499'500);
    const auto texts = std::views::iota(0, 300) | std::views::transform([](int i) {
                         return std::string(40, static_cast<char>('a' + i % 26));
                       });
    EXPECT_EQ(parallel_reduce(texts, std::string(), std::identity(), std::plus<>()).size(),
              12'000U);
  });
}

TEST(parallel_reduce, F1_a_combination_may_give_back_what_it_was_given) {
  using list = std::vector<int>;
  const auto append = [](list&& all, const list& more) -> list&& {
    all.insert(all.end(), more.begin(), more.end());
    return std::move(all);
  };
  everywhere([append] {
    const auto found = parallel_reduce(
        0, 500, list(), [](int i) { return list{i}; }, append);
    ASSERT_EQ(found.size(), 500U);
    EXPECT_TRUE(std::is_sorted(found.begin(), found.end()));
  });
}

TEST(parallel_reduce, F1_members_as_maps) {
  std::vector<std::pair<int, long>> staff(100, {1, 5});
  EXPECT_EQ(parallel_reduce(staff, 0L, &std::pair<int, long>::second, std::plus<>()), 500);
}

// Sums of floating-point numbers depend on their grouping.
TEST(parallel_reduce, F1_deterministic_groups_alike_everywhere) {
  const auto sum = [] {
    return parallel_reduce(0, 100'000, 0.0, [](int i) { return 1.0 / (1 + i); }, std::plus<>(),
                           {.deterministic = true});
  };
  const double expected = sum();
  for (int round = 0; round < 20; ++round) {
    work_stealing_pool pool(4);
    EXPECT_EQ(pool.run(sum), expected);
  }
}

TEST(parallel_reduce, F2_throws_what_a_body_throws) {
  everywhere([] {
    const auto map = [](int i) -> int {
      if (i == 77) throw std::out_of_range("map");
      return i;
    };
    EXPECT_THROW(parallel_reduce(0, 1000, 0, map, std::plus<>()), std::out_of_range);
    EXPECT_THROW(parallel_reduce(0, 1000, 0, map, std::plus<>(), {.deterministic = true}),
                 std::out_of_range);
  });
}

struct tagged {
  int key;
  int place;
  bool operator==(const tagged&) const = default;
};

std::vector<tagged> drawn(std::size_t count, int keys, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<tagged> all(count);
  for (std::size_t i = 0; i < count; ++i) {
    all[i] = {static_cast<int>(random() % static_cast<unsigned>(keys)), static_cast<int>(i)};
  }
  return all;
}

const auto by_key = [](const tagged& left, const tagged& right) { return left.key < right.key; };

TEST(parallel_sort, F1_as_std_stable_sort_does) {
  const auto seed = testing::test_seed();
  SCOPED_TRACE(testing::replay(seed));
  everywhere([seed] {
    for (const std::size_t count : {0U, 1U, 2U, 1024U, 1025U, 5000U, 100'000U}) {
      for (const int keys : {1, 3, 1'000'000}) {
        auto found = drawn(count, keys, seed);
        auto expected = found;
        auto anyhow = found;
        std::stable_sort(expected.begin(), expected.end(), by_key);
        parallel_stable_sort(found, by_key);
        EXPECT_EQ(found, expected) << count << " of " << keys;
        parallel_sort(anyhow, by_key);
        EXPECT_TRUE(std::is_sorted(anyhow.begin(), anyhow.end(), by_key));
        parallel_stable_sort(anyhow,
                             [](auto& left, auto& right) { return left.place < right.place; });
        EXPECT_EQ(anyhow, drawn(count, keys, seed)) << "nothing lost";
      }
    }
  });
}

TEST(parallel_sort, F1_sorted_and_reversed_input) {
  everywhere([] {
    std::vector<int> up(50'000);
    std::iota(up.begin(), up.end(), 0);
    auto numbers = up;
    parallel_sort(numbers);
    EXPECT_EQ(numbers, up);
    parallel_sort(numbers, std::greater<>());
    EXPECT_TRUE(std::is_sorted(numbers.rbegin(), numbers.rend()));
    parallel_stable_sort(numbers);
    EXPECT_EQ(numbers, up);
  });
}

TEST(parallel_sort, F1_move_only_elements) {
  const auto less = [](const auto& left, const auto& right) { return *left < *right; };
  everywhere([less] {
    std::vector<std::unique_ptr<int>> numbers;
    for (int i = 0; i < 5000; ++i) numbers.push_back(std::make_unique<int>(i * 7919 % 5000));
    auto sorted = [&] { return std::is_sorted(numbers.begin(), numbers.end(), less); };
    parallel_stable_sort(numbers, less);
    EXPECT_TRUE(sorted());
    std::reverse(numbers.begin(), numbers.end());
    parallel_sort(numbers, less);
    EXPECT_TRUE(sorted());
  });
}

TEST(parallel_sort, F2_a_comparison_that_throws_loses_no_element) {
  everywhere([] {
    for (const int after : {0, 1, 100, 20'000, 60'000}) {
      std::vector<std::unique_ptr<int>> numbers;
      for (int i = 0; i < 6000; ++i) numbers.push_back(std::make_unique<int>(i * 7919 % 6000));
      std::atomic<int> calls{0};
      const auto less = [&](const auto& left, const auto& right) {
        if (calls++ == after) throw std::runtime_error("less");
        return *left < *right;
      };
      EXPECT_THROW(parallel_stable_sort(numbers, less), std::runtime_error);
      std::vector<int> values;
      for (const auto& each : numbers) {
        ASSERT_NE(each, nullptr);
        values.push_back(*each);
      }
      std::sort(values.begin(), values.end());
      for (int i = 0; i < 6000; ++i) ASSERT_EQ(values[static_cast<std::size_t>(i)], i);
    }
  });
}

}  // namespace
}  // namespace weir
