// Recurring work: C6, R15, R21, R30, E1, and the faults of other systems' periodic tasks. All on a
// manual clock with one worker, unless said otherwise: a task submitted after the clock was moved
// ends after everything that had become due (C3).

#include "weir/series.hpp"

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
#include "support/settle.hpp"
#include "support/watchdog.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using testing::eventually;
using testing::gate;
using time_point = clock::time_point;
using list = std::vector<nanoseconds>;

/// A pool of one worker on a manual clock, and what its series have done when.
struct bench {
  explicit bench(std::size_t capacity = 16, std::size_t workers = 1)
      : pool(options_of(capacity, workers)) {}

  pool_options options_of(std::size_t capacity, std::size_t workers) {
    pool_options options;
    options.core = options.max = workers;
    options.capacity = capacity;
    options.clock = &clock;
    options.on_unhandled = [this](const std::exception_ptr&, const task_info& info) {
      unhandled.emplace_back(info.name);
    };
    return options;
  }
  void settle() { testing::settle(pool); }
  void advance(nanoseconds step) {
    clock.advance(step);
    settle();
  }
  auto noting() {
    return [this] { starts.push_back(clock.now().time_since_epoch()); };
  }

  manual_clock clock;
  list starts;
  std::vector<std::string> unhandled;
  thread_pool pool;
};

list each(nanoseconds from, nanoseconds step, std::size_t count) {
  list made;
  for (std::size_t at = 0; at < count; ++at) made.push_back(from + at * step);
  return made;
}

// tck 217, 222: on its grid, and not over while it is healthy.
TEST(series, C6_runs_each_period) {
  bench at;
  const series recurring = at.pool.submit_every(1s, at.noting());
  EXPECT_EQ(recurring.next_due(), time_point(1s)) << "one period from now";
  for (int second = 0; second < 5; ++second) at.advance(1s);
  EXPECT_EQ(at.starts, each(1s, 1s, 5));
  const series_snapshot seen = recurring.snapshot();
  EXPECT_EQ(seen.runs, 5u);
  EXPECT_EQ(seen.failures + seen.skipped + seen.running, 0u);
  EXPECT_EQ(seen.state, series_state::waiting);
  EXPECT_EQ(seen.next_due, time_point(6s));
  EXPECT_EQ(at.pool.next_due(), time_point(6s));
}

// tck 253.
TEST(series, C6_the_first_run_when_asked_for) {
  bench at;
  (void)at.pool.submit_every(10s, at.noting(), {.first = 0s});
  (void)at.pool.submit_every(10s, at.noting(), {.first = 3s});
  at.settle();
  EXPECT_EQ(at.starts, list{0s});
  at.advance(3s);
  at.advance(7s);
  at.advance(3s);
  EXPECT_EQ(at.starts, (list{0s, 3s, 10s, 13s}));
}

// Case 56, tck 217, 219: the rate is anchored to the grid, the delay to the end of the run.
TEST(series, case_56_a_rate_does_not_drift_and_a_delay_is_between_runs) {
  for (const recurrence mode : {recurrence::fixed_rate, recurrence::fixed_delay}) {
    bench at;
    (void)at.pool.submit_every(
        24h,
        [&] {
          at.noting()();
          at.clock.advance(4h);
        },
        {.mode = mode, .first = 1h});
    for (int day = 0; day < 4; ++day) {
      at.clock.advance_to_next_due();
      at.settle();
    }
    at.clock.advance_to_next_due();
    at.settle();
    EXPECT_EQ(at.starts, each(1h, mode == recurrence::fixed_rate ? 24h : 28h, 5));
  }
}

