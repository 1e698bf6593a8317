// C1 and case 44: no duration that a caller can write wraps, and none ends a wait early.

#include "weir/detail/duration.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace weir::detail {
namespace {

using namespace std::chrono;
using namespace std::chrono_literals;
using point = steady_clock::time_point;

TEST(saturating_nanoseconds, keeps_what_fits) {
  EXPECT_EQ(saturating_nanoseconds(0ns), 0ns);
  EXPECT_EQ(saturating_nanoseconds(-3ms), -3'000'000ns);
  EXPECT_EQ(saturating_nanoseconds(nanoseconds(9'007'199'254'740'993)).count(),
            9'007'199'254'740'993)
      << "beyond a double's precision";
  EXPECT_EQ(saturating_nanoseconds(hours(2'562'047)), hours(2'562'047));
}

// tck 249.
TEST(saturating_nanoseconds, stops_at_the_ends) {
  EXPECT_EQ(saturating_nanoseconds(nanoseconds::max()), nanoseconds::max());
  EXPECT_EQ(saturating_nanoseconds(nanoseconds::min()), nanoseconds::min());
  EXPECT_EQ(saturating_nanoseconds(hours(2'562'048)), nanoseconds::max());
  EXPECT_EQ(saturating_nanoseconds(hours(-2'562'048)), nanoseconds::min());
  EXPECT_EQ(saturating_nanoseconds(hours::max()), nanoseconds::max());
  EXPECT_EQ(saturating_nanoseconds(seconds::min()), nanoseconds::min());
  EXPECT_EQ(saturating_nanoseconds(duration<std::uint64_t>(UINT64_MAX)), nanoseconds::max());
  EXPECT_EQ(saturating_nanoseconds(duration<std::uint64_t, std::nano>(UINT64_MAX)),
            nanoseconds::max());
  EXPECT_EQ(saturating_nanoseconds(duration<std::int8_t, std::ratio<3600>>(100)), 100h);
}

TEST(saturating_nanoseconds, rounds_fractions_away_from_zero) {
  EXPECT_EQ(saturating_nanoseconds(duration<double, std::nano>(0.1)), 1ns);
  EXPECT_EQ(saturating_nanoseconds(duration<double, std::nano>(1.0)), 1ns);
  EXPECT_EQ(saturating_nanoseconds(duration<double, std::nano>(-0.1)), -1ns);
  EXPECT_EQ(saturating_nanoseconds(duration<double>(0.5)), 500ms);
  EXPECT_EQ(saturating_nanoseconds(duration<std::int64_t, std::pico>(1)), 1ns);
  EXPECT_EQ(saturating_nanoseconds(duration<std::int64_t, std::pico>(2'000)), 2ns);
}

TEST(saturating_nanoseconds, takes_what_floating_point_has_beside_numbers) {
  using limits = std::numeric_limits<double>;
  EXPECT_EQ(saturating_nanoseconds(duration<double>(limits::infinity())), nanoseconds::max());
  EXPECT_EQ(saturating_nanoseconds(duration<double>(-limits::infinity())), nanoseconds::min());
  EXPECT_EQ(saturating_nanoseconds(duration<double>(limits::quiet_NaN())), 0ns);
  EXPECT_EQ(saturating_nanoseconds(duration<double>(1e300)), nanoseconds::max());
}

TEST(saturating_nanoseconds, is_usable_at_compile_time) {
  static_assert(saturating_nanoseconds(2s) == 2'000'000'000ns);
  static_assert(saturating_nanoseconds(hours::max()) == nanoseconds::max());
}

TEST(saturating_add, stops_at_the_ends_of_the_time_line) {
  EXPECT_EQ(saturating_add(point(1s), 2s), point(3s));
  EXPECT_EQ(saturating_add(point(1s), -2s), point(-1s));
  EXPECT_EQ(saturating_add(point(1ns), nanoseconds::max()), point::max());
  EXPECT_EQ(saturating_add(point::max(), 0ns), point::max());
  EXPECT_EQ(saturating_add(point::max(), nanoseconds::max()), point::max());
  EXPECT_EQ(saturating_add(point(-1ns), nanoseconds::min()), point::min());
  EXPECT_EQ(saturating_add(point::min(), nanoseconds::min()), point::min());
  EXPECT_EQ(saturating_add(point::min(), nanoseconds::max()), point(-1ns));
  EXPECT_EQ(saturating_add(point(0ns), nanoseconds::min()), point::min());
}

}  // namespace
}  // namespace weir::detail
