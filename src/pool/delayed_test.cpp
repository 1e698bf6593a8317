// Time: C1 … C4, R16, R28 and the faults of other systems' timers.

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support/conservation.hpp"
#include "support/eventually.hpp"
#include "support/gate.hpp"
#include "support/thread_switches.hpp"
#include "support/watchdog.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;
using testing::eventually;
using testing::gate;
using testing::held_worker;

pool_options on(weir::clock& clock, std::size_t workers = 1, std::size_t capacity = 16) {
  pool_options options;
  options.core = options.max = workers;
  options.capacity = capacity;
  options.clock = &clock;
  return options;
}

// tck 210, 211.
TEST(delayed, C1_nothing_starts_early) {
  manual_clock clock;
  thread_pool pool(on(clock));
  auto task = pool.submit_after(10ms, [&] { return clock.now(); });
  clock.advance(10ms - 1ns);
  pool.submit([] {}).get();  // the worker has looked at the clock after this
  EXPECT_EQ(task.state(), task_state::queued);
  clock.advance(1ns);
  EXPECT_EQ(task.get(), clock::time_point(10ms));
}

// tck 212, 213, 251.
TEST(delayed, C1_an_instant_that_has_passed_is_due_now) {
  manual_clock clock(clock::time_point(5s));
  thread_pool pool(on(clock));
  EXPECT_EQ(pool.submit_at(clock::time_point(1s), [] { return 1; }).get(), 1);
  EXPECT_EQ(pool.submit_at(clock::time_point::min(), [] { return 2; }).get(), 2);
  EXPECT_EQ(pool.submit_after(0s, [] { return 3; }).get(), 3);
  auto later = pool.submit_at(clock::time_point(6s), [] {});
  EXPECT_EQ(later.due(), clock::time_point(6s));
  EXPECT_EQ(pool.submit([] {}).due(), std::nullopt);
  EXPECT_EQ(later.state(), task_state::queued);
}

// Case 44, tck 248: where others wrap or clamp, weir refuses the sum (C1) and takes the instant.
TEST(delayed, C1_the_end_of_time) {
  manual_clock clock(clock::time_point(1s));
  thread_pool pool(on(clock));
  EXPECT_THROW((void)pool.submit_after(std::chrono::nanoseconds::max(), [] {}),
               std::invalid_argument);
  EXPECT_THROW((void)pool.submit_after(std::chrono::hours::max(), [] {}), std::invalid_argument);
  auto never = pool.submit_at(clock::time_point::max(), [] { ADD_FAILURE() << "it runs"; });
  auto soon = pool.submit_after(10ms, [] { return 1; });
  clock.advance(1s);
  EXPECT_EQ(soon.get(), 1);
  EXPECT_EQ(never.state(), task_state::queued);
  EXPECT_EQ(never.cancel(), cancel_result::cancelled);
}

TEST(delayed, C3_what_is_due_comes_before_younger_ready_tasks) {
  manual_clock clock;
  thread_pool pool(on(clock));
  std::vector<int> order;
  held_worker busy(pool);
  auto a = pool.submit([&] { order.push_back(1); });
  auto b = pool.submit_after(1s, [&] { order.push_back(2); });
  clock.advance(2s);
  auto c = pool.submit([&] { order.push_back(3); });
  busy.release();
  c.get();
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
}

TEST(delayed, C3_lateness_is_measured) {
  manual_clock clock;
  thread_pool pool(on(clock));
  held_worker busy(pool);
  auto a = pool.submit_after(1s, [] {});
  auto b = pool.submit_after(3s, [] {});
  clock.advance(5s);
  busy.release();
  b.get();
  const pool_stats now = pool.stats();
  EXPECT_EQ(now.lateness.count, 2u);
  EXPECT_EQ(now.lateness.total, 6s);
  EXPECT_EQ(now.lateness.max, 4s);
}

