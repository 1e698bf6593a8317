#include <gtest/gtest.h>

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "support/conservation.hpp"
#include "support/gate.hpp"
#include "support/watchdog.hpp"
#include "weir/keyed_strand.hpp"
#include "weir/limiter.hpp"
#include "weir/strand.hpp"
#include "weir/task_group.hpp"
#include "weir/this_task.hpp"
#include "weir/thread_pool.hpp"

/// Lanes and groups on a pool: what they make of its policies and endings.
namespace {

using namespace weir;
using weir::testing::expect_conserved;
using weir::testing::gate;
using weir::testing::held_worker;

thread_pool pool_with(saturation policy, std::size_t workers = 1, std::size_t capacity = 1) {
  pool_options options;
  options.core = options.max = workers;
  options.capacity = capacity;
  options.on_saturation = policy;
  return thread_pool(std::move(options));
}

TEST(lanes, R11_a_saturated_pool_refuses_the_first_task_of_a_strand) {
  thread_pool pool = pool_with(saturation::reject);
  const held_worker held(pool);
  strand lane(pool, unbounded);
  strand other(pool, unbounded);
  EXPECT_TRUE(lane.try_submit([] {}).accepted());
  EXPECT_TRUE(lane.try_submit([] {}).accepted());  // waits in the strand
  EXPECT_EQ(other.try_submit([] {}).why(), reject_reason::saturated);
  EXPECT_THROW(other.execute([] {}), rejected);
}

TEST(lanes, B4_caller_runs_carries_the_strand_on_the_caller) {
  thread_pool pool = pool_with(saturation::caller_runs);
  const held_worker held(pool);
  pool.execute([] {});
  strand lane(pool, unbounded);
  auto task = lane.submit([&lane] { return lane.running_in_this_thread(); });
  EXPECT_EQ(task.state(), task_state::succeeded);
  EXPECT_TRUE(task.get());
  EXPECT_EQ(lane.size(), 0u);
}

TEST(lanes, B4_discard_takes_the_task_with_the_carrier) {
  thread_pool pool = pool_with(saturation::discard);
  const held_worker held(pool);
  pool.execute([] {});
  strand lane(pool, unbounded);
  auto task = lane.submit([] {});
  try {
    task.get();
    FAIL();
  } catch (const task_cancelled& error) {
    EXPECT_EQ(error.reason(), cancel_reason::discarded);
  }
  EXPECT_EQ(lane.size(), 0u);
}

TEST(lanes, E2_abort_stops_the_running_task_and_cancels_the_others) {
  thread_pool pool = thread_pool::fixed(1, 4);
  strand lane(pool, unbounded);
  gate runs;
  auto running = lane.submit([&runs](std::stop_token stop) {
    gate stopped;
    const std::stop_callback hears(stop, [&stopped] { stopped.open(); });
    runs.open();
    stopped.wait();
  });
  auto waiting = lane.submit([] {});
  runs.wait();
  pool.abort();
  pool.join();
  EXPECT_EQ(running.cancellation(), cancellation::returned);
  try {
    waiting.get();
    FAIL();
  } catch (const task_cancelled& error) {
    EXPECT_EQ(error.reason(), cancel_reason::aborted);
  }
  EXPECT_TRUE(lane.closed());
  EXPECT_EQ(lane.try_submit([] {}).why(), reject_reason::closed);
}

TEST(lanes, E2_abort_cancels_what_waits_behind_a_queued_carrier) {
  thread_pool pool = thread_pool::fixed(1, 4);
  std::vector<future<void>> tasks;
  strand lane(pool, unbounded);
  {
    const held_worker held(pool);
    for (int at = 0; at < 3; ++at) tasks.push_back(lane.submit([] {}));
    pool.abort();
    for (const auto& task : tasks) EXPECT_EQ(task.state(), task_state::cancelled);
  }
  EXPECT_EQ(lane.size(), 0u);
}

// A strand whose tasks submit the next one must not keep its pool from ending.
TEST(lanes, E1_a_strand_that_feeds_itself_ends_with_its_pool) {
  const weir::testing::watchdog dog("a self-feeding strand");
  std::atomic<int> runs{0};
  auto pool = std::make_unique<thread_pool>(pool_options{.core = 1, .max = 1, .capacity = 4});
  strand lane(*pool, unbounded);
  std::function<void()> next = [&] {
    ++runs;
    (void)lane.try_submit(next);
  };
  lane.execute(next);
  while (runs < 100) std::this_thread::yield();
  pool.reset();
  EXPECT_EQ(lane.size(), 0u);
}

TEST(lanes, D5_a_failure_that_nobody_reads_goes_to_the_pools_hook) {
  std::string heard;
  pool_options options{.core = 1, .max = 1, .capacity = 4};
  options.on_unhandled = [&heard](std::exception_ptr error, const task_info& info) {
    try {
      std::rethrow_exception(error);
    } catch (const std::exception& known) {
      heard = std::string(info.name) + ": " + known.what();
    }
  };
  thread_pool pool(std::move(options));
  strand lane(pool, unbounded);
  lane.execute(task_options{.name = "entry"}, [] { throw std::runtime_error("lost"); });
  lane.wait_idle();
  pool.close();
  pool.join();
  EXPECT_EQ(heard, "entry: lost");
}

TEST(lanes, a_strands_task_knows_its_pool) {
  thread_pool pool = thread_pool::fixed(1, 4);
  strand lane(pool, unbounded);
  EXPECT_EQ(lane.submit([] { return this_task::pool(); }).get(), &pool);
}

TEST(lanes, R32_a_limiter_leaves_a_worker_to_others) {
  thread_pool pool = thread_pool::fixed(3, 8);
  limiter tenant(pool, 2, unbounded);
  gate opened;
  const weir::testing::opens_at_exit open(opened);
  std::atomic<int> running{0};
  std::atomic<int> most{0};
  std::vector<future<void>> tasks;
  for (int at = 0; at < 6; ++at) {
    tasks.push_back(tenant.submit([&] {
      const int now = ++running;
      int seen = most;
      while (seen < now && !most.compare_exchange_weak(seen, now)) {
      }
      opened.wait();
      --running;
    }));
  }
  EXPECT_EQ(pool.submit([] { return 1; }).get(), 1);
  opened.open();
  tenant.wait_idle();
  EXPECT_LE(most, 2);
  for (const auto& task : tasks) EXPECT_EQ(task.state(), task_state::succeeded);
}

TEST(lanes, keys_run_side_by_side) {
  thread_pool pool = thread_pool::fixed(2, 8);
  keyed_strand<std::string> lanes(pool, unbounded, unbounded);
  gate met[2];
  auto first = lanes.submit("a", [&met] {
    met[0].open();
    met[1].wait();
  });
  auto second = lanes.submit("b", [&met] {
    met[1].open();
    met[0].wait();
  });
  first.wait();
  second.wait();
}

TEST(lanes, F2_a_group_may_wait_inside_the_only_worker) {
  const weir::testing::watchdog dog("a group in the only worker");
  thread_pool pool = thread_pool::fixed(1, 1);
  const auto tree = [&pool](auto& self, int depth) -> int {
    if (depth == 0) return 1;
    int left = 0;
    int right = 0;
    task_group group(pool);
    group.run([&] { left = self(self, depth - 1); });
    group.run([&] { right = self(self, depth - 1); });
    group.wait();
    return left + right;
  };
  EXPECT_EQ(pool.submit([&tree] { return tree(tree, 8); }).get(), 256);
  pool.close();
  pool.join();
  expect_conserved(pool.stats());
}

TEST(lanes, case_43_the_root_cause_wins_however_often) {
  const weir::testing::watchdog dog("groups that fail");
  thread_pool pool = thread_pool::fixed(2, 16);
  for (int round = 0; round < 2000; ++round) {
    task_group group(pool, 1);
    std::atomic<int> after{0};
    bool failed = false;
    for (int at = 1; at <= 7; ++at) {
      group.run([&, at] {
        if (failed) ++after;
        if (at == 4) {
          failed = true;
          throw std::runtime_error("E");
        }
      });
    }
    EXPECT_THROW(group.wait(), std::runtime_error);
    EXPECT_EQ(after, 0);
  }
}

TEST(lanes, E2_abort_of_the_pool_cancels_a_group) {
  thread_pool pool = thread_pool::fixed(1, 4);
  task_group group(pool, 1);
  gate runs;
  group.run([&runs](std::stop_token stop) {
    gate stopped;
    const std::stop_callback hears(stop, [&stopped] { stopped.open(); });
    runs.open();
    stopped.wait();
  });
  runs.wait();
  pool.abort();
  try {
    group.wait();
    FAIL();
  } catch (const task_cancelled& error) {
    EXPECT_EQ(error.reason(), cancel_reason::aborted);
  }
}

}  // namespace
