#include "process/duration.hpp"

#include <gtest/gtest.h>

namespace weir::process {
namespace {

using namespace std::chrono_literals;

TEST(Duration, ReadsEveryUnit) {
  EXPECT_EQ(parse_duration("250us"), 250us);
  EXPECT_EQ(parse_duration("500ms"), 500ms);
  EXPECT_EQ(parse_duration("2s"), 2s);
  EXPECT_EQ(parse_duration("1.5m"), 90s);
  EXPECT_EQ(parse_duration("1h"), 1h);
  EXPECT_EQ(parse_duration("2d"), 48h);
}

TEST(Duration, PlainNumbersAreSeconds) {
  EXPECT_EQ(parse_duration("0"), 0s);
  EXPECT_EQ(parse_duration("3"), 3s);
  EXPECT_EQ(parse_duration("0.25"), 250ms);
  EXPECT_EQ(parse_duration(".5"), 500ms);
}

TEST(Duration, RefusesWhatIsNoLengthOfTime) {
  for (const char* text :
       {"", "s", "-1", "-1s", "+1", "1 s", "1x", "1S", "inf", "nan", "1e3", "..", "/", "1h30m"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
}

TEST(Duration, RefusesWhatDoesNotFit) {
  EXPECT_TRUE(parse_duration("9000000000"));
  EXPECT_FALSE(parse_duration("9300000000"));
  EXPECT_FALSE(parse_duration("99999999999999999999999d"));
}

}  // namespace
}  // namespace weir::process
