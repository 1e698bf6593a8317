// The bound that counts bytes rather than tasks: B6, R9, R10, R31.

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>
#include <vector>

#include "support/conservation.hpp"
#include "support/eventually.hpp"
#include "support/gate.hpp"
#include "support/pool_shape.hpp"
#include "support/watchdog.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;
using testing::eventually;
using testing::gate;
using testing::held_worker;
using testing::sized;

pool_options weighing(std::size_t most, saturation policy = saturation::reject) {
  pool_options options = sized(1, 1, unbounded);
  options.capacity_weight = most;
  options.on_saturation = policy;
  return options;
}

task_options of(std::size_t weight) {
  task_options options;
  options.weight = weight;
  return options;
}

TEST(weight, B6_waiting_and_running_tasks_weigh_together) {
  const testing::watchdog guard("weight");
  thread_pool pool(weighing(10));
  gate release;
  const testing::opens_at_exit opens(release);
  auto running = pool.submit(of(4), [&] { release.wait(); });
  auto waiting = pool.submit(of(6), [] {});
  EXPECT_EQ(pool.stats().weight, 10u);
  EXPECT_EQ(pool.try_submit(of(1), [] {}).why(), reject_reason::saturated);
  auto weightless = pool.submit([] {});
  release.open();
  running.wait();
  auto next = pool.submit(of(4), [] {});
  pool.wait_idle();
  EXPECT_EQ(pool.stats().weight, 0u);
  testing::expect_conserved(pool.stats());
}

// R6: whoever saw it end can submit in its stead.
TEST(weight, R6_weight_is_free_before_the_future_is_ready) {
  const testing::watchdog guard("weight");
  thread_pool pool(weighing(8));
  for (int i = 0; i < 20000; ++i) pool.submit(of(8), [] {}).get();
}

TEST(weight, B6_heavier_than_the_whole_is_an_argument_error) {
  thread_pool pool(weighing(10));
  EXPECT_THROW((void)pool.submit(of(11), [] {}), std::invalid_argument);
  EXPECT_THROW((void)pool.try_submit(of(11), [] {}), std::invalid_argument);
  EXPECT_THROW((void)pool.submit_after(of(11), 1s, [] {}), std::invalid_argument);
  EXPECT_EQ(pool.stats().accepted, 0u);
  EXPECT_EQ(pool.stats().refused, 0u);
}

TEST(weight, B7_a_bound_of_zero_is_refused) {
  EXPECT_THROW(thread_pool{weighing(0)}, std::invalid_argument);
}

TEST(weight, B3_cancelling_gives_the_weight_back) {
  const testing::watchdog guard("weight");
  thread_pool pool(weighing(10));
  held_worker busy(pool);
  auto queued = pool.submit(of(7), [] {});
  auto delayed = pool.submit_after(of(3), 1h, [] {});
  EXPECT_EQ(pool.stats().weight, 10u);
  EXPECT_EQ(queued.cancel(), cancel_result::cancelled);
  EXPECT_EQ(pool.stats().weight, 3u);
  EXPECT_EQ(delayed.cancel(), cancel_result::cancelled);
  EXPECT_EQ(pool.stats().weight, 0u);
  (void)pool.submit(of(10), [] {});
}

TEST(weight, E2_draining_gives_the_weight_back) {
  const testing::watchdog guard("weight");
  thread_pool pool(weighing(10));
  held_worker busy(pool);
  auto queued = pool.submit(of(7), [] {});
  auto drained = pool.shutdown_now();
  EXPECT_EQ(pool.stats().weight, 0u);
  EXPECT_EQ(drained.size(), 1u);
}

