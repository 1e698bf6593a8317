#include "process/wake_fd.hpp"

#include <gtest/gtest.h>

namespace weir::process {
namespace {

TEST(WakeFd, StaysSet) {
  wake_fd flag;
  EXPECT_FALSE(flag.is_set());
  flag.set();
  flag.set();
  EXPECT_TRUE(flag.is_set());
  EXPECT_TRUE(flag.is_set());
}

}  // namespace
}  // namespace weir::process
