// What becomes of series when pools are full, paused, closed and looked at, and how their schedules
// change: R15, E1, R21, G2 and the faults of other systems' periodic tasks.

#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <future>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

#include "support/conservation.hpp"
#include "support/eventually.hpp"
#include "support/gate.hpp"
#include "support/series_bench.hpp"
#include "support/watchdog.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using testing::eventually;
using testing::gate;
using bench = testing::series_bench;
using time_point = clock::time_point;
using list = std::vector<nanoseconds>;

// R15: one place for life, whether it waits or runs.
TEST(series, R15_holds_one_waiting_place_for_life) {
  bench at(2);
  gate leave;
  gate entered;
  const series recurring = at.pool.submit_every(1s, [&] {
    entered.open();
    leave.wait();
  });
  EXPECT_TRUE(at.pool.try_submit_after(1h, [] {}));
  EXPECT_EQ(at.pool.try_submit_after(1h, [] {}).why(), reject_reason::saturated);
  at.clock.advance(1s);
  entered.wait();
  EXPECT_EQ(at.pool.try_submit([] {}).why(), reject_reason::saturated)
      << "the place of the next run is held while this one runs";
  at.pool.set_capacity(1);
  leave.open();
  at.clock.advance(1s);
  EXPECT_TRUE(eventually([&] { return recurring.snapshot().runs >= 2; }))
      << "R31: a lowered limit evicts nothing";
  at.pool.set_capacity(2);
  recurring.cancel();
  recurring.wait();
  EXPECT_TRUE(at.pool.try_submit_after(1h, [] {})) << "its place is free (R6)";
}

TEST(series, R15_a_pool_that_is_full_refuses_it_and_gives_its_callable_back) {
  bench at(1);
  auto task = at.pool.submit_after(1h, [] {});
  auto kept = std::make_unique<int>(3);
  auto body = [kept = std::move(kept)] {};
  EXPECT_THROW((void)at.pool.submit_every(1s, std::move(body)), rejected);
  task.cancel();
  const series recurring = at.pool.submit_every(1s, std::move(body));
  EXPECT_EQ(recurring.state(), series_state::waiting);
  at.pool.close();
  EXPECT_THROW((void)at.pool.submit_every(1s, [] {}), rejected);
}

TEST(series, B4_every_policy_treats_it_as_a_delayed_task) {
  bench at(1);
  at.pool.set_saturation(saturation::discard);
  auto first = at.pool.submit_after(1h, [] {});
  const series discarded = at.pool.submit_every(1s, [] {});
  EXPECT_EQ(discarded.state(), series_state::cancelled);
  EXPECT_EQ(discarded.snapshot().reason, cancel_reason::discarded);
  discarded.wait();
  at.pool.set_saturation(saturation::caller_runs);
  EXPECT_THROW((void)at.pool.submit_every(1s, [] {}), rejected);
  at.pool.set_saturation(saturation::block);
  std::thread frees([&] {
    ASSERT_TRUE(eventually([&] { return at.pool.stats().blocked == 1; }));
    first.cancel();
  });
  const series waited = at.pool.submit_every(1s, at.noting());
  frees.join();
  at.clock.advance(1s);
  EXPECT_TRUE(eventually([&] { return waited.snapshot().runs == 1; }));
}

TEST(series, B6_its_weight_counts_from_submission_to_its_end) {
  manual_clock clock;
  pool_options options{.core = 1, .max = 1, .capacity = 8, .capacity_weight = 10};
  options.clock = &clock;
  thread_pool pool(options);
  const series recurring = pool.submit_every(1s, [] {}, {.task = {.weight = 7}});
  EXPECT_EQ(pool.stats().weight, 7u);
  clock.advance(1s);
  pool.submit([] {}).wait();
  EXPECT_EQ(pool.stats().weight, 7u);
  EXPECT_THROW((void)pool.submit_every(1s, [] {}, {.task = {.weight = 4}}), rejected);
  EXPECT_THROW((void)pool.submit_every(1s, [] {}, {.task = {.weight = 11}}), std::invalid_argument);
  recurring.cancel();
  EXPECT_EQ(pool.stats().weight, 0u);
}