TEST(weight, R9_as_many_of_the_oldest_go_as_the_weight_needs) {
  const testing::watchdog guard("weight");
  thread_pool pool(weighing(10, saturation::discard_oldest));
  held_worker busy(pool);
  std::vector<future<void>> queued;
  for (const std::size_t weight : {3u, 3u, 3u, 1u}) {
    queued.push_back(pool.submit(of(weight), [] {}));
  }
  auto heavy = pool.submit(of(5), [] {});
  EXPECT_EQ(queued[0].state(), task_state::cancelled);
  EXPECT_EQ(queued[1].state(), task_state::cancelled);
  EXPECT_EQ(queued[2].state(), task_state::queued);
  EXPECT_EQ(queued[3].state(), task_state::queued);
  EXPECT_EQ(heavy.state(), task_state::queued);
  EXPECT_EQ(pool.stats().weight, 9u);
  EXPECT_EQ(pool.stats().discarded, 2u);
}

TEST(weight, R9_where_that_is_not_enough_none_goes_but_the_new_one) {
  const testing::watchdog guard("weight");
  thread_pool pool(weighing(10, saturation::discard_oldest));
  gate release;
  const testing::opens_at_exit opens(release);
  gate started;
  auto running = pool.submit(of(6), [&] {
    started.open();
    release.wait();
  });
  started.wait();
  auto queued = pool.submit(of(4), [] {});
  auto heavy = pool.submit(of(5), [] {});
  EXPECT_EQ(queued.state(), task_state::queued);
  EXPECT_EQ(heavy.state(), task_state::cancelled);
  EXPECT_EQ(pool.stats().discarded, 1u);
}

// Nobody overtakes: the light one fits, but the heavy one was there before.
TEST(weight, R10_a_light_task_does_not_pass_a_heavy_one_that_waits) {
  const testing::watchdog guard("weight");
  thread_pool pool(weighing(10, saturation::block));
  gate release;
  const testing::opens_at_exit opens(release);
  auto running = pool.submit(of(4), [&] { release.wait(); });
  future<void> heavy;
  std::thread blocked([&] { heavy = pool.submit(of(8), [] {}); });
  EXPECT_TRUE(eventually([&] { return pool.stats().blocked == 1; }));
  EXPECT_EQ(pool.try_submit(of(2), [] {}).why(), reject_reason::saturated);
  EXPECT_EQ(pool.try_submit([] {}).why(), reject_reason::saturated);
  release.open();
  blocked.join();
  heavy.get();
}

TEST(weight, R8_a_body_run_by_the_caller_weighs_nothing) {
  const testing::watchdog guard("weight");
  thread_pool pool(weighing(10, saturation::caller_runs));
  held_worker busy(pool);
  auto queued = pool.submit(of(10), [] {});
  pool.submit(of(5), [&] { EXPECT_EQ(pool.stats().weight, 10u); }).get();
}

TEST(weight, R31_a_lowered_bound_refuses_until_below) {
  const testing::watchdog guard("weight");
  thread_pool pool(weighing(10));
  held_worker busy(pool);
  auto first = pool.submit(of(6), [] {});
  auto second = pool.submit(of(3), [] {});
  pool.set_capacity_weight(5);
  EXPECT_EQ(first.state(), task_state::queued) << "nothing is evicted";
  EXPECT_EQ(pool.try_submit(of(1), [] {}).why(), reject_reason::saturated);
  EXPECT_EQ(first.cancel(), cancel_result::cancelled);
  EXPECT_TRUE(pool.try_submit(of(2), [] {}).accepted());
  EXPECT_EQ(pool.try_submit(of(1), [] {}).why(), reject_reason::saturated);
}

TEST(weight, R31_a_raised_bound_lets_the_blocked_in) {
  const testing::watchdog guard("weight");
  thread_pool pool(weighing(10, saturation::block));
  held_worker busy(pool);
  auto first = pool.submit(of(10), [] {});
  future<void> second;
  std::thread blocked([&] { second = pool.submit(of(10), [] {}); });
  EXPECT_TRUE(eventually([&] { return pool.stats().blocked == 1; }));
  pool.set_capacity_weight(20);
  blocked.join();
  EXPECT_EQ(second.state(), task_state::queued);
}

}  // namespace
}  // namespace weir
