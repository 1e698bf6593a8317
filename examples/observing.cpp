/// What a running pool shows: counts, durations, tasks, the history of those that have ended.
#include <chrono>
#include <iostream>
#include <latch>
#include <string>
#include <weir/json.hpp>
#include <weir/thread_pool.hpp>

#include "check.hpp"

using namespace std::chrono_literals;

int main() {
  weir::manual_clock clock;
  // [options]
  weir::thread_pool pool({.core = 1,
                          .max = 1,
                          .capacity = 100,
                          .clock = &clock,
                          .name = "mail",
                          .timing = weir::timing::all,  // default: one task in 64
                          .history = 1000});
  // [options]

  std::latch running(1);
  std::latch go_on(1);
  auto sending = pool.submit({.name = "send 17"}, [&] {
    running.count_down();
    go_on.wait();
  });
  running.wait();
  auto next = pool.submit({.name = "send 18"}, [] {});
  auto later = pool.submit_after({.name = "retry 5"}, 10min, [] {});
  clock.advance(30s);

  // [snapshot]
  const weir::pool_snapshot seen = pool.snapshot();
  std::cout << describe(seen) << '\n';
  for (const auto& task : seen.running) {
    const auto length = task.running_for(seen.taken).value_or(0s);
    if (length > 10s) std::cout << task.name << " has been running for a while\n";
  }
  // [snapshot]
  check(seen.running.at(0).running_for(seen.taken) == 30s, "the first one runs for 30 seconds");
  check(seen.queued.at(0).name == "send 18", "the second one waits");
  check(seen.delayed.at(0).due == later.due(), "the third one is delayed");

  // [cancel]
  const std::uint64_t id = next.id();  // from a snapshot, a log, a request of an operator
  check(pool.ref(id).cancel() == weir::cancel_result::cancelled, "cancelled by its number");
  // [cancel]

  go_on.count_down();
  sending.get();

  // [history]
  const auto ended = pool.find(id);
  check(ended && ended->state == weir::task_state::cancelled, "its end is remembered");
  // [history]

  // [timings]
  const weir::pool_stats now = pool.stats();
  check(now.succeeded == 1 && now.cancelled == 1, "counted");
  check(now.run.max == 30s, "the longest body took 30 seconds");
  check(pool.timings().run.quantile(0.95) <= now.run.max, "any quantile, from the histogram");
  // [timings]

  // [json]
  std::cout << weir::to_json(pool.snapshot()) << '\n' << weir::to_json(pool.stats()) << '\n';
  // [json]
}