// tck 244.
TEST(delayed, C2_every_idle_worker_may_be_needed_at_one_instant) {
  const testing::watchdog dog("several due at once");
  manual_clock clock;
  thread_pool pool(on(clock, 3));
  for (int round = 0; round < 200; ++round) {
    std::atomic<int> together{0};
    gate all_here;
    std::vector<future<void>> due;
    for (int task = 0; task < 3; ++task) {
      due.push_back(pool.submit_after(1s, [&] {
        if (++together == 3) all_here.open();
        all_here.wait();
      }));
    }
    clock.advance(1s);
    for (auto& each : due) each.get();
  }
}

// tck 245.
TEST(delayed, C2_an_earlier_task_a_cancel_and_a_close_are_noticed_by_the_sleeper) {
  const testing::watchdog dog("noticed by the sleeper");
  thread_pool pool(on(steady_clock::instance()));
  auto far = pool.submit_after(1h, [] {});
  ASSERT_TRUE(eventually([&] { return pool.stats().idle == 1; }));
  EXPECT_EQ(pool.submit_after(1ms, [] { return 1; }).get(), 1);
  EXPECT_EQ(far.cancel(), cancel_result::cancelled);
  auto farther = pool.submit_after(2h, [] {});
  pool.close();
  EXPECT_FALSE(pool.join_for(0s));
  EXPECT_EQ(farther.cancel(), cancel_result::cancelled);
  pool.join();
}

// A worker that leaves must not take with it the duty to wake up for the next delayed task.
TEST(delayed, R16_the_duty_to_wake_up_survives_the_worker_that_had_it) {
  const testing::watchdog dog("the leader leaves");
  manual_clock clock;
  auto options = on(clock, 2, 1);
  options.core = 0;
  options.keep_alive = 1s;
  options.name = "leaving";
  thread_pool pool(options);
  const auto idle_and_asleep = [&](std::size_t workers) {
    return eventually([&] { return pool.stats().idle == workers; }) &&
           eventually([] { return testing::threads_sleep("leaving-"); });
  };
  held_worker first(pool);
  auto queued = pool.submit([] {});
  held_worker second(pool);  // no room to wait: the pool grows, and the queued one goes first
  queued.get();
  auto task = pool.submit_after(1500ms, [] { return 7; });
  first.release();
  ASSERT_TRUE(idle_and_asleep(1));  // and the one that will wake up for the delayed task
  clock.advance(900ms);
  second.release();
  ASSERT_TRUE(idle_and_asleep(2));
  clock.advance(100ms);  // the first one's keep-alive is over
  ASSERT_TRUE(eventually([&] { return pool.size() == 1; }));
  ASSERT_TRUE(idle_and_asleep(1));
  clock.advance(500ms);
  EXPECT_EQ(task.get(), 7);
}

// tck 241, 242, 243.
TEST(delayed, R16_one_worker_stays_even_without_any_keep_alive) {
  const testing::watchdog dog("no keep-alive at all");
  manual_clock clock;
  auto options = on(clock, 3);
  options.core = 0;
  options.keep_alive = 0ns;
  options.name = "staying";
  thread_pool pool(options);
  auto task = pool.submit_after(1h, [] { return 1; });
  ASSERT_TRUE(eventually([] { return testing::threads_sleep("staying-"); }));
  EXPECT_EQ(pool.size(), 1u);
  clock.advance(1h);
  EXPECT_EQ(task.get(), 1);
  EXPECT_TRUE(eventually([&] { return pool.size() == 0; }));
}

TEST(delayed, R16_one_worker_stays_while_a_delayed_task_is_pending) {
  manual_clock clock;
  auto options = on(clock, 3);
  options.core = 0;
  options.keep_alive = 1ms;
  thread_pool pool(options);
  auto task = pool.submit_after(1h, [] {});
  EXPECT_EQ(pool.size(), 1u);
  clock.advance(30min);
  clock.advance(29min);
  EXPECT_EQ(pool.size(), 1u);
  clock.advance(1min);
  task.get();
  ASSERT_TRUE(eventually([&] {
    clock.advance(1ms);
    return pool.size() == 0;
  })) << "and leaves when it is done";
}