// E1: a pool that is closed lets delayed tasks come due, but a series has no end of its own.
TEST(series, E1_close_ends_it) {
  bench at;
  const series waits = at.pool.submit_every(1s, at.noting());
  auto task = at.pool.submit_after(2s, [] { return 2; });
  at.pool.close();
  EXPECT_EQ(waits.state(), series_state::cancelled);
  EXPECT_EQ(waits.snapshot().reason, cancel_reason::closed);
  at.clock.advance(2s);
  EXPECT_EQ(task.get(), 2);
  at.pool.join();
  EXPECT_TRUE(at.starts.empty());
  testing::expect_conserved(at.pool.stats());
}

// tck 235, 237.
TEST(series, E1_close_lets_its_run_return) {
  bench at;
  gate leave;
  gate entered;
  const series runs = at.pool.submit_every(1s, [&](std::stop_token stop) {
    entered.open();
    leave.wait();
    EXPECT_FALSE(stop.stop_requested());
  });
  at.clock.advance(1s);
  entered.wait();
  at.pool.close();
  EXPECT_FALSE(at.pool.join_for(0s));
  EXPECT_FALSE(runs.reschedule(1s));
  leave.open();
  at.pool.join();
  EXPECT_EQ(runs.state(), series_state::cancelled);
  EXPECT_EQ(runs.snapshot().reason, cancel_reason::closed);
  EXPECT_EQ(at.pool.stats().succeeded, 1u);
}

TEST(series, E2_abort_cancels_what_waits_and_stops_what_runs) {
  bench at(16, 2);
  gate entered;
  const series waits = at.pool.submit_every(1h, [] {});
  const series runs = at.pool.submit_every(1s, [&](std::stop_token stop) {
    entered.open();
    while (!stop.stop_requested()) std::this_thread::yield();
  });
  at.clock.advance(1s);
  entered.wait();
  EXPECT_EQ(at.pool.abort(), 1u);
  at.pool.join();
  EXPECT_EQ(waits.snapshot().reason, cancel_reason::aborted);
  EXPECT_EQ(runs.snapshot().reason, cancel_reason::aborted);
  testing::expect_conserved(at.pool.stats());
}

TEST(series, R21_is_cancelled_and_not_drained) {
  bench at;
  const series recurring = at.pool.submit_every(1s, [] {});
  auto task = at.pool.submit_after(1s, [] {});
  const auto drained = at.pool.shutdown_now();
  EXPECT_EQ(drained.size(), 1u);
  EXPECT_EQ(recurring.state(), series_state::cancelled);
  EXPECT_EQ(recurring.snapshot().reason, cancel_reason::aborted);
  testing::expect_conserved(at.pool.stats());
}

TEST(series, E4_the_destructor_ends_it_and_the_handle_outlives_the_pool) {
  series recurring;
  {
    thread_pool pool = thread_pool::fixed(1, 4);
    recurring = pool.submit_every(1ms, [] {}, {.first = 0s});
    while (recurring.snapshot().runs < 3) std::this_thread::yield();
  }
  EXPECT_EQ(recurring.state(), series_state::cancelled);
  EXPECT_EQ(recurring.cancel(), cancel_result::too_late);
  EXPECT_FALSE(recurring.reschedule(1s));
  recurring.wait();
}

TEST(series, R20_what_waits_is_cancelled_with_all_that_is_pending) {
  bench at;
  const series recurring = at.pool.submit_every(1s, [] {});
  EXPECT_EQ(at.pool.cancel_pending(), 1u);
  EXPECT_EQ(recurring.state(), series_state::cancelled);
  const series other = at.pool.submit_every(1s, [] {});
  at.advance(1s);
  task_ref next = at.pool.ref(at.pool.snapshot().delayed.front().id);
  EXPECT_EQ(next.cancel(), cancel_result::cancelled);
  EXPECT_EQ(other.state(), series_state::cancelled);
}

