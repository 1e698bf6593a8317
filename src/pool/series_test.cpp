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

list each(nanoseconds from, nanoseconds step, std::size_t count) {
  list made;
  for (std::size_t at = 0; at < count; ++at) made.push_back(from + at * step);
  return made;
}

auto second_throws(int& calls) {
  return [&calls] {
    if (++calls == 2) throw std::runtime_error("the second");
  };
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
    (void)at.pool.submit_every(24h,
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
  const series recurring = at.pool.submit_every(30s, at.noting(), {.catch_up = catch_up::burst});
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
    (void)at.pool.submit_every(10s,
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
  const series recurring =
      at.pool.submit_every(1s, second_throws(calls), {.task = {.name = "sweep"}});
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
  const series recurring =
      at.pool.submit_every(1s, second_throws(calls), {.on_failure = on_failure::stop});
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
  testing::crowd bodies;
  const series recurring = at.pool.submit_every(1s, bodies.body(), {.overlap = overlap::allow});
  for (int run = 1; run <= 3; ++run) {
    at.clock.advance(1s);
    ASSERT_TRUE(eventually([&] { return bodies.inside == run; }));
  }
  const series_snapshot seen = recurring.snapshot();
  EXPECT_EQ(seen.running, 3u);
  EXPECT_EQ(seen.next_due, time_point(4s));
  EXPECT_EQ(recurring.cancel(), cancel_result::requested);
  EXPECT_EQ(recurring.state(), series_state::stopping);
  EXPECT_FALSE(recurring.wait_for(0s));
  bodies.leave.open();
  recurring.wait();
  EXPECT_EQ(recurring.state(), series_state::cancelled);
  EXPECT_EQ(bodies.inside, 3);
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
    series recurring = pool.submit_every(1us,
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

}  // namespace
}  // namespace weir