TEST(series, C6_no_drift_over_a_year) {
  bench at;
  const series recurring = at.pool.submit_every(1min, [] {});
  constexpr auto year = 365 * 24h;
  // However late each run is, the next due time is on the grid.
  nanoseconds late = 0ns;
  for (int day = 0; day < 365; ++day) {
    late = (late + 7s) % 59s;
    at.clock.advance(24h - at.clock.now().time_since_epoch() % 24h + late);
    at.settle();
  }
  EXPECT_EQ(at.clock.now().time_since_epoch() / 24h, 365);
  EXPECT_EQ(recurring.next_due(), time_point(year + 1min));
  const series_snapshot seen = recurring.snapshot();
  EXPECT_EQ(seen.runs + seen.skipped, static_cast<std::uint64_t>(year / 1min));
}

// Cases 55, 61 and 52: ten hours late, at once and by arithmetic.
TEST(series, R30_case_55_coalesce_runs_once_for_all_that_was_missed) {
  bench at;
  std::uint64_t told = 0;
  const series recurring = at.pool.submit_every(30s, [&](const series_run& run) {
    at.noting()();
    told = run.skipped();
  });
  at.advance(10h + 7s);
  EXPECT_EQ(at.starts, list{10h + 7s});
  EXPECT_EQ(told, 1199u);
  EXPECT_EQ(recurring.snapshot().skipped, 1199u);
  EXPECT_EQ(recurring.next_due(), time_point(10h + 30s)) << "on the old grid";
}

// tck 218: what Java does always.
TEST(series, case_55_burst_runs_all_that_was_missed) {
  bench at;
  const series recurring =
      at.pool.submit_every(30s, at.noting(), {.catch_up = catch_up::burst});
  at.advance(10h + 7s);
  EXPECT_EQ(at.starts, list(1200, 10h + 7s));
  EXPECT_EQ(recurring.snapshot().skipped, 0u);
  EXPECT_EQ(recurring.next_due(), time_point(10h + 30s));
}

TEST(series, case_61_skip_runs_nothing_that_was_missed) {
  bench at;
  const series recurring = at.pool.submit_every(15s, at.noting(), {.catch_up = catch_up::skip});
  at.advance(47s);
  EXPECT_TRUE(at.starts.empty());
  EXPECT_EQ(recurring.snapshot().skipped, 3u);
  EXPECT_EQ(recurring.next_due(), time_point(60s));
  at.advance(13s);
  EXPECT_EQ(at.starts, list{60s});
  EXPECT_EQ(recurring.snapshot().runs, 1u);
}

TEST(series, C6_a_run_that_takes_long_is_caught_up_with_as_asked) {
  const auto starts_with = [](catch_up policy) {
    bench at;
    (void)at.pool.submit_every(
        10s,
        [&, first = true]() mutable {
          at.noting()();
          if (std::exchange(first, false)) at.clock.advance(25s);
        },
        {.catch_up = policy});
    at.advance(10s);
    at.advance(5s);
    at.advance(10s);
    return at.starts;
  };
  EXPECT_EQ(starts_with(catch_up::coalesce), (list{10s, 35s, 40s, 50s}));
  EXPECT_EQ(starts_with(catch_up::burst), (list{10s, 35s, 35s, 40s, 50s}));
  EXPECT_EQ(starts_with(catch_up::skip), (list{10s, 40s, 50s}));
}

// Case 52.
TEST(series, case_52_a_jump_of_a_year_takes_no_longer_than_a_step) {
  bench at;
  const series recurring = at.pool.submit_every(10ms, at.noting());
  at.advance(365 * 24h);
  EXPECT_EQ(at.starts.size(), 1u);
  EXPECT_EQ(recurring.snapshot().skipped, static_cast<std::uint64_t>(365 * 24h / 10ms) - 1);
  EXPECT_EQ(recurring.cancel(), cancel_result::cancelled);
}

