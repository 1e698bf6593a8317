// C7 on a pool: cron expressions over simulated days.

#include "weir/submit_cron.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "support/settle.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;
using wall_point = std::chrono::system_clock::time_point;
using list = std::vector<wall_point>;

/// 2026-03-08T06:00Z and the like.
wall_point utc(int year, unsigned month, unsigned day, std::chrono::minutes time = {}) {
  using namespace std::chrono;
  return sys_days(std::chrono::year(year) / month / day) + time;
}

/// A pool of one worker whose civil time begins where it is told.
struct days {
  explicit days(wall_point start)
      : clock(clock::time_point(1h), start),
        pool({.core = 1, .max = 1, .capacity = 8, .clock = &clock}) {}

  /// What ran up to the end, each at its own time.
  void pass(wall_point end) {
    while (true) {
      const auto due = pool.next_due();
      if (!due || clock.wall_now() + (*due - clock.now()) > end) break;
      clock.advance_to_next_due();
      testing::settle(pool);
    }
    clock.advance(end - clock.wall_now());
  }
  auto noting() {
    return [this] { runs.push_back(clock.wall_now()); };
  }

  manual_clock clock;
  list runs;
  thread_pool pool;
};

// Case 70.
TEST(submit_cron, case_70_a_night_job_runs_once_on_the_night_without_its_hour) {
  days at(utc(2026, 3, 7, 12h));
  const series job = submit_cron(at.pool, "30 2 * * *", "America/New_York", at.noting());
  EXPECT_EQ(job.snapshot().next_wall_due, utc(2026, 3, 8, 7h));
  at.pass(utc(2026, 3, 10, 12h));
  EXPECT_EQ(at.runs,
            (list{utc(2026, 3, 8, 7h), utc(2026, 3, 9, 6h + 30min), utc(2026, 3, 10, 6h + 30min)}));
}

// Case 71, and the other policy.
TEST(submit_cron, case_71_and_once_on_the_night_that_has_it_twice) {
  days at(utc(2026, 10, 31, 12h));
  (void)submit_cron(at.pool, "30 1 * * *", "America/New_York", at.noting());
  at.pass(utc(2026, 11, 2, 12h));
  EXPECT_EQ(at.runs, (list{utc(2026, 11, 1, 5h + 30min), utc(2026, 11, 2, 6h + 30min)}));

  days both(utc(2026, 10, 31, 12h));
  (void)submit_cron(both.pool, "30 1 * * *", "America/New_York", both.noting(),
                    {.fold = cron_fold::both});
  both.pass(utc(2026, 11, 1, 12h));
  EXPECT_EQ(both.runs, (list{utc(2026, 11, 1, 5h + 30min), utc(2026, 11, 1, 6h + 30min)}));
}

// Case 73: the offset is that of the run, not that of the one before.
TEST(submit_cron, case_73_the_day_after_a_change_is_on_time) {
  days at(utc(2025, 3, 29, 7h));
  (void)submit_cron(at.pool, "0 9 * * *", "Europe/Berlin", at.noting());
  at.pass(utc(2025, 3, 31, 0h));
  EXPECT_EQ(at.runs, (list{utc(2025, 3, 29, 8h), utc(2025, 3, 30, 7h)}));
}

// Case 61: what was missed is passed over, up to the next time on the grid.
TEST(submit_cron, case_61_skip_runs_nothing_late) {
  days at(utc(2026, 1, 1, 16h + 43min) + 55s);
  (void)submit_cron(at.pool, "*/15 * * * * *", "UTC", at.noting(), {},
                    {.catch_up = catch_up::skip});
  at.clock.set_wall(utc(2026, 1, 1, 16h + 44min) + 42s);
  testing::settle(at.pool);
  EXPECT_TRUE(at.runs.empty());
  at.pass(utc(2026, 1, 1, 16h + 45min));
  EXPECT_EQ(at.runs, (list{utc(2026, 1, 1, 16h + 44min) + 45s, utc(2026, 1, 1, 16h + 45min)}));
}

// Case 91: five jobs, one of them in the gap, beside one that always throws.
TEST(submit_cron, case_91_one_job_disturbs_no_other) {
  days at(utc(2016, 3, 13, 7h + 50min));
  std::vector<int> runs(6);
  const auto count = [&runs](std::size_t job) { return [&runs, job] { ++runs[job]; }; };
  const char* const expressions[] = {"*/10 2 * * *", "*/10 * * * *", "0 * * * *", "30 3 * * *",
                                     "@hourly"};
  for (std::size_t job = 0; job < 5; ++job) {
    (void)submit_cron(at.pool, expressions[job], "America/Chicago", count(job));
  }
  const series bad = submit_cron(at.pool, "* * * * *", "America/Chicago",
                                 [&runs] {
                                   ++runs[5];
                                   throw std::runtime_error("always");
                                 },
                                 {}, {.on_failure = on_failure::stop});
  at.pass(utc(2016, 3, 13, 10h + 50min));
  EXPECT_EQ(runs, (std::vector{1, 18, 3, 1, 3, 1}));
  EXPECT_EQ(bad.state(), series_state::failed);
}

TEST(submit_cron, C7_what_means_nothing_is_refused_before_anything_happens) {
  days at(utc(2026, 1, 1));
  EXPECT_THROW((void)submit_cron(at.pool, "61 * * * *", "UTC", [] {}), cron_error);
  EXPECT_THROW((void)submit_cron(at.pool, "0 0 30 2 *", "UTC", [] {}), cron_error);
  EXPECT_THROW((void)submit_cron(at.pool, "0 0 * * *", "Europe/Nowhere", [] {}), cron_error);
  EXPECT_EQ(at.pool.stats().accepted, 0u);
}

TEST(submit_cron, B5_trying_says_why_and_throws_for_what_means_nothing) {
  days at(utc(2026, 1, 1));
  at.pool.set_capacity(1);
  auto in_the_way = at.pool.submit_after(24h, [] {});
  const auto full = try_submit_cron(at.pool, "0 12 * * *", "Europe/Berlin", at.noting());
  EXPECT_EQ(full.why(), reject_reason::saturated);
  EXPECT_THROW((void)try_submit_cron(at.pool, "61 * * * *", "UTC", at.noting()), cron_error);
  in_the_way.cancel();
  auto job = try_submit_cron(at.pool, "0 12 * * *", "Europe/Berlin", at.noting());
  ASSERT_TRUE(job);
  EXPECT_EQ(job->snapshot().next_wall_due, utc(2026, 1, 1, 11h));
}

TEST(submit_cron, C7_a_year_of_days_without_drift) {
  days at(utc(2026, 1, 1));
  (void)submit_cron(at.pool, "0 12 * * *", "Europe/Berlin", at.noting());
  at.pass(utc(2027, 1, 1));
  ASSERT_EQ(at.runs.size(), 365u);
  EXPECT_EQ(at.runs.front(), utc(2026, 1, 1, 11h));
  EXPECT_EQ(at.runs[180], utc(2026, 6, 30, 10h)) << "in summer";
  EXPECT_EQ(at.runs.back(), utc(2026, 12, 31, 11h));
}

}  // namespace
}  // namespace weir
