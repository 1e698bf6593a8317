// Faults of other pools in size and queue: part A of the cases, those that no test in src/pool or
// tests/stress holds.

#include <gtest/gtest.h>

#include "support/eventually.hpp"
#include "support/thread_switches.hpp"
#include "support/watchdog.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;
using testing::eventually;

// Case 13: tasks that may not start keep nobody awake, the due ones and those whose time comes
// neither.
TEST(cases, R14_a_paused_pool_uses_no_processor) {
  const testing::watchdog dog("a paused pool at rest");
  thread_pool pool({.core = 2, .max = 2, .capacity = 4, .name = "paused"});
  ASSERT_EQ(pool.prestart_core(), 2u);
  pool.pause();
  auto waits = pool.submit([] { return 1; });
  auto later = pool.submit_after(1ms, [] { return 2; });
  const auto asleep = [&waits](std::chrono::milliseconds time) {
    const auto before = testing::switches_of_threads("paused-");
    EXPECT_FALSE(waits.wait_for(time));
    return before == testing::switches_of_threads("paused-");
  };
  ASSERT_TRUE(eventually([&] { return asleep(150ms); })) << "the workers do not come to rest";
  EXPECT_TRUE(asleep(300ms)) << "C2: a worker was switched to";
  pool.resume();
  EXPECT_EQ(waits.get(), 1);
  EXPECT_EQ(later.get(), 2);
}

}  // namespace
}  // namespace weir
