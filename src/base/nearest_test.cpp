#include "base/nearest.hpp"

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(nearest, finds_slips_of_the_fingers) {
  const std::vector<std::string> names{"run", "help"};
  EXPECT_EQ(nearest("rnu", names), "run");
  EXPECT_EQ(nearest("hlep", names), "help");
  EXPECT_EQ(nearest("runn", names), "run");
  EXPECT_EQ(nearest("frobnicate", names), "");
}

TEST(nearest, regards_no_case) {
  EXPECT_EQ(nearest("europe/berlim", {"Europe/Berlin", "Europe/Dublin"}), "Europe/Berlin");
}

}  // namespace
}  // namespace weir
