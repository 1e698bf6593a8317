// What a burst of tasks leaves behind: nothing, once the pool has rested.

#include <gtest/gtest.h>

#include "support/eventually.hpp"
#include "support/gate.hpp"
#include "support/watchdog.hpp"
#include "task/task_memory.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

TEST(pool_memory, a_burst_goes_back_while_the_pool_sleeps) {
  const testing::watchdog dog("memory after a burst");
  const std::size_t before = detail::task_memory_bytes();
  thread_pool pool = thread_pool::fixed(2, 200'000);
  std::size_t full = 0;
  {
    const testing::held_worker first(pool);
    const testing::held_worker second(pool);
    for (int at = 0; at < 200'000; ++at) pool.execute([] {});
    full = detail::task_memory_bytes();
  }
  pool.wait_idle();
  if (full == 0) GTEST_SKIP() << "a sanitizer has the plain allocator";
  EXPECT_GT(full, before + 10'000'000);
  EXPECT_TRUE(
      testing::eventually([before] { return detail::task_memory_bytes() <= before + 1'000'000; }));
}

}  // namespace
}  // namespace weir
