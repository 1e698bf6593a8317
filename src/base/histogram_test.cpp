#include "weir/histogram.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>
#include <vector>

#include "support/seed.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

TEST(histogram, nothing_recorded_is_all_zero) {
  const histogram empty;
  EXPECT_EQ(empty.count(), 0u);
  EXPECT_EQ(empty.quantile(0.5), 0ns);
  EXPECT_EQ(empty.summary().p999, 0ns);
  EXPECT_EQ(empty.count_up_to(nanoseconds::max()), 0u);
}

TEST(histogram, few_nanoseconds_are_exact) {
  for (int value = 0; value < 16; ++value) {
    histogram one;
    one.record(nanoseconds(value));
    one.record(nanoseconds(value));
    one.record(1h);
    EXPECT_EQ(one.quantile(0.5), nanoseconds(value));
  }
}

TEST(histogram, the_ends_of_the_range) {
  histogram ends;
  ends.record(-1ns);
  ends.record(nanoseconds::min());
  EXPECT_EQ(ends.quantile(1), 0ns);
  ends.record(nanoseconds::max());
  ends.record(nanoseconds::max());
  EXPECT_EQ(ends.count(), 4u);
  EXPECT_EQ(ends.sum(), nanoseconds::max()) << "no sum wraps";
  EXPECT_EQ(ends.max(), nanoseconds::max());
  EXPECT_GT(ends.quantile(0.75), nanoseconds::max() / 16 * 15);
  EXPECT_EQ(ends.quantile(-1), 0ns);
  EXPECT_EQ(ends.quantile(2), nanoseconds::max());
  EXPECT_EQ(ends.count_up_to(nanoseconds::max()), 4u);
}

TEST(histogram, every_power_of_two_and_its_neighbours) {
  for (int bit = 0; bit < 62; ++bit) {
    for (const int step : {-1, 0, 1}) {
      const nanoseconds value((std::int64_t{1} << bit) + step);
      histogram one;
      one.record(value);
      one.record(nanoseconds::max());
      const auto found = one.quantile(0.5);
      EXPECT_LE(std::abs((found - value).count()), value.count() / 16) << value.count();
    }
    const nanoseconds below((std::int64_t{1} << bit) - 1);
    histogram edge;
    edge.record(below);
    edge.record(below + 1ns);
    EXPECT_EQ(edge.count_up_to(below), 1u) << below.count();
  }
}

// Against the sorted values themselves, over many scales at once.
TEST(histogram, quantiles_are_within_a_sixteenth) {
  const std::uint64_t seed = testing::test_seed();
  SCOPED_TRACE(testing::replay(seed));
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> power(0, 45);
  for (int round = 0; round < 200; ++round) {
    histogram all;
    std::vector<std::int64_t> values(1 + random() % 500);
    nanoseconds sum(0);
    for (auto& value : values) {
      value = static_cast<std::int64_t>(std::exp2(power(random)));
      all.record(nanoseconds(value));
      sum += nanoseconds(value);
    }
    std::sort(values.begin(), values.end());
    EXPECT_EQ(all.sum(), sum);
    EXPECT_EQ(all.max().count(), values.back());
    for (const double p : {0.0, 0.01, 0.25, 0.5, 0.9, 0.99, 0.999, 1.0}) {
      const auto rank = std::ceil(p * static_cast<double>(values.size()));
      const auto exact = values[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
      EXPECT_LE(std::abs(all.quantile(p).count() - exact), exact / 16) << "p = " << p;
    }
  }
}

TEST(histogram, merged_is_as_if_recorded_in_one) {
  histogram left;
  histogram right;
  histogram both;
  for (int at = 1; at < 1000; ++at) {
    const nanoseconds value(at * at * 7);
    (at % 3 == 0 ? left : right).record(value);
    both.record(value);
  }
  left.merge(right);
  EXPECT_EQ(left.count(), both.count());
  EXPECT_EQ(left.sum(), both.sum());
  EXPECT_EQ(left.max(), both.max());
  for (double p = 0; p <= 1; p += 0.01) EXPECT_EQ(left.quantile(p), both.quantile(p));
}

}  // namespace
}  // namespace weir
