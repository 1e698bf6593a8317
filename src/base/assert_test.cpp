#include <gtest/gtest.h>

#include "weir/detail/assert.hpp"

TEST(assert, says_what_and_where_and_aborts_in_every_build) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(WEIR_ASSERT(1 + 1 == 3), "assertion failed: 1 \\+ 1 == 3 .*assert_test.cpp");
}

TEST(assert, lets_the_truth_pass_and_looks_once) {
  int looks = 0;
  WEIR_ASSERT(++looks == 1);
  EXPECT_EQ(looks, 1);
}