TEST(series, R14_a_paused_pool_runs_nothing_of_it) {
  bench at;
  const series recurring = at.pool.submit_every(1s, at.noting());
  at.pool.pause();
  at.clock.advance(5s);
  EXPECT_TRUE(at.starts.empty());
  at.pool.resume();
  at.settle();
  EXPECT_EQ(at.starts, list{5s});
  EXPECT_EQ(recurring.snapshot().skipped, 4u);
}

// Case 65 with one surviving schedule each time.
TEST(series, case_65_rescheduled_while_it_waits) {
  bench at;
  const series recurring = at.pool.submit_every(10s, at.noting());
  at.advance(4s);
  EXPECT_TRUE(recurring.reschedule(3s));
  EXPECT_EQ(recurring.next_due(), time_point(7s));
  for (int second = 0; second < 6; ++second) at.advance(1s);
  EXPECT_EQ(at.starts, (list{7s, 10s}));
  EXPECT_TRUE(recurring.reschedule(1h, 1s));
  EXPECT_EQ(recurring.next_due(), time_point(11s));
  EXPECT_THROW((void)recurring.reschedule(0s), std::invalid_argument);
  EXPECT_EQ(recurring.next_due(), time_point(11s));
  EXPECT_EQ(at.pool.stats().delayed, 1u);
}

TEST(series, case_65_rescheduled_while_it_runs) {
  bench at;
  series recurring;
  recurring = at.pool.submit_every(10s, [&](const series_run& run) {
    at.noting()();
    if (run.number() == 1) {
      EXPECT_TRUE(recurring.reschedule(1h));
      EXPECT_TRUE(recurring.reschedule(2s));
    }
  });
  at.advance(10s);
  EXPECT_EQ(recurring.next_due(), time_point(12s));
  at.advance(2s);
  at.advance(2s);
  EXPECT_EQ(at.starts, (list{10s, 12s, 14s}));
}

TEST(series, case_65_rescheduled_from_many_threads) {
  const testing::watchdog dog("reschedules of a series");
  thread_pool pool = thread_pool::fixed(2, 4);
  std::atomic<int> inside{0};
  const series recurring = pool.submit_every(10us, [&inside] {
    EXPECT_EQ(++inside, 1);
    --inside;
  });
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&recurring, thread] {
      for (int round = 0; round < 2000; ++round) {
        EXPECT_TRUE(recurring.reschedule(round % 2 == 0 ? nanoseconds(1h) : nanoseconds(5us)));
        if (round % 64 == thread) (void)recurring.snapshot();
      }
    });
  }
  for (auto& each : threads) each.join();
  const pool_stats now = pool.stats();
  EXPECT_GE(now.delayed + now.running, 1u) << "a run waits, or runs, or has just armed the next";
  EXPECT_LE(now.delayed, 1u);
  const auto before = recurring.snapshot().runs;
  EXPECT_TRUE(recurring.reschedule(5us));
  EXPECT_TRUE(eventually([&] { return recurring.snapshot().runs > before; })) << "none is lost";
  recurring.cancel();
  recurring.wait();
  testing::expect_accounted(pool.stats());
}

// R27: a thread that is ended by force takes one run with it, and not the series.
TEST(series, R27_goes_on_when_a_body_ends_its_thread) {
  bench at;
  std::atomic<int> runs{0};
  const series recurring = at.pool.submit_every(1s, [&runs] {
    if (++runs == 1) ::pthread_exit(nullptr);
  });
  at.clock.advance(1s);
  ASSERT_TRUE(eventually([&] { return at.pool.stats().failed == 1; }));
  at.advance(1s);
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(recurring.snapshot().failures, 1u);
  EXPECT_THROW(std::rethrow_exception(recurring.last_error()), std::runtime_error);
}