TEST(delayed, R16_the_worker_that_stayed_leaves_after_a_cancel) {
  const testing::watchdog dog("the worker that stayed");
  manual_clock clock;
  auto options = on(clock);
  options.core = 0;
  options.keep_alive = 1ms;
  options.name = "stayed";
  thread_pool pool(options);
  auto task = pool.submit_after(1h, [] {});
  ASSERT_TRUE(eventually([] { return testing::threads_sleep("stayed-"); }));
  clock.advance(30min);  // its keep-alive is over, and it does not wake up for that
  EXPECT_EQ(task.cancel(), cancel_result::cancelled);
  EXPECT_TRUE(eventually([&] { return pool.size() == 0; }));
}

/// A clock that is set from outside, also backwards.
class crooked_clock final : public weir::clock {
 public:
  time_point now() const noexcept override { return time_point(duration(reading.load())); }
  void set(duration to) {
    set_silently(to);
    wake();
  }
  void set_silently(duration to) { reading = to.count(); }

 private:
  std::atomic<duration::rep> reading{0};
};

// Whoever looks at the clock next is the worker that claims, and it must look.
TEST(delayed, C3_lateness_counts_until_the_claim) {
  crooked_clock clock;
  thread_pool pool(on(clock));
  held_worker busy(pool);
  auto late = pool.submit_after(10ms, [] {});
  clock.set_silently(20ms);
  auto younger = pool.submit([] {});
  clock.set_silently(50ms);
  busy.release();
  younger.get();
  EXPECT_EQ(late.state(), task_state::succeeded);
  EXPECT_EQ(pool.stats().lateness.max, 40ms);
}

TEST(delayed, C4_a_foreign_clock_wakes_its_pools) {
  crooked_clock clock;
  thread_pool one(on(clock)), two(on(clock));
  auto a = one.submit_after(5s, [] { return 1; });
  auto b = two.submit_after(7s, [] { return 2; });
  clock.set(5s);
  EXPECT_EQ(a.get(), 1);
  EXPECT_EQ(b.state(), task_state::queued);
  clock.set(8s);
  EXPECT_EQ(b.get(), 2);
}

// tck 246.
TEST(delayed, C4_a_clock_that_goes_backwards_is_reported_and_not_obeyed) {
  crooked_clock clock;
  thread_pool pool(on(clock));
  auto far = pool.submit_after(1h, [] {});  // with this one pending the worker reads the clock
  clock.set(10s);
  pool.submit([] {}).get();
  clock.set(4s);
  auto task = pool.submit_after(1s, [] {});
  EXPECT_EQ(task.due(), clock::time_point(11s)) << "counted from the latest time seen";
  pool.submit([] {}).get();
  EXPECT_TRUE(eventually([&] { return pool.stats().clock_regressions > 0; }));
  clock.set(10s);
  pool.submit([] {}).get();
  EXPECT_EQ(task.state(), task_state::queued);
  clock.set(11s);
  task.get();
  EXPECT_EQ(far.state(), task_state::queued);
}

TEST(delayed, C4_waits_use_real_time_under_a_frozen_clock) {
  manual_clock frozen;
  thread_pool pool(on(frozen));
  auto task = pool.submit_after(1s, [] {});
  EXPECT_FALSE(task.wait_for(10ms));
  EXPECT_THROW(task.get_for(1ms), timed_out);
  EXPECT_FALSE(pool.wait_idle_for(1ms));
  pool.close();
  EXPECT_FALSE(pool.join_for(1ms));
  EXPECT_EQ(task.state(), task_state::queued);
}

