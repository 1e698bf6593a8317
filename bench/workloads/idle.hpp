#pragma once

#include <cstddef>

#include "../harness/experiment.hpp"
#include "../harness/system.hpp"
#include "../harness/usage.hpp"

/// Silence: context switches and processor time of a pool without work, with and without a timer.
namespace bench {

inline constexpr std::int64_t k_hour_ns = 3'600'000'000'000;

inline samples watch_silence(std::int64_t seconds) {
  // The workers find their way to sleep first.
  sleep_until_ns(now_ns() + 200'000'000);
  const auto before = usage::now();
  sleep_until_ns(now_ns() + seconds * 1'000'000'000);
  const auto spent = usage::now() - before;
  // The sleep of the watching thread is not the pool's.
  return {{"switches", "", static_cast<double>(spent.switches - spent.own_switches)},
          {"cpu", "us", static_cast<double>(spent.cpu_ns - spent.own_cpu_ns) / 1e3}};
}

template <class System>
samples run_idle(const params& p) {
  System system(static_cast<std::size_t>(p["workers"]));
  if constexpr (requires { system.post(tick{}); }) warm_up(system);
  if constexpr (with_timers<System>) {
    if (p["far_timer"] != 0) {
      tally never(1);
      auto timer = system.at(now_ns() + k_hour_ns, tick{&never, 1});
      auto found = watch_silence(p["seconds"]);
      verify("far timers cancelled", system.cancel(timer) ? 1 : 0, 1);
      settle(system);
      return found;
    }
  }
  return watch_silence(p["seconds"]);
}

template <class System>
void add_idle(experiments& all, const scale& size) {
  for (const std::int64_t far_timer : {0, 1}) {
    if (far_timer != 0 && !with_timers<System>) break;
    all.push_back(
        {"idle",
         {{"workers", 2}, {"far_timer", far_timer}, {"seconds", size.pick(size.idle_seconds, 1)}},
         System::k_name,
         run_idle<System>,
         true,
         1});
  }
}

}  // namespace bench