TEST(series, R4_every_run_is_measured_where_all_are) {
  manual_clock clock;
  pool_options options{.core = 1, .max = 1, .capacity = 4, .timing = timing::all};
  options.clock = &clock;
  thread_pool pool(options);
  (void)pool.submit_every(1s, [&clock] { clock.advance(100ms); });
  for (int run = 0; run < 3; ++run) {
    clock.advance_to_next_due();
    testing::settle(pool);
  }
  const pool_stats seen = pool.stats();
  EXPECT_EQ(seen.run.max, 100ms);
  EXPECT_GE(seen.run.total, 300ms);
  EXPECT_EQ(seen.lateness.count, 3u);
  EXPECT_EQ(seen.lateness.max, 0s);
}

// Case 59: what came later has no say in what has run.
TEST(series, case_59_another_one_does_not_run_the_first_again) {
  bench at;
  (void)at.pool.submit_every(1h, at.noting(), {.first = 0s});
  at.settle();
  at.advance(10min);
  (void)at.pool.submit_every(1h, [] {}, {.first = 0s});
  (void)at.pool.submit_every(1h, [] {});
  at.settle();
  EXPECT_EQ(at.starts, list{0s});
}

TEST(series, G2_a_snapshot_shows_all_that_is_not_over) {
  bench at;
  const series one = at.pool.submit_every(1s, [] {}, {.task = {.name = "one"}});
  const series two = at.pool.submit_every(2s, [] {}, {.limit = 1, .task = {.name = "two"}});
  const series three =
      at.pool.submit_every(3s, [](const series_run&) { throw 1; }, {.task = {.name = "three"}});
  at.advance(3s);
  const pool_snapshot shot = at.pool.snapshot();
  ASSERT_EQ(shot.series.size(), 2u);
  EXPECT_EQ(shot.series[0].name, "one");
  EXPECT_EQ(shot.series[0].id, one.id());
  EXPECT_EQ(shot.series[0].next_due, time_point(4s));
  EXPECT_EQ(shot.series[0].skipped, 2u);
  EXPECT_EQ(shot.series[1].name, "three");
  EXPECT_EQ(shot.series[1].runs, 1u);
  EXPECT_EQ(shot.series[1].failures, 1u);
  EXPECT_EQ(two.state(), series_state::finished);
  EXPECT_EQ(shot.delayed.size(), 2u);
  EXPECT_EQ(shot.delayed[0].name, "one");
}

TEST(series, D4_each_run_has_its_own_time_limit) {
  bench at;
  int stopped = 0;
  const series recurring =
      at.pool.submit_every(10s,
                           [&](std::stop_token stop) {
                             at.clock.advance(2s);
                             ASSERT_TRUE(eventually([&] { return stop.stop_requested(); }));
                             ++stopped;
                           },
                           {.task = {.timeout = 1s}});
  at.advance(10s);
  at.advance(8s);
  EXPECT_EQ(stopped, 2);
  EXPECT_EQ(at.pool.stats().cancelled, 2u);
  EXPECT_EQ(recurring.state(), series_state::waiting);
}

// tck 216.
TEST(series, B7_bad_arguments_change_nothing) {
  bench at;
  const auto refuses = [&](nanoseconds period, const series_options& options) {
    EXPECT_THROW((void)at.pool.submit_every(
                     period, [] {}, options),
                 std::invalid_argument);
  };
  refuses(0s, {});
  refuses(-1s, {});
  refuses(1s, {.first = -1ns});
  refuses(1s, {.jitter = -1ns});
  refuses(1s, {.jitter = 1s + 1ns});
  refuses(1s, {.limit = 0});
  refuses(1s, {.mode = recurrence::fixed_delay, .overlap = overlap::allow});
  refuses(1s, {.task = {.timeout = 0s}});
  EXPECT_THROW((void)at.pool.submit_every(1s, static_cast<void (*)()>(nullptr)),
               std::invalid_argument);
  EXPECT_EQ(at.pool.stats().accepted, 0u);
  const series none;
  EXPECT_FALSE(none.valid());
  EXPECT_THROW((void)none.state(), std::future_error);
  EXPECT_THROW((void)none.cancel(), std::future_error);
}

