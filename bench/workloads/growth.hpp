#pragma once

#include <cstddef>
#include <memory>

#include "../harness/experiment.hpp"
#include "../harness/system.hpp"

/// Growth: the cost of a task when 1000 to a million others wait behind a blocked worker.
namespace bench {

template <class System>
samples run_growth(const params& p) {
  const auto pending = static_cast<std::uint64_t>(p["pending"]);
  const auto bursts = static_cast<std::uint64_t>(p["tasks"]) / pending;
  System system(1);
  warm_up(system);
  std::int64_t submitting = 0;
  std::int64_t running = 0;
  for (std::uint64_t burst = 0; burst < bursts; ++burst) {
    gate door(1);
    hold_workers(system, door, 1);
    tally sum(pending);
    const auto begin = now_ns();
    for (std::uint64_t i = 0; i < pending; ++i) system.post(tick{&sum, 1});
    submitting += now_ns() - begin;
    door.open();
    wait_for_all(system, sum);
    verify("bodies run", sum.count(), pending);
    // From the worker's own waking on, so that a burst's wake-up is not spread over its tasks.
    running += sum.finished_ns() - door.left_ns();
  }
  const auto count = static_cast<double>(bursts * pending);
  return {{"time_per_task", "ns", static_cast<double>(submitting + running) / count},
          {"submit_per_task", "ns", static_cast<double>(submitting) / count},
          {"run_per_task", "ns", static_cast<double>(running) / count}};
}

inline std::vector<params> growth_cases(const scale& size) {
  const auto tasks = size.pick(1'000'000, 100'000);
  std::vector<params> cases;
  for (std::int64_t pending = 1000; pending <= tasks; pending *= 10) {
    cases.push_back({{"pending", pending}, {"workers", 1}, {"tasks", tasks}});
  }
  return cases;
}

template <class System>
void add_growth(experiments& all, const scale& size) {
  if constexpr (!System::k_bounded) {
    for (auto& p : growth_cases(size)) {
      all.push_back({"growth", std::move(p), System::k_name, run_growth<System>});
    }
  }
}

}  // namespace bench
