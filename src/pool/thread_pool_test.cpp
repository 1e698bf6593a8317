#include "weir/thread_pool.hpp"

#include <gtest/gtest.h>

TEST(thread_pool, runs_a_task) {
  weir::thread_pool pool = weir::thread_pool::fixed(2, 16);
  auto f = pool.submit([] { return 7; });
  EXPECT_EQ(f.get(), 7);
}