TEST(series, C6_a_body_takes_what_it_wants) {
  bench at;
  int calls = 0;
  (void)at.pool.submit_every(1s, [&] { ++calls; });
  (void)at.pool.submit_every(1s, [&](std::stop_token) { ++calls; });
  (void)at.pool.submit_every(1s, [&](std::stop_token, const series_run& run) {
    EXPECT_EQ(run.due(), time_point(1s));
    EXPECT_EQ(run.wall_due(), std::nullopt);
    ++calls;
  });
  const auto named = [&](const series_run& run) { calls += static_cast<int>(run.number()); };
  (void)at.pool.submit_every(1s, named);
  at.advance(1s);
  EXPECT_EQ(calls, 4);
}

/// A clock whose readings are counted, to see that nobody reads it any more.
class counted_clock final : public clock {
 public:
  [[nodiscard]] time_point now() const noexcept override {
    ++readings;
    return time_point(1h);
  }
  static inline std::atomic<int> readings{0};
};

TEST(series, E4_a_handle_does_not_read_the_clock_of_a_pool_that_is_gone) {
  series recurring;
  {
    counted_clock clock;
    pool_options options{.core = 1, .max = 1, .capacity = 4};
    options.clock = &clock;
    thread_pool pool(options);
    recurring = pool.submit_every(1h, [] {});
  }
  const int before = counted_clock::readings;
  EXPECT_FALSE(recurring.reschedule(1s));
  EXPECT_EQ(recurring.cancel(), cancel_result::too_late);
  EXPECT_EQ(counted_clock::readings, before);
}

TEST(series, C6_without_a_seed_no_two_are_put_off_alike) {
  bench at;
  const series one = at.pool.submit_every(10s, [] {}, {.jitter = 10s});
  const series two = at.pool.submit_every(10s, [] {}, {.jitter = 10s});
  EXPECT_NE(one.next_due(), two.next_due());
}

TEST(series, C6_overlapping_runs_get_workers_though_no_place_is_left) {
  bench at(1, 2);
  testing::crowd bodies;
  const series recurring = at.pool.submit_every(1s, bodies.body(), {.overlap = overlap::allow});
  for (int run = 1; run <= 2; ++run) {
    at.clock.advance(1s);
    EXPECT_TRUE(eventually([&] { return bodies.inside == run; }));
  }
  EXPECT_EQ(at.pool.size(), 2u);
  recurring.cancel();
  bodies.leave.open();
  recurring.wait();
}

// A run that is stopped by its time limit and throws for it has failed; one that was cancelled has
// not.
TEST(series, D4_a_run_that_throws_at_its_time_limit_has_failed) {
  bench at;
  const series recurring =
      at.pool.submit_every(10s,
                           [&](std::stop_token stop) {
                             at.clock.advance(2s);
                             while (!stop.stop_requested()) std::this_thread::yield();
                             throw std::runtime_error("stopped");
                           },
                           {.on_failure = on_failure::stop, .task = {.timeout = 1s}});
  at.clock.advance(10s);
  recurring.wait();
  EXPECT_EQ(recurring.state(), series_state::failed);
  EXPECT_EQ(recurring.snapshot().failures, 1u);
  EXPECT_THROW(std::rethrow_exception(recurring.last_error()), std::runtime_error);
}

TEST(series, C6_what_is_passed_over_ends_as_cancelled) {
  bench at;
  const series recurring = at.pool.submit_every(10s, [] {}, {.catch_up = catch_up::skip});
  at.advance(35s);
  EXPECT_EQ(recurring.snapshot().runs, 0u);
  EXPECT_EQ(at.pool.stats().cancelled, 1u) << "no body ran, so it is no success";
}

}  // namespace
}  // namespace weir
