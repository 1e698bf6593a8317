// Civil time: C1's overload for system_clock, C5, and series that follow a schedule. On a manual
// clock whose civil time is set as an operator sets a machine's.

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/conservation.hpp"
#include "support/eventually.hpp"
#include "support/gate.hpp"
#include "support/settle.hpp"
#include "support/thread_switches.hpp"
#include "support/wall_settings.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using std::chrono::system_clock;
using testing::eventually;
using testing::settle;
using wall_point = system_clock::time_point;

constexpr wall_point noon{std::chrono::hours(500'000)};

pool_options on(weir::clock& clock, std::size_t capacity = 16) {
  pool_options options{.core = 1, .max = 1, .capacity = capacity};
  options.clock = &clock;
  return options;
}

/// Each so often of civil time, from the epoch on.
class each final : public schedule {
 public:
  explicit each(nanoseconds step) : step_(step) {}
  [[nodiscard]] std::optional<wall_point> next(wall_point after) const override {
    return wall_point((after.time_since_epoch() / step_ + 1) * step_);
  }

 private:
  nanoseconds step_;
};

TEST(by_wall, C1_a_task_is_due_at_a_civil_time) {
  manual_clock clock(clock::time_point(1h), noon);
  thread_pool pool(on(clock));
  auto task = pool.submit_at(noon + 10s, [&clock] { return clock.wall_now(); });
  auto passed = pool.submit_at(noon - 1s, [] { return 1; });
  auto coarse = pool.submit_at(std::chrono::floor<std::chrono::seconds>(noon) + 20s, [] {});
  EXPECT_EQ(passed.get(), 1);
  EXPECT_EQ(task.due(), clock::time_point(1h + 10s));
  clock.advance(10s - 1ns);
  settle(pool);
  EXPECT_EQ(task.state(), task_state::queued);
  clock.advance(1ns);
  EXPECT_EQ(task.get(), noon + 10s);
  EXPECT_EQ(coarse.due(), clock::time_point(1h + 20s));
}

TEST(by_wall, C5_the_clock_is_set_forward) {
  manual_clock clock(clock::time_point{}, noon);
  thread_pool pool(on(clock));
  auto task = pool.submit_at(noon + 1h, [] { return 1; });
  auto steady = pool.submit_after(1h, [] { return 2; });
  clock.set_wall(noon + 50min);
  settle(pool);
  EXPECT_EQ(task.due(), clock::time_point(10min));
  EXPECT_EQ(steady.due(), clock::time_point(1h));
  clock.advance(10min);
  EXPECT_EQ(task.get(), 1);
  EXPECT_EQ(steady.state(), task_state::queued);
  auto other = pool.submit_at(clock.wall_now() + 1h, [] { return 3; });
  clock.set_wall(clock.wall_now() + 2h);
  EXPECT_EQ(other.get(), 3) << "its time has come with the setting";
}

TEST(by_wall, C5_the_clock_is_set_back) {
  manual_clock clock(clock::time_point{}, noon);
  thread_pool pool(on(clock));
  auto task = pool.submit_at(noon + 1h, [] { return 1; });
  auto steady = pool.submit_after(90min, [] { return 2; });
  clock.advance(30min);
  clock.set_wall(noon - 2h);
  EXPECT_EQ(task.due(), clock::time_point(30min + 3h));
  clock.advance(1h);
  EXPECT_EQ(steady.get(), 2) << "what is due on the steady clock keeps its time";
  EXPECT_EQ(task.state(), task_state::queued);
  clock.advance(2h);
  EXPECT_EQ(task.get(), 1);
  testing::expect_conserved(pool.stats());
}

TEST(by_wall, C5_order_among_tasks_of_both_kinds_follows_the_new_time) {
  manual_clock clock(clock::time_point{}, noon);
  thread_pool pool(on(clock));
  std::vector<int> order;
  const auto note = [&order](int number) { return [&order, number] { order.push_back(number); }; };
  (void)pool.submit_at(noon + 30min, note(1));
  (void)pool.submit_after(20min, note(2));
  (void)pool.submit_at(noon + 25min, note(3));
  clock.set_wall(noon + 10min);
  clock.advance(1h);
  settle(pool);
  EXPECT_EQ(order, (std::vector{3, 1, 2}));
}

TEST(by_wall, C5_extremes_of_the_civil_time) {
  manual_clock clock(clock::time_point(1s), noon);
  thread_pool pool(on(clock));
  auto never = pool.submit_at(wall_point::max(), [] {});
  auto now = pool.submit_at(wall_point::min(), [] { return 1; });
  EXPECT_EQ(now.get(), 1);
  clock.set_wall(wall_point::min() + 1h);
  EXPECT_EQ(never.due(), clock::time_point::max());
  clock.set_wall(wall_point::max() - 1s);
  EXPECT_EQ(never.due(), clock::time_point(2s));
  EXPECT_EQ(never.cancel(), cancel_result::cancelled);
}

TEST(by_wall, C5_a_submitter_that_is_blocked_meanwhile) {
  manual_clock clock(clock::time_point{}, noon);
  pool_options options = on(clock, 1);
  options.on_saturation = saturation::block;
  thread_pool pool(options);
  auto first = pool.submit_after(10h, [] {});
  future<int> task;
  std::thread submitter([&] { task = pool.submit_at(noon + 1h, [] { return 1; }); });
  ASSERT_TRUE(eventually([&] { return pool.stats().blocked == 1; }));
  clock.set_wall(noon + 30min);
  first.cancel();
  submitter.join();
  EXPECT_EQ(task.due(), clock::time_point(30min));
}

TEST(by_wall, C5_whoever_waits_inside_for_it_wakes_with_it) {
  manual_clock clock(clock::time_point{}, noon);
  thread_pool pool(on(clock));
  testing::gate entered;
  auto outer = pool.submit([&] {
    auto inner = pool.submit_at(noon + 1h, [] { return 1; });
    entered.open();
    return inner.get();
  });
  entered.wait();
  clock.set_wall(noon + 1h);
  EXPECT_EQ(outer.get(), 1);
}

TEST(by_wall, C6_a_series_follows_its_schedule) {
  manual_clock clock(clock::time_point{}, noon);
  thread_pool pool(on(clock));
  std::vector<wall_point> runs;
  const series recurring =
      pool.submit_on(std::make_shared<each>(60s),
                     [&runs](const series_run& run) { runs.push_back(*run.wall_due()); });
  EXPECT_EQ(recurring.snapshot().next_wall_due, noon + 60s);
  for (int minute = 0; minute < 3; ++minute) {
    clock.advance(60s);
    settle(pool);
  }
  EXPECT_EQ(runs, (std::vector{noon + 60s, noon + 120s, noon + 180s}));
}

// Case 53.
TEST(by_wall, case_53_a_clock_set_back_repeats_nothing_and_holds_up_no_interval) {
  manual_clock clock(clock::time_point{}, noon);
  thread_pool pool(on(clock));
  std::vector<wall_point> runs;
  int beats = 0;
  const series by_wall =
      pool.submit_on(std::make_shared<each>(60s),
                     [&runs](const series_run& run) { runs.push_back(*run.wall_due()); });
  const series by_period = pool.submit_every(60s, [&beats] { ++beats; });
  clock.advance(60s);
  settle(pool);
  clock.set_wall(noon - 2h);
  for (int minute = 0; minute < 3; ++minute) {
    clock.advance(60s);
    settle(pool);
  }
  EXPECT_EQ(beats, 4);
  EXPECT_EQ(runs, std::vector{noon + 60s}) << "no minute runs twice";
  clock.set_wall(noon + 119s);
  clock.advance(1s);
  settle(pool);
  EXPECT_EQ(runs, (std::vector{noon + 60s, noon + 120s}));
}

TEST(by_wall, C6_a_clock_set_forward_is_caught_up_with_as_asked) {
  for (const catch_up policy : {catch_up::coalesce, catch_up::burst, catch_up::skip}) {
    manual_clock clock(clock::time_point{}, noon);
    thread_pool pool(on(clock));
    const series recurring =
        pool.submit_on(std::make_shared<each>(60s), [] {}, {.catch_up = policy});
    clock.set_wall(noon + 10min + 5s);
    settle(pool);
    const series_snapshot seen = recurring.snapshot();
    EXPECT_EQ(seen.runs, policy == catch_up::burst ? 10u : policy == catch_up::skip ? 0u : 1u);
    EXPECT_EQ(seen.skipped, 10 - seen.runs);
    EXPECT_EQ(seen.next_wall_due, noon + 11min);
  }
}

// Case 91: one schedule that throws ends alone, and somebody hears of it.
TEST(by_wall, case_91_a_schedule_that_throws_ends_its_own_series) {
  class broken final : public schedule {
   public:
    [[nodiscard]] std::optional<wall_point> next(wall_point after) const override {
      if (after >= noon + 2min) throw std::runtime_error("no such time");
      return after + 1min;
    }
  };
  manual_clock clock(clock::time_point{}, noon);
  pool_options options = on(clock);
  std::atomic<int> heard{0};
  options.on_unhandled = [&heard](const std::exception_ptr&, const task_info&) { ++heard; };
  thread_pool pool(options);
  const series bad = pool.submit_on(std::make_shared<broken>(), [] {});
  const series good = pool.submit_on(std::make_shared<each>(60s), [] {});
  for (int minute = 0; minute < 5; ++minute) {
    clock.advance(60s);
    settle(pool);
  }
  EXPECT_EQ(bad.state(), series_state::failed);
  EXPECT_THROW(std::rethrow_exception(bad.last_error()), std::runtime_error);
  EXPECT_EQ(heard, 1);
  EXPECT_EQ(good.snapshot().runs, 5u);
}

TEST(by_wall, C6_ends_with_its_schedule) {
  class twice final : public schedule {
   public:
    [[nodiscard]] std::optional<wall_point> next(wall_point after) const override {
      if (after < noon + 1min) return noon + 1min;
      if (after < noon + 2min) return noon + 2min;
      return std::nullopt;
    }
  };
  manual_clock clock(clock::time_point{}, noon);
  thread_pool pool(on(clock));
  const series recurring = pool.submit_on(std::make_shared<twice>(), [] {});
  clock.advance(1min);
  settle(pool);
  clock.advance(1min);
  settle(pool);
  EXPECT_EQ(recurring.state(), series_state::finished);
  EXPECT_EQ(recurring.snapshot().runs, 2u);
  EXPECT_THROW((void)pool.submit_on(std::make_shared<twice>(), [] {}), std::invalid_argument);
  EXPECT_THROW((void)pool.submit_on(nullptr, [] {}), std::invalid_argument);
  EXPECT_THROW(
      (void)pool.submit_on(std::make_shared<each>(1s), [] {}, {.mode = recurrence::fixed_delay}),
      std::invalid_argument);
}

// A series by schedule may be given a period; its civil time is over with that.
TEST(by_wall, C6_rescheduled_to_a_period) {
  manual_clock clock(clock::time_point{}, noon);
  thread_pool pool(on(clock));
  const series recurring = pool.submit_on(std::make_shared<each>(60s), [] {});
  EXPECT_TRUE(recurring.reschedule(7s));
  EXPECT_EQ(recurring.snapshot().next_wall_due, std::nullopt);
  clock.set_wall(noon + 24h);
  settle(pool);
  EXPECT_EQ(recurring.next_due(), clock::time_point(7s));
  clock.advance(7s);
  settle(pool);
  EXPECT_EQ(recurring.snapshot().runs, 1u);
  EXPECT_EQ(recurring.next_due(), clock::time_point(14s));
}

TEST(by_wall, C6_rescheduled_to_another_calendar) {
  manual_clock clock(clock::time_point{}, noon);
  thread_pool pool(on(clock));
  series recurring = pool.submit_every(1h, [] {});
  EXPECT_TRUE(recurring.reschedule(std::make_shared<each>(60s)));
  EXPECT_EQ(recurring.snapshot().next_wall_due, noon + 60s);
  clock.set_wall(noon + 50s);
  EXPECT_EQ(recurring.next_due(), clock::time_point(10s));
  EXPECT_TRUE(recurring.reschedule(std::make_shared<each>(1h)));
  EXPECT_EQ(recurring.snapshot().next_wall_due, noon + 1h);
  EXPECT_THROW((void)recurring.reschedule(nullptr), std::invalid_argument);
  recurring.cancel();
  recurring = pool.submit_every(10s, [&](const series_run& run) {
    EXPECT_TRUE(run.number() > 1 || recurring.reschedule(std::make_shared<each>(60s)));
    clock.set_wall(noon + 90s);
  });
  clock.advance(10s);
  settle(pool);
  EXPECT_EQ(recurring.snapshot().next_wall_due, noon + 120s) << "in a body, with a setting after";
  EXPECT_EQ(recurring.next_due(), clock::time_point(10s + 30s));
}

// C5 on real time: never early by the system's clock, and without a look in between.
TEST(by_wall, C5_on_the_system_s_clock) {
  thread_pool pool = thread_pool::fixed(1, 4);
  for (int round = 0; round < 5; ++round) {
    const wall_point due = system_clock::now() + 3ms;
    EXPECT_GE(pool.submit_at(due, [] { return system_clock::now(); }).get(), due);
  }
}

// A machine whose civil time is set all the while, by a host that corrects it, wakes the watch each
// time, as it must: there is no silence to be seen.
TEST(by_wall, C2_a_far_civil_time_is_waited_for_in_silence) {
  pool_options options{.core = 1, .max = 1, .capacity = 4, .name = "farwall"};
  thread_pool pool(options);
  auto far = pool.submit_at(system_clock::now() + 24h, [] {});
  const testing::wall_settings wall;
  for (const std::string thread : {"weir-wall", "farwall-"}) {
    std::map<std::string, std::uint64_t> before;
    std::map<std::string, std::uint64_t> after;
    bool left_alone = false;
    const bool silent = eventually([&] {
      (void)wall.was_set();
      before = testing::switches_of_threads(thread);
      std::this_thread::sleep_for(100ms);
      after = testing::switches_of_threads(thread);
      left_alone |= !wall.was_set();
      return !before.empty() && before == after;
    });
    if (!silent && !left_alone) GTEST_SKIP() << "the civil time is set all the while";
    EXPECT_TRUE(silent) << thread << " before: " << ::testing::PrintToString(before)
                        << " after: " << ::testing::PrintToString(after);
  }
  EXPECT_EQ(far.cancel(), cancel_result::cancelled);
}

}  // namespace
}  // namespace weir