// Cases 46 and 47, tck 143, 179, 180: zero and below look once, the longest is without limit.
TEST(delayed, C1_the_ends_of_every_wait) {
  const testing::watchdog dog("the ends of every wait");
  thread_pool pool(on(steady_clock::instance(), 1));
  gate release;
  auto task = pool.submit([&] { release.wait(); });
  using std::chrono::hours;
  using std::chrono::nanoseconds;
  EXPECT_FALSE(task.wait_for(0s));
  EXPECT_FALSE(task.wait_for(nanoseconds::min()));
  EXPECT_FALSE(task.wait_until(std::chrono::steady_clock::time_point::min()));
  EXPECT_THROW(task.get_for(hours::min()), timed_out);
  EXPECT_FALSE(pool.wait_idle_for(nanoseconds::min()));
  EXPECT_FALSE(pool.join_for(hours::min()));
  std::thread opener([&] { release.open(); });
  EXPECT_TRUE(task.wait_for(hours::max()));
  EXPECT_TRUE(task.wait_until(std::chrono::steady_clock::time_point::max()));
  EXPECT_TRUE(pool.wait_idle_for(nanoseconds::max()));
  pool.close();
  EXPECT_TRUE(pool.join_for(std::chrono::milliseconds::max()));
  task.get_for(nanoseconds::max());
  opener.join();
}

// Case 49, tck 111, 224 … 226: a cancelled timer keeps neither its captures nor its place.
TEST(delayed, B3_cancelled_tasks_leave_nothing_behind) {
  manual_clock clock;
  thread_pool pool(on(clock, 1, 2));
  const auto buffer = std::make_shared<std::vector<char>>(1024);
  for (int round = 0; round < 20'000; ++round) {
    auto task = pool.submit_after(1h, [buffer] {});
    ASSERT_EQ(task.cancel(), cancel_result::cancelled);
    ASSERT_EQ(buffer.use_count(), 1);
  }
  EXPECT_EQ(pool.stats().delayed, 0u);
  testing::expect_conserved(pool.stats());
}

// Case 37, tck 165: cancelling what has fired says so, as often as it is asked.
TEST(delayed, R18_cancelling_a_task_that_has_run_is_too_late) {
  manual_clock clock;
  thread_pool pool(on(clock));
  auto task = pool.submit_after(1ms, [] {});
  clock.advance(1ms);
  task.wait();
  EXPECT_EQ(task.cancel(), cancel_result::too_late);
  EXPECT_EQ(task.cancel(), cancel_result::too_late);
  EXPECT_EQ(task.state(), task_state::succeeded);
}

// Case 62: cancel returns at once and says that the body runs; wait comes after its end.
TEST(delayed, R18_a_firing_task_is_asked_and_can_be_waited_for) {
  manual_clock clock;
  thread_pool pool(on(clock));
  gate entered, release;
  auto used_by_body = std::make_unique<int>(0);
  auto task = pool.submit_after(1ms, [&, at = used_by_body.get()] {
    entered.open();
    release.wait();
    *at = 1;
  });
  clock.advance(1ms);
  entered.wait();
  EXPECT_EQ(task.cancel(), cancel_result::requested);
  release.open();
  task.wait();
  used_by_body.reset();
  EXPECT_EQ(task.state(), task_state::cancelled);
}

TEST(delayed, R28_one_clock_moves_several_pools) {
  manual_clock clock;
  thread_pool one(on(clock)), two(on(clock));
  auto a = one.submit_after(2s, [] { return 1; });
  auto b = two.submit_after(1s, [] { return 2; });
  EXPECT_TRUE(clock.advance_to_next_due());
  EXPECT_EQ(b.get(), 2);
  EXPECT_EQ(a.state(), task_state::queued);
  EXPECT_TRUE(clock.advance_to_next_due());
  EXPECT_EQ(a.get(), 1);
}

TEST(delayed, R28_a_body_may_move_the_clock) {
  manual_clock clock;
  thread_pool pool(on(clock));
  auto later = pool.submit_after(1s, [] { return 1; });
  pool.submit([&] { clock.advance(1s); }).get();
  EXPECT_EQ(later.get(), 1);
}

}  // namespace
}  // namespace weir
