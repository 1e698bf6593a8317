/// Work that recurs: at a rate, with a delay between runs, by a calendar of one's own.
#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>
#include <weir/thread_pool.hpp>

#include "check.hpp"

using namespace std::chrono_literals;

// [schedule]
/// Noon of every day, in UTC.
class every_noon final : public weir::schedule {
 public:
  std::optional<std::chrono::system_clock::time_point> next(
      std::chrono::system_clock::time_point after) const override {
    const auto noon = std::chrono::floor<std::chrono::days>(after) + 12h;
    return noon > after ? noon : noon + std::chrono::days(1);
  }
};
// [schedule]

/// As many series as the pool has places for.
void fill(weir::thread_pool& pool, std::vector<std::string>& log) {
  // [try]
  const auto beat = [&log] { log.push_back("beat"); };
  std::vector<weir::series> hearts;
  for (;;) {
    auto asked = pool.try_submit_every(1min, beat);
    if (!asked) {
      check(asked.why() == weir::reject_reason::saturated, "each holds a place for life");
      break;
    }
    hearts.push_back(*std::move(asked));
  }
  check(hearts.size() == 8, "as many as there are places");
  // [try]
}

int main() {
  weir::manual_clock clock;
  weir::thread_pool pool({.core = 1, .max = 1, .capacity = 8, .clock = &clock});
  std::vector<std::string> log;
  const auto settle = [&pool] { pool.submit([] {}).wait(); };

  // [every]
  weir::series sweep = pool.submit_every(10s, [&log] { log.push_back("sweep"); });
  // [every]
  clock.advance(10s);
  settle();
  check(log == std::vector<std::string>{"sweep"}, "for the first time after one period");

  // [late]
  clock.advance(35s);  // three due times have come
  settle();
  const weir::series_snapshot seen = sweep.snapshot();
  check(seen.runs == 2 && seen.skipped == 2, "one run for all that was missed");
  check(sweep.next_due() == clock.now() + 5s, "then on the old grid");
  // [late]

  // [cancel]
  sweep.reschedule(1min);  // from now on
  check(sweep.cancel() == weir::cancel_result::cancelled, "no body ran");
  check(sweep.state() == weir::series_state::cancelled, "and none will");
  // [cancel]

  // [body]
  weir::series three = pool.submit_every(1s,
                                         [&log](const weir::series_run& run) {
                                           log.push_back("run " + std::to_string(run.number()));
                                           if (run.number() == 3) run.stop();
                                         },
                                         {.mode = weir::recurrence::fixed_delay, .first = 0s});
  // [body]
  for (int second = 0; second < 5; ++second) {
    settle();
    clock.advance(1s);
  }
  check(three.state() == weir::series_state::finished, "ended by its body");
  check(log.back() == "run 3", "with the third run");

  // [failure]
  weir::series poll =
      pool.submit_every(1s, [] { throw std::runtime_error("no answer"); },
                        {.on_failure = weir::on_failure::stop, .task = {.name = "poll"}});
  // [failure]
  clock.advance(1s);
  poll.wait();
  check(poll.state() == weir::series_state::failed, "recorded, reported, and over");

  // [on]
  weir::series daily =
      pool.submit_on(std::make_shared<every_noon>(), [&log] { log.push_back("noon"); });
  // [on]
  clock.set_wall(clock.wall_now() + 24h);  // somebody sets the clock
  settle();
  check(log.back() == "noon", "what the wall shows counts");
  daily.cancel();

  fill(pool, log);

  pool.close();
  pool.join();
  std::cout << log.size() << " runs\n";
}
