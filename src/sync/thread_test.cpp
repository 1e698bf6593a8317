#include "sync/thread.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <system_error>

#include "support/thread_famine.hpp"

namespace weir::sync {
namespace {

TEST(thread, carries_its_name_cut_to_what_the_system_takes) {
  std::string seen;
  thread named([&] {
    name_this_thread("a-name-that-is-too-long", 7);
    std::ifstream("/proc/thread-self/comm") >> seen;
  });
  EXPECT_TRUE(named.joinable());
  EXPECT_FALSE(named.is_current());
  named.join();
  EXPECT_EQ(seen, "a-name-that-is-");
}

TEST(thread, one_that_cannot_be_had_throws) {
  bool ran = false;
  {
    const testing::thread_famine famine;
    EXPECT_THROW(thread([&] { ran = true; }), std::system_error);
  }
  EXPECT_FALSE(ran);
  thread again([&] { ran = true; });
  again.join();
  EXPECT_TRUE(ran);
}

}  // namespace
}  // namespace weir::sync
