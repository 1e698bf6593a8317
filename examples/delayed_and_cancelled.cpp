/// Delayed tasks share the pool's workers and its bound, and a cancelled one gives its place back
/// at once. The clock is a manual one: three seconds of schedule, no second of waiting.
#include <chrono>
#include <string>
#include <vector>
#include <weir/thread_pool.hpp>

#include "check.hpp"

using namespace std::chrono_literals;

int main() {
  std::vector<std::string> log;  // written by the one worker, read after a wait

  // [clock]
  weir::manual_clock clock;
  weir::thread_pool pool({.core = 1, .max = 1, .capacity = 2, .clock = &clock});
  // [clock]

  // [places]
  auto report = pool.submit_after(1s, [&] { log.push_back("report"); });
  auto backup = pool.submit_after(1s, [&] { log.push_back("backup"); });
  auto third = pool.try_submit_after(1s, [&] { log.push_back("third"); });
  check(!third && third.why() == weir::reject_reason::saturated, "a delayed task needs a place");

  check(report.cancel() == weir::cancel_result::cancelled, "the report never ran and never will");
  auto ping = pool.submit_after(100ms, [&] { log.push_back("ping"); });  // takes the freed place
  // [places]

  // [advance]
  clock.advance(100ms);
  ping.wait();
  check(log == std::vector<std::string>{"ping"}, "what is due first runs first");
  check(backup.state() == weir::task_state::queued, "the backup still waits for its time");

  check(clock.advance_to_next_due(), "there is something to wait for");
  backup.wait();
  check(clock.now() - weir::clock::time_point{} == 1s, "the clock stands at one second");
  check(log == std::vector<std::string>{"ping", "backup"}, "then the backup has run");
  // [advance]

  // [later]
  auto at_three = pool.submit_at(clock.now() + 2s, [] { return "at three seconds"; });
  check(at_three.due() == clock.now() + 2s, "a task knows when it is due");
  pool.close();  // accepted work still runs, delayed tasks when they are due
  clock.advance(2s);
  check(at_three.get() == std::string("at three seconds"), "an accepted delayed task is kept");
  pool.join();
  // [later]
  check(pool.stats().lateness.count == 3, "three delayed tasks have started");
}
