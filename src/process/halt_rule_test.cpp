#include "process/halt_rule.hpp"

#include <gtest/gtest.h>

namespace weir::process {
namespace {

TEST(HaltRule, ReadsEveryForm) {
  EXPECT_EQ(parse_halt_rule("never")->act, halt_rule::when::never);
  EXPECT_EQ(parse_halt_rule("soon")->act, halt_rule::when::soon);
  EXPECT_EQ(parse_halt_rule("soon")->limit, 1u);
  const auto number = parse_halt_rule("now,fail=3");
  EXPECT_EQ(number->act, halt_rule::when::now);
  EXPECT_EQ(number->limit, 3u);
  EXPECT_FALSE(number->percent);
  const auto share = parse_halt_rule("soon,fail=10%");
  EXPECT_EQ(share->limit, 10u);
  EXPECT_TRUE(share->percent);
}

TEST(HaltRule, RefusesEverythingElse) {
  for (const char* text : {"", "sooner", "now,", "now,fail", "now,fail=", "now,fail=0",
                           "now,fail=x", "now,fail=101%", "now,fail=0%", "never,fail=1",
                           "now,fail=-1", "now,fail=99999999999999999999", "now,done=1"}) {
    EXPECT_FALSE(parse_halt_rule(text)) << text;
  }
}

TEST(HaltRule, CountsFailures) {
  const halt_rule third = *parse_halt_rule("soon,fail=3");
  EXPECT_FALSE(third.reached(2, 2));
  EXPECT_TRUE(third.reached(3, 100));
  EXPECT_FALSE(parse_halt_rule("never")->reached(1000, 1000));
}

TEST(HaltRule, WeighsAShare) {
  const halt_rule half = *parse_halt_rule("soon,fail=50%");
  EXPECT_FALSE(half.reached(2, 2)) << "too early to tell";
  EXPECT_TRUE(half.reached(2, 3));
  EXPECT_TRUE(half.reached(2, 4));
  EXPECT_FALSE(half.reached(2, 5));
  EXPECT_FALSE(half.reached(0, 5));
}

}  // namespace
}  // namespace weir::process
