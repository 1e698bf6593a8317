// What follows a task, and the pool whose worker runs it: R6, R24.

#include <gtest/gtest.h>

#include <system_error>
#include <thread>
#include <utility>

#include "support/conservation.hpp"
#include "support/gate.hpp"
#include "support/on_end.hpp"
#include "support/watchdog.hpp"
#include "weir/thread_pool.hpp"

namespace {

using namespace weir;
using namespace std::chrono_literals;
using weir::testing::expect_conserved;
using weir::testing::gate;
using weir::testing::held_worker;
using weir::testing::on_end;
using weir::testing::opens_at_exit;
using weir::testing::watchdog;

// A worker that had claimed `next` together with the end of `first` would wait for itself.
TEST(continuing, R24_may_wait_for_the_task_that_comes_next) {
  const watchdog limit("continuing.R24_may_wait_for_the_task_that_comes_next");
  auto pool = thread_pool::fixed(2, 2);
  gate start;
  auto first = pool.submit([&start] { start.wait(); });
  held_worker other(pool);
  auto next = pool.submit([] { return 1; });
  bool seen = false;
  on_end(first, [&] {
    other.release();
    next.wait();
    seen = true;
  });
  start.open();
  pool.wait_idle();
  EXPECT_TRUE(seen);
  EXPECT_EQ(next.get(), 1);
  expect_conserved(pool.stats());
}

TEST(continuing, R6_finds_the_place_of_its_task_free) {
  auto pool = thread_pool::fixed(1, 1);
  held_worker first(pool);
  auto waiting = pool.submit([] {});
  ASSERT_FALSE(pool.try_submit([] {}));
  bool accepted = false;
  bool another = true;
  on_end(first.done(), [&] {
    accepted = static_cast<bool>(pool.try_submit([] {}));
    another = static_cast<bool>(pool.try_submit([] {}));
  });
  first.release();
  pool.wait_idle();
  EXPECT_TRUE(accepted);
  EXPECT_FALSE(another);
  expect_conserved(pool.stats());
}

TEST(continuing, E3_the_pool_is_not_idle_before_it_is_over) {
  gate entered;
  gate leave;
  auto pool = thread_pool::fixed(1, 1);
  const opens_at_exit release(leave);
  held_worker first(pool);
  on_end(first.done(), [&] {
    entered.open();
    leave.wait();
  });
  first.release();
  entered.wait();
  EXPECT_FALSE(pool.wait_idle_for(0s));
  pool.close();
  EXPECT_FALSE(pool.join_for(0s));
  leave.open();
  pool.join();
  EXPECT_TRUE(pool.wait_idle_for(0s));
}

// The canceller's thread is no worker, and the pool waits for it all the same.
TEST(continuing, E3_of_a_cancelled_task_is_waited_for) {
  const watchdog limit("continuing.E3_of_a_cancelled_task_is_waited_for");
  gate entered;
  gate leave;
  auto pool = thread_pool::fixed(1, 1);
  const opens_at_exit release(leave);
  held_worker first(pool);
  auto queued = pool.submit([] {});
  bool refused = false;
  on_end(queued, [&] {
    try {
      pool.wait_idle();
    } catch (const std::system_error& error) {
      refused = error.code() == std::errc::resource_deadlock_would_occur;
    }
    entered.open();
    leave.wait();
  });
  std::thread canceller([&queued] { queued.cancel(); });
  entered.wait();
  first.release();
  EXPECT_FALSE(pool.wait_idle_for(0s));
  leave.open();
  pool.wait_idle();
  canceller.join();
  EXPECT_TRUE(refused);
  expect_conserved(pool.stats());
}

TEST(continuing, E4_may_destroy_its_pool) {
  const watchdog limit("continuing.E4_may_destroy_its_pool");
  pool_options options;
  options.core = options.max = options.capacity.emplace(1);
  auto pool = std::make_unique<thread_pool>(std::move(options));
  auto held = std::make_unique<held_worker>(*pool);
  auto queued = pool->submit([] {});
  on_end(queued, [&] {
    held->release();
    pool.reset();
  });
  queued.cancel();
  EXPECT_EQ(pool, nullptr);
}

// Tasks so short that a worker claims them ahead; what it has claimed is not lost.
TEST(continuing, R2_what_was_claimed_ahead_runs_all_the_same) {
  constexpr int k_tasks = 2000;
  auto pool = thread_pool::fixed(1, k_tasks);
  held_worker first(pool);
  std::atomic<int> ran{0};
  std::atomic<int> followed{0};
  std::vector<future<void>> tasks;
  for (int at = 0; at < k_tasks - 1; ++at) {
    tasks.push_back(pool.submit([&ran] { ++ran; }));
    if (at % 7 == 0) on_end(tasks.back(), [&followed] { ++followed; });
  }
  first.release();
  pool.wait_idle();
  EXPECT_EQ(ran, k_tasks - 1);
  EXPECT_EQ(followed, (k_tasks - 1 + 6) / 7);
  expect_conserved(pool.stats());
}

}  // namespace
