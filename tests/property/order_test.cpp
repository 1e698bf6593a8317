// B8, C1 and C3 as properties: one worker starts tasks by due time, then by id, never early,
// whatever they are and in whatever steps the clock moves. RapidCheck shrinks a counter-example and
// prints how to run it again.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/gate.hpp"
#include "weir/detail/duration.hpp"
#include "weir/this_task.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

struct start {
  std::uint64_t id;
  clock::time_point at;
};

pool_options one_worker(manual_clock& clock) {
  pool_options options{.core = 1, .max = 1, .capacity = unbounded};
  options.clock = &clock;
  return options;
}

RC_GTEST_PROP(order, B8_held_back_tasks_start_by_due_time_then_by_id, ()) {
  const auto delays = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 6));
  manual_clock clock;
  thread_pool pool(one_worker(clock));
  std::vector<std::uint64_t> started;
  std::vector<std::pair<milliseconds, std::uint64_t>> expected;
  {
    testing::held_worker busy(pool);
    milliseconds now{0};
    for (const int delay : delays) {
      auto task = pool.submit_after(milliseconds(delay),
                                    [&started] { started.push_back(this_task::id()); });
      expected.emplace_back(now + milliseconds(delay), task.id());
      if (delay == 3) {  // time passes while the worker is held
        clock.advance(milliseconds(1));
        now += milliseconds(1);
      }
    }
    clock.advance(milliseconds(10));
  }
  pool.wait_idle();
  std::sort(expected.begin(), expected.end());
  RC_ASSERT(started.size() == expected.size());
  for (std::size_t at = 0; at < started.size(); ++at) RC_ASSERT(started[at] == expected[at].second);
}

RC_GTEST_PROP(order, C1_each_step_of_the_clock_starts_exactly_what_is_due, ()) {
  const auto delays = *rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 20));
  const auto steps = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 8));
  manual_clock clock;
  thread_pool pool(one_worker(clock));
  std::vector<start> started;
  std::vector<future<void>> tasks;
  for (const int delay : delays) {
    tasks.push_back(pool.submit_after(milliseconds(delay), [&] {
      started.push_back({this_task::id(), clock.now()});
    }));
  }
  for (const int step : steps) {
    clock.advance(milliseconds(step));
    for (std::size_t at = 0; at < tasks.size(); ++at) {
      if (milliseconds(delays[at]) > clock.now().time_since_epoch()) continue;
      tasks[at].wait();
    }
    const auto due = std::count_if(delays.begin(), delays.end(), [&](int delay) {
      return milliseconds(delay) <= clock.now().time_since_epoch();
    });
    RC_ASSERT(pool.stats().succeeded == static_cast<std::uint64_t>(due));
  }
  for (auto& each : tasks) (void)each.cancel();
  pool.wait_idle();
  for (const start& each : started) {
    RC_ASSERT(each.at >= clock::time_point(milliseconds(delays[each.id - 1])));
  }
}

// C1: the sum of any instant and any length, in numbers that cannot overflow.
RC_GTEST_PROP(durations, C1_adding_saturates_and_never_wraps,
              (std::int64_t from, std::int64_t length)) {
  __extension__ using wide = __int128;
  const wide exact = wide{from} + length;
  const wide low = std::numeric_limits<std::int64_t>::min();
  const wide high = std::numeric_limits<std::int64_t>::max();
  const auto sum =
      detail::saturating_add(clock::time_point(nanoseconds(from)), nanoseconds(length));
  RC_ASSERT(wide{sum.time_since_epoch().count()} == std::clamp(exact, low, high));
}

RC_GTEST_PROP(durations, C1_conversion_saturates_and_never_wraps, (std::int64_t count)) {
  __extension__ using wide = __int128;
  const auto check = [](auto length, wide exact) {
    const wide low = std::numeric_limits<std::int64_t>::min();
    const wide high = std::numeric_limits<std::int64_t>::max();
    RC_ASSERT(wide{detail::saturating_nanoseconds(length).count()} == std::clamp(exact, low, high));
  };
  check(nanoseconds(count), wide{count});
  check(std::chrono::microseconds(count), wide{count} * 1'000);
  check(std::chrono::seconds(count), wide{count} * 1'000'000'000);
  check(std::chrono::duration<std::int64_t, std::ratio<3'600>>(count),
        wide{count} * 3'600'000'000'000);
}

}  // namespace
}  // namespace weir