// Case 67.
TEST(series, case_67_weeks_of_up_time_beside_a_very_long_timer) {
  bench at;
  auto far = at.pool.submit_after(2 * 365 * 24h, [] {});
  const series recurring = at.pool.submit_every(1s, [] {}, {.catch_up = catch_up::coalesce});
  for (const int bits : {24, 30, 32, 36}) {
    const nanoseconds until = std::chrono::milliseconds(std::int64_t{1} << bits);
    at.advance(until - at.clock.now().time_since_epoch());
    const series_snapshot seen = recurring.snapshot();
    EXPECT_EQ(seen.runs + seen.skipped, static_cast<std::uint64_t>(until / 1s)) << bits;
  }
  EXPECT_EQ(far.state(), task_state::succeeded) << "2^36 ms are more than two years";
}

// Cases 44 and 68: all sums end at the end of time.
TEST(series, case_68_a_period_without_end) {
  for (const catch_up policy : {catch_up::coalesce, catch_up::burst, catch_up::skip}) {
    bench at;
    at.clock.advance(1h);
    const series recurring =
        at.pool.submit_every(nanoseconds::max(), at.noting(), {.first = 0s, .catch_up = policy});
    at.advance(1ms);
    EXPECT_EQ(at.starts.size(), 1u);
    EXPECT_EQ(recurring.next_due(), time_point::max());
    EXPECT_TRUE(recurring.reschedule(nanoseconds::max()));
    EXPECT_EQ(recurring.next_due(), time_point::max());
    EXPECT_EQ(recurring.cancel(), cancel_result::cancelled);
  }
}

// Case 58: a throwing run is recorded and reported, and the series goes on.
TEST(series, R30_case_58_a_failure_is_recorded_and_the_series_goes_on) {
  bench at;
  int calls = 0;
  const series recurring = at.pool.submit_every(
      1s,
      [&calls] {
        if (++calls == 2) throw std::runtime_error("the second");
      },
      {.task = {.name = "sweep"}});
  for (int second = 0; second < 5; ++second) at.advance(1s);
  EXPECT_EQ(calls, 5);
  EXPECT_EQ(recurring.snapshot().failures, 1u);
  EXPECT_THROW(std::rethrow_exception(recurring.last_error()), std::runtime_error);
  EXPECT_EQ(at.unhandled, std::vector<std::string>{"sweep"});
  EXPECT_EQ(at.pool.stats().failed, 1u);
}

TEST(series, case_58_a_failure_ends_the_series_where_that_is_asked_for) {
  bench at;
  int calls = 0;
  const series recurring = at.pool.submit_every(
      1s,
      [&calls] {
        if (++calls == 2) throw std::runtime_error("the second");
      },
      {.on_failure = on_failure::stop});
  for (int second = 0; second < 5; ++second) at.advance(1s);
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(recurring.state(), series_state::failed);
  EXPECT_THROW(std::rethrow_exception(recurring.last_error()), std::runtime_error);
  EXPECT_EQ(recurring.cancel(), cancel_result::too_late);
  EXPECT_EQ(at.pool.next_due(), std::nullopt);
}

TEST(series, C6_ends_with_its_limit) {
  bench at;
  const series recurring = at.pool.submit_every(1s, at.noting(), {.limit = 3});
  for (int second = 0; second < 5; ++second) at.advance(1s);
  EXPECT_EQ(at.starts, each(1s, 1s, 3));
  EXPECT_EQ(recurring.state(), series_state::finished);
  recurring.wait();
  at.pool.wait_idle();
}

TEST(series, C6_a_body_may_end_its_series) {
  bench at;
  const series recurring = at.pool.submit_every(1s, [&](const series_run& run) {
    at.noting()();
    if (run.number() == 2) run.stop();
  });
  for (int second = 0; second < 4; ++second) at.advance(1s);
  EXPECT_EQ(at.starts, each(1s, 1s, 2));
  EXPECT_EQ(recurring.state(), series_state::finished);
  EXPECT_EQ(at.pool.stats().succeeded, 2u + 4u) << "and its last run has succeeded";
}

