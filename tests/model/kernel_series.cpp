// Series: docs/design/series.md, and civil time: docs/design/wall-clock.md.

#include <gtest/gtest.h>

#include "model/kernel_pool.hpp"

namespace weir::model {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using sync::thread;

constexpr series_options k_twice{.first = 0s, .limit = 2};

// After cancel has returned no run starts, however far the next one was on its way; S1 to S5.
TEST(kernel_series, cancel_and_the_next_run) {
  expect_holds("series: cancel × next run", k_few, [] {
    thread_pool pool(options_for({.clock = &steady_clock::instance()}));
    int runs = 0;
    const series recurring = pool.submit_every(1ns, [&runs] { ++runs; }, k_twice);
    const bool none_ran = recurring.cancel() == cancel_result::cancelled;
    const series_state state = recurring.state();
    MODEL_CHECK(!none_ran || state == series_state::cancelled);
    recurring.wait();
    const int before = runs;  // also proves that the wait shows what the bodies did
    MODEL_CHECK(recurring.state() == series_state::cancelled || runs == 2);
    check_end(pool);
    MODEL_CHECK(runs == before);
  });
}

TEST(kernel_series, close_and_the_next_run) {
  expect_holds("series: close × next run", k_few, [] {
    thread_pool pool(options_for({.clock = &steady_clock::instance()}));
    int runs = 0;
    const series recurring = pool.submit_every(1ns, [&runs] { ++runs; }, k_twice);
    check_end(pool);
    MODEL_CHECK(recurring.state() == series_state::cancelled || runs == 2);
    recurring.wait();
  });
}

// Whoever sees it over finds its place free.
TEST(kernel_series, its_place_after_its_end) {
  expect_holds("series: end × submit in its stead", k_few, [] {
    thread_pool pool(options_for({.clock = &steady_clock::instance()}));
    const series recurring = pool.submit_every(1ns, [] {}, {.first = 0s, .limit = 1});
    recurring.wait();
    MODEL_CHECK(pool.try_submit_after(1ns, [] {}).accepted());
    check_end(pool);
  });
}

TEST(kernel_series, reschedule_and_the_end_of_a_run) {
  expect_holds("series: reschedule × end of a run", k_few, [] {
    manual_clock clock;
    thread_pool pool(options_for({.clock = &clock}));
    int runs = 0;
    const series recurring = pool.submit_every(1h, [&runs] { ++runs; }, {.first = 0s});
    MODEL_CHECK(recurring.reschedule(2h));
    clock.advance(2h);
    recurring.cancel();
    recurring.wait();
    check_end(pool);
    MODEL_CHECK(runs <= 2);
  });
}

// Its worker sleeps for ever; nothing else would wake it.
TEST(kernel_series, a_moved_due_time_wakes_whoever_sleeps_for_it) {
  expect_holds("series: reschedule × sleeping leader", k_few, [] {
    thread_pool pool(options_for({.clock = &steady_clock::instance()}));
    const series recurring = pool.submit_every(nanoseconds::max(), [] {}, {.limit = 1});
    thread mover([&recurring] { MODEL_CHECK(recurring.reschedule(1h)); });
    recurring.wait();
    mover.join();
    check_end(pool);
  });
}

TEST(kernel_series, overlapping_runs_and_their_end) {
  expect_holds("series: overlapping runs × cancel", k_many, [] {
    thread_pool pool(options_for({.core = 2, .max = 2, .clock = &steady_clock::instance()}));
    const series recurring = pool.submit_every(
        1ns, [] {}, {.first = 0s, .overlap = overlap::allow, .limit = 2});
    recurring.cancel();
    recurring.wait();
    check_end(pool);
  });
}

// A civil time is right however the setting of the clock falls.
TEST(kernel_series, the_clock_is_set_while_a_task_is_submitted) {
  expect_holds("civil time: set × submit", k_few, [] {
    manual_clock clock;
    thread_pool pool(options_for({.clock = &clock}));
    thread setter([&clock] { clock.set_wall(manual_clock::wall_point(1h)); });
    auto task = pool.submit_at(manual_clock::wall_point(3h), [] {});
    setter.join();
    MODEL_CHECK(task.due() == clock::time_point(2h));
    clock.advance(2h);
    task.wait();
    check_end(pool);
  });
}

TEST(kernel_series, the_clock_is_set_while_its_worker_lies_down) {
  expect_holds("civil time: set × sleeping worker", k_few, [] {
    manual_clock clock;
    thread_pool pool(options_for({.clock = &clock}));
    auto task = pool.submit_at(manual_clock::wall_point(3h), [] {});
    thread setter([&clock] { clock.set_wall(manual_clock::wall_point(3h)); });
    task.wait();
    setter.join();
    check_end(pool);
  });
}

}  // namespace
}  // namespace weir::model
