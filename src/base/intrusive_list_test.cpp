#include "base/intrusive_list.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <random>
#include <vector>

#include "support/seed.hpp"

namespace weir {
namespace {

struct element {
  int number = 0;
  list_links<element> links;
};
using elements = intrusive_list<element, &element::links>;

std::vector<int> numbers(const elements& list) {
  std::vector<int> found;
  for (auto* at = list.front(); at != nullptr; at = list.next(*at)) found.push_back(at->number);
  std::vector<int> backwards;
  for (auto* at = list.back(); at != nullptr; at = list.prev(*at)) backwards.push_back(at->number);
  EXPECT_TRUE(std::equal(found.begin(), found.end(), backwards.rbegin(), backwards.rend()));
  return found;
}

TEST(intrusive_list, keeps_the_order_of_arrival) {
  element a{1, {}}, b{2, {}}, c{3, {}};
  elements list;
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(list.pop_front(), nullptr);
  for (element* each : {&a, &b, &c}) list.push_back(*each);
  EXPECT_EQ(numbers(list), (std::vector<int>{1, 2, 3}));
  list.remove(b);
  EXPECT_EQ(numbers(list), (std::vector<int>{1, 3}));
  EXPECT_EQ(list.pop_front(), &a);
  list.push_back(a);
  EXPECT_EQ(numbers(list), (std::vector<int>{3, 1}));
}

TEST(intrusive_list, does_what_a_list_of_pointers_does) {
  const auto seed = testing::test_seed();
  SCOPED_TRACE(testing::replay(seed));
  std::mt19937_64 random(seed);
  std::vector<element> all(12);
  for (std::size_t at = 0; at < all.size(); ++at) all[at].number = static_cast<int>(at);
  elements list;
  std::list<int> oracle;
  for (int step = 0; step < 5'000; ++step) {
    element& chosen = all[testing::pick(random, 0, all.size() - 1)];
    const auto at = std::find(oracle.begin(), oracle.end(), chosen.number);
    if (at == oracle.end()) {
      list.push_back(chosen);
      oracle.push_back(chosen.number);
    } else if (random() % 2 == 0) {
      list.remove(chosen);
      oracle.erase(at);
    } else {
      ASSERT_EQ(list.pop_front()->number, oracle.front());
      oracle.pop_front();
    }
    ASSERT_EQ(numbers(list), std::vector<int>(oracle.begin(), oracle.end()));
  }
}

TEST(intrusive_list, removing_what_is_in_no_list_is_a_broken_invariant) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  elements list;
  element stranger;
  EXPECT_DEATH(list.remove(stranger), "assertion failed");
}

}  // namespace
}  // namespace weir
