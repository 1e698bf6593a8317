#pragma once

#include <cstddef>
#include <random>

#include "timer_lateness.hpp"

/// A lone timer: 1 to 2 ms ahead on an idle pool, in turn with an absolute sleep.
namespace bench {

template <class System>
samples run_timer_single(const params& p) {
  const auto count = static_cast<std::size_t>(p["timers"]);
  System system(static_cast<std::size_t>(p["workers"]));
  latencies found(count);
  std::vector<std::int64_t> floor;
  std::mt19937_64 random(3);
  for (std::size_t i = 0; i < count; ++i) {
    const auto ahead = 1'000'000 + static_cast<std::int64_t>(random() % 1'000'000);
    tally sum(1);
    auto due = now_ns() + ahead;
    [[maybe_unused]] const auto timer = system.at(due, lateness{&found, due, &sum});
    wait_for_all(system, sum);
    sleep_precisely();
    due = now_ns() + ahead;
    sleep_until_ns(due);
    floor.push_back(now_ns() - due);
    sleep_as_usual();
  }
  verify("bodies run", found.count(), count);
  return {{"lateness_p50", "us", to_us(quantile(found.values(), 0.5))},
          {"lateness_p99", "us", to_us(quantile(found.values(), 0.99))},
          {"floor_p50", "us", to_us(quantile(floor, 0.5))},
          {"floor_p99", "us", to_us(quantile(floor, 0.99))},
          {"early", "", early_of(found.values())}};
}

template <class System>
void add_timer_single(experiments& all, const scale& size) {
  all.push_back({"timer_single",
                 {{"workers", 2}, {"timers", size.pick(500, 100)}},
                 System::k_name,
                 run_timer_single<System>});
}

}  // namespace bench