TEST(series, C6_the_same_seed_puts_off_by_the_same) {
  const auto starts_with = [](std::uint64_t seed) {
    bench at;
    (void)at.pool.submit_every(10s, at.noting(), {.jitter = 4s, .seed = seed, .limit = 50});
    while (at.clock.advance_to_next_due()) at.settle();
    return at.starts;
  };
  const list starts = starts_with(7);
  EXPECT_EQ(starts, starts_with(7));
  EXPECT_NE(starts, starts_with(8));
  ASSERT_EQ(starts.size(), 50u);
  nanoseconds least = 4s;
  nanoseconds most = 0s;
  for (std::size_t run = 0; run < starts.size(); ++run) {
    const nanoseconds off = starts[run] - (run + 1) * 10s;
    least = std::min(least, off);
    most = std::max(most, off);
  }
  EXPECT_GE(least, 0s) << "never early";
  EXPECT_LE(most, 4s);
  EXPECT_LT(least, 1s);
  EXPECT_GT(most, 3s);
}

// tck 220: on whatever worker, each run sees what the one before did. The counter is a plain one.
TEST(series, C6_each_run_sees_the_one_before) {
  const testing::watchdog dog("runs on four workers");
  thread_pool pool = thread_pool::fixed(4, 16);
  int counter = 0;
  const series recurring = pool.submit_every(1us, [&counter] { ++counter; },
                                             {.catch_up = catch_up::burst, .limit = 3000});
  for (int task = 0; task < 3000; ++task) pool.submit([] {}).wait();
  recurring.wait();
  EXPECT_EQ(counter, 3000);
  EXPECT_EQ(recurring.state(), series_state::finished);
}

TEST(series, C6_runs_do_not_overlap) {
  bench at(16, 4);
  gate leave;
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  const series recurring = at.pool.submit_every(1s, [&] {
    most = std::max(most.load(), ++inside);
    leave.wait();
    --inside;
  });
  at.clock.advance(1s);
  ASSERT_TRUE(eventually([&] { return inside == 1; }));
  at.clock.advance(5s);
  at.pool.submit([] {}).wait();
  EXPECT_EQ(inside, 1);
  EXPECT_EQ(recurring.next_due(), std::nullopt);
  EXPECT_EQ(recurring.state(), series_state::running);
  leave.open();
  EXPECT_TRUE(eventually([&] { return recurring.snapshot().runs == 2; }));
  recurring.cancel();
  recurring.wait();
  EXPECT_EQ(most, 1);
}

TEST(series, C6_runs_overlap_where_that_is_asked_for) {
  bench at(16, 4);
  gate leave;
  std::atomic<int> inside{0};
  const series recurring = at.pool.submit_every(
      1s,
      [&] {
        ++inside;
        leave.wait();
      },
      {.overlap = overlap::allow});
  for (int run = 1; run <= 3; ++run) {
    at.clock.advance(1s);
    ASSERT_TRUE(eventually([&] { return inside == run; }));
  }
  const series_snapshot seen = recurring.snapshot();
  EXPECT_EQ(seen.running, 3u);
  EXPECT_EQ(seen.next_due, time_point(4s));
  EXPECT_EQ(recurring.cancel(), cancel_result::requested);
  EXPECT_EQ(recurring.state(), series_state::stopping);
  EXPECT_FALSE(recurring.wait_for(0s));
  leave.open();
  recurring.wait();
  EXPECT_EQ(recurring.state(), series_state::cancelled);
  EXPECT_EQ(inside, 3);
}

// An ending in the middle of overlapping runs takes the one that waits along.
TEST(series, C6_a_failure_ends_overlapping_runs_as_well) {
  bench at(16, 2);
  const series recurring = at.pool.submit_every(
      1s, [] { throw 1; }, {.on_failure = on_failure::stop, .overlap = overlap::allow});
  at.clock.advance(1s);
  recurring.wait();
  EXPECT_EQ(recurring.state(), series_state::failed);
  EXPECT_EQ(at.pool.next_due(), std::nullopt);
  at.pool.wait_idle();
  EXPECT_EQ(recurring.snapshot().runs, 1u);
}

