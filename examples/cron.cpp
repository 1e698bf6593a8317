/// Work by the calendar: cron expressions in a time zone, and what they mean.
#include <chrono>
#include <iostream>
#include <string>
#include <vector>
#include <weir/submit_cron.hpp>

#include "check.hpp"

using namespace std::chrono_literals;

int main() {
  using namespace std::chrono;
  // A clock for the example: midnight in Berlin, on the day before clocks go forward.
  const system_clock::time_point midnight = sys_days(2026y / March / 28) - 1h;
  weir::manual_clock clock(weir::clock::time_point{}, midnight);
  weir::thread_pool pool({.core = 1, .max = 1, .capacity = 8, .clock = &clock});
  std::vector<system_clock::time_point> runs;

  // [submit]
  weir::series backup = weir::submit_cron(pool, "30 2 * * *", "Europe/Berlin",
                                          [&](const weir::series_run& run) {
                                            runs.push_back(*run.wall_due());
                                          });
  // [submit]
  for (int night = 0; night < 3; ++night) {
    clock.advance_to_next_due();
    pool.submit([] {}).wait();
  }
  check(runs[0] == midnight + 2h + 30min, "02:30");
  check(runs[1] == midnight + 26h, "03:00, since 02:30 does not exist in that night");
  check(runs[2] == runs[0] + 47h, "02:30 again");
  backup.cancel();

  // [ask]
  const weir::cron workdays("0 9 * * MON-FRI", "Europe/Berlin");
  const auto friday = sys_days(2026y / March / 27) + 12h;
  check(workdays.next(friday) == sys_days(2026y / March / 30) + 7h, "Monday, in summer time");
  check(workdays.prev(friday) == sys_days(2026y / March / 27) + 8h, "that morning");
  std::cout << workdays.describe() << '\n';
  // [ask]

  // [error]
  try {
    const weir::cron wrong("0 25 * * *");
  } catch (const weir::cron_error& error) {
    std::cout << error.what() << '\n';  // with a caret under the column
    check(error.column() == 3, "where it is wrong");
  }
  // [error]
}
