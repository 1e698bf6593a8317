#pragma once

#include <cstddef>
#include <vector>

#include "latency.hpp"
#include "timer_churn.hpp"

/// Timers under load: 100 000 due within one second, beside a loop of absolute sleeps.
namespace bench {

inline constexpr std::int64_t k_second_ns = 1'000'000'000;

/// A timer's body: how late it is.
struct lateness {
  latencies* out;
  std::int64_t due_ns;
  tally* sum;

  void operator()() const noexcept {
    out->add(now_ns() - due_ns);
    sum->add(1);
  }
};

inline double to_us(double ns) { return ns / 1e3; }

/// How many ran before they were due. A system that does so is slow to believe, but it is no fault
/// of the measurement: the figure says it.
inline double early_of(const std::vector<std::int64_t>& values) {
  return static_cast<double>(
      std::count_if(values.begin(), values.end(), [](auto value) { return value < 0; }));
}

/// The floor: one thread that sleeps until each instant in turn, with the finest timer slack.
inline std::vector<std::int64_t> sleep_through(std::vector<std::int64_t> due) {
  std::sort(due.begin(), due.end());
  for (auto& each : due) {
    if (now_ns() < each) sleep_until_ns(each);
    each = now_ns() - each;
  }
  return due;
}

template <class System>
samples run_timer_lateness(const params& p) {
  const auto count = static_cast<std::size_t>(p["timers"]);
  System system(static_cast<std::size_t>(p["workers"]));
  std::vector<typename System::timer> timers(count);
  latencies found(count);
  tally sum(count);
  const auto due = spread(count, now_ns() + k_second_ns / 2, k_second_ns);
  const auto before = usage::now();
  for (std::size_t i = 0; i < count; ++i) {
    timers[i] = system.at(due[i], lateness{&found, due[i], &sum});
  }
  wait_for_all(system, sum);
  const auto spent = usage::now() - before;
  verify("bodies run", found.count(), count);
  sleep_precisely();
  auto floor = sleep_through(spread(count, now_ns() + k_second_ns / 10, k_second_ns));
  return {{"lateness_p50", "us", to_us(quantile(found.values(), 0.5))},
          {"lateness_p99", "us", to_us(quantile(found.values(), 0.99))},
          {"lateness_max", "us", to_us(quantile(found.values(), 1.0))},
          {"floor_p50", "us", to_us(quantile(floor, 0.5))},
          {"floor_p99", "us", to_us(quantile(floor, 0.99))},
          {"early", "", early_of(found.values())},
          {"cpu_per_timer", "ns", static_cast<double>(spent.cpu_ns) / static_cast<double>(count)}};
}

template <class System>
void add_timer_lateness(experiments& all, const scale& size) {
  all.push_back({"timer_lateness",
                 {{"workers", 2}, {"timers", size.pick(100'000, 10'000)}},
                 System::k_name,
                 run_timer_lateness<System>});
}

}  // namespace bench