// Case 64: cancelled by itself, and from outside while the next run is on its way.
TEST(series, case_64_cancelled_in_its_own_body) {
  bench at;
  series recurring;
  int runs = 0;
  recurring = at.pool.submit_every(1ms, [&](std::stop_token stop) {
    if (++runs < 3) return;
    EXPECT_EQ(recurring.cancel(), cancel_result::requested);
    EXPECT_TRUE(stop.stop_requested());
    EXPECT_EQ(recurring.state(), series_state::stopping);
    EXPECT_THROW(recurring.wait(), std::system_error) << "R18: nobody waits for himself";
  });
  for (int step = 0; step < 6; ++step) at.advance(1ms);
  EXPECT_EQ(runs, 3);
  EXPECT_EQ(recurring.state(), series_state::cancelled);
  EXPECT_EQ(at.pool.stats().cancelled, 1u);
  at.pool.close();
  at.pool.join();
}

TEST(series, case_64_after_cancel_no_run_starts) {
  const testing::watchdog dog("cancels of a series");
  thread_pool pool = thread_pool::fixed(2, 16);
  for (int round = 0; round < 2000; ++round) {
    std::atomic<bool> ended{false};
    std::atomic<int> late{0};
    series recurring = pool.submit_every(
        1us,
        [&] {
          if (ended) ++late;
        },
        {.first = 0s});
    if (round % 2 == 0) std::this_thread::yield();
    const bool none_ran = recurring.cancel() == cancel_result::cancelled;
    if (none_ran) ended = true;
    recurring.wait();
    EXPECT_EQ(recurring.state(), series_state::cancelled);
    EXPECT_EQ(late, 0);
  }
  pool.wait_idle();
  testing::expect_conserved(pool.stats());
}

// Case 62, tck 223: both forms, the one that tells and the one that waits.
TEST(series, case_62_cancel_tells_and_wait_waits) {
  bench at;
  gate leave;
  gate entered;
  auto value = std::make_unique<int>(0);
  const series recurring = at.pool.submit_every(1s, [&] {
    entered.open();
    leave.wait();
    *value = 1;
  });
  at.clock.advance(1s);
  entered.wait();
  EXPECT_EQ(recurring.cancel(), cancel_result::requested);
  EXPECT_FALSE(recurring.wait_for(0s));
  leave.open();
  recurring.wait();
  EXPECT_EQ(*value, 1);
  value.reset();
  EXPECT_EQ(recurring.cancel(), cancel_result::too_late);
}

TEST(series, C6_captures_die_with_the_series_and_not_with_its_handle) {
  bench at;
  auto kept = std::make_shared<int>(1);
  const std::weak_ptr<int> watch = kept;
  series recurring = at.pool.submit_every(1s, [kept = std::move(kept)] {});
  at.advance(1s);
  EXPECT_FALSE(watch.expired());
  EXPECT_EQ(recurring.cancel(), cancel_result::cancelled);
  EXPECT_TRUE(watch.expired()) << "though the handle is there";
  auto other = std::make_shared<int>(1);
  const std::weak_ptr<int> still = other;
  (void)at.pool.submit_every(1s, [other = std::move(other)] {});
  at.advance(1s);
  EXPECT_FALSE(still.expired()) << "though there is no handle";
}

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
  EXPECT_THROW((void)pool.submit_every(1s, [] {}, {.task = {.weight = 11}}),
               std::invalid_argument);
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
  const series three = at.pool.submit_every(
      3s, [](const series_run&) { throw 1; }, {.task = {.name = "three"}});
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
  const series recurring = at.pool.submit_every(
      10s,
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
    EXPECT_THROW((void)at.pool.submit_every(period, [] {}, options), std::invalid_argument);
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

}  // namespace
}  // namespace weir
