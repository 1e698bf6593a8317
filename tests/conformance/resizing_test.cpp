// What Java's rules say of limits that change (rules 8 to 28 and 76 to 91), beyond what
// src/pool/resizing_test.cpp holds.

#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>
#include <vector>

#include "support/eventually.hpp"
#include "support/gate.hpp"
#include "support/thread_famine.hpp"
#include "support/thread_switches.hpp"
#include "support/watchdog.hpp"
#include "weir/this_task.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;
using testing::eventually;
using testing::gate;
using testing::held_worker;

// tck 8, 9, 22: what was said last is what is answered, to the nanosecond.
TEST(resizing, E6_getters_answer_what_was_set_last) {
  thread_pool pool({.core = 1, .max = 4, .keep_alive = 1'000'000'001ns, .capacity = 7});
  EXPECT_EQ(pool.core(), 1u);
  EXPECT_EQ(pool.max(), 4u);
  EXPECT_EQ(pool.keep_alive(), 1'000'000'001ns);
  EXPECT_EQ(pool.capacity(), 7u);
  EXPECT_FALSE(pool.core_may_time_out());
  pool.set_max(9);
  pool.set_max(3);
  EXPECT_EQ(pool.max(), 3u);
  pool.set_core(3);
  pool.set_core(0);
  EXPECT_EQ(pool.core(), 0u);
  pool.set_keep_alive(1ns);
  pool.set_core_may_time_out(true);
  pool.set_capacity(unbounded);
  EXPECT_EQ(pool.keep_alive(), 1ns);
  EXPECT_TRUE(pool.core_may_time_out());
  EXPECT_EQ(pool.capacity(), unbounded);
  EXPECT_EQ(pool.size(), 0u) << "asking and setting start nobody";
}

// tck 12: a policy that is refused leaves the old one in force.
TEST(resizing, B7_an_empty_policy_leaves_the_old_one_in_force) {
  thread_pool pool({.core = 1, .max = 1, .capacity = 0, .on_saturation = saturation::discard});
  held_worker busy(pool);
  EXPECT_THROW(pool.set_saturation(saturation_function()), std::invalid_argument);
  EXPECT_EQ(pool.submit([] {}).state(), task_state::cancelled);
}

// tck 13 … 17: whatever is refused, nothing of it has happened.
TEST(resizing, B7_both_sizes_are_checked_together) {
  thread_pool pool({.core = 2, .max = 4, .capacity = 1});
  EXPECT_THROW(pool.set_sizes(5, 4), std::invalid_argument);
  EXPECT_THROW(pool.set_sizes(0, 0), std::invalid_argument);
  EXPECT_EQ(pool.core(), 2u);
  EXPECT_EQ(pool.max(), 4u);
  pool.set_sizes(6, 8);
  EXPECT_EQ(pool.core(), 6u);
  EXPECT_EQ(pool.max(), 8u);
}

// tck 80: no more than the core wants, however many wait.
TEST(resizing, E6_a_raised_core_starts_no_more_than_the_core) {
  thread_pool pool({.core = 1, .max = 8, .capacity = 10});
  gate release;
  const testing::opens_at_exit opener(release);
  std::vector<future<void>> all;
  for (int task = 0; task < 6; ++task) all.push_back(pool.submit([&] { release.wait(); }));
  pool.set_core(3);
  EXPECT_EQ(pool.size(), 3u);
  pool.set_core(4);
  EXPECT_EQ(pool.size(), 4u);
}

pool_options one_idle(manual_clock& clock, std::string name) {
  return {.core = 1,
          .max = 1,
          .keep_alive = 10s,
          .capacity = 1,
          .clock = &clock,
          .name = std::move(name)};
}

// tck 84: idle core workers hear of it; their keep-alive begins then.
TEST(resizing, E6_core_time_out_counts_for_workers_that_sleep_already) {
  const testing::watchdog dog("core time-out while they sleep");
  manual_clock clock;
  thread_pool pool(one_idle(clock, "tired"));
  pool.submit([] {}).get();
  ASSERT_TRUE(eventually([] { return testing::threads_sleep("tired-"); }));
  clock.advance(1h);
  EXPECT_EQ(pool.size(), 1u);
  pool.set_core_may_time_out(true);
  ASSERT_TRUE(eventually([] { return testing::threads_sleep("tired-"); }));
  EXPECT_EQ(pool.size(), 1u);
  ASSERT_TRUE(eventually([&] {
    clock.advance(10s);
    return pool.size() == 0;
  }));
  EXPECT_EQ(pool.submit([] { return 1; }).get(), 1);
}

// tck 85: who says again what is so already changes nothing, the keep-alive of the idle neither.
TEST(resizing, E6_setting_what_is_so_already_renews_no_keep_alive) {
  const testing::watchdog dog("setting what is so already");
  manual_clock clock;
  auto options = one_idle(clock, "steady");
  options.core_may_time_out = true;
  thread_pool pool(options);
  pool.submit([] {}).get();
  ASSERT_TRUE(eventually([] { return testing::threads_sleep("steady-"); }));
  clock.advance(6s);
  pool.set_core_may_time_out(true);
  pool.set_keep_alive(10s);
  pool.set_sizes(1, 1);
  pool.set_capacity(1);
  ASSERT_TRUE(eventually([] { return testing::threads_sleep("steady-"); }));
  clock.advance(4s);
  EXPECT_TRUE(eventually([&] { return pool.size() == 0; }));
}

// tck 82: beyond the maximum one leaves although others wait; the last one does not.
TEST(resizing, R31_the_last_worker_takes_what_the_leaving_ones_left) {
  const testing::watchdog dog("leaving with work in the queue");
  thread_pool pool({.core = 2, .max = 2, .capacity = unbounded});
  held_worker one(pool), two(pool);
  std::vector<future<void>> all;
  for (int task = 0; task < 100; ++task) all.push_back(pool.submit([] {}));
  pool.set_sizes(0, 1);
  one.release();
  EXPECT_TRUE(eventually([&] { return pool.size() == 1; }));
  two.release();
  for (auto& each : all) each.get();
  EXPECT_EQ(pool.stats().workers_max, 2u);
}

// tck 21, 103: from inside a body too, and the body that did it hears nothing of it.
TEST(resizing, A2_limits_may_be_changed_from_inside) {
  const testing::watchdog dog("limits from inside");
  thread_pool* self = nullptr;
  pool_options options{.core = 2, .max = 2, .capacity = 1};
  options.on_saturation = [&](const pool_stats&) {
    self->set_saturation(saturation::reject);  // while it is itself the policy
    self->set_capacity(2);
    return saturation::discard;
  };
  thread_pool pool(options);
  self = &pool;
  auto inside = pool.submit([&] {
    pool.set_core(0);
    pool.set_max(1);
    pool.set_keep_alive(0ns);
    pool.pause();
    pool.resume();
    return this_task::stop_requested();
  });
  EXPECT_FALSE(inside.get());
  EXPECT_TRUE(eventually([&] { return pool.size() == 0; })) << "nothing keeps them any more";
  held_worker busy(pool);
  auto waits = pool.submit([] {});
  auto fits = pool.submit([] {});
  EXPECT_EQ(fits.state(), task_state::queued) << "the policy itself has made room for it";
  EXPECT_THROW((void)pool.submit([] {}), rejected);
}

// tck 5: without a core a task is still served, also when the core was taken away meanwhile.
TEST(resizing, B1_a_core_of_zero_strands_nobody) {
  const testing::watchdog dog("a core of zero");
  thread_pool pool({.core = 1, .max = 1, .keep_alive = 0ns, .capacity = 4});
  for (int round = 0; round < 500; ++round) {
    auto task = pool.submit([] {});
    pool.set_core(static_cast<std::size_t>(round % 2));
    task.get();
  }
}

// tck 29, 30: workers before their time are no promise; without a thread there is just none.
TEST(resizing, B9_prestart_without_a_thread_starts_none) {
  thread_pool pool({.core = 2, .max = 2, .capacity = 1});
  {
    const testing::thread_famine famine;
    EXPECT_FALSE(pool.prestart_one());
    EXPECT_EQ(pool.prestart_core(), 0u);
    EXPECT_EQ(pool.size(), 0u);
  }
  EXPECT_EQ(pool.prestart_core(), 2u);
}

}  // namespace
}  // namespace weir
