#pragma once

#include <cstddef>

#include "../harness/experiment.hpp"
#include "../harness/system.hpp"
#include "../harness/usage.hpp"

/// Submission: empty tasks from 1 to 16 producers, until all have run.
namespace bench {

/// The figures of `tasks` operations that took from `begin_ns` to `end_ns`.
inline samples per_task(std::int64_t elapsed_ns, const usage& spent, std::int64_t tasks,
                        bool counts_allocations) {
  const auto count = static_cast<double>(tasks);
  samples found{
      {"time_per_task", "ns", static_cast<double>(elapsed_ns) / count},
      {"cpu_per_task", "ns", static_cast<double>(spent.cpu_ns) / count},
      {"switches_per_1000_tasks", "", 1000.0 * static_cast<double>(spent.switches) / count}};
  if (counts_allocations) {
    found.push_back({"allocations_per_task", "", static_cast<double>(spent.allocations) / count});
  }
  return found;
}

template <class System>
samples run_submit(const params& p) {
  const auto tasks = p["tasks"];
  System system(static_cast<std::size_t>(p["workers"]));
  warm_up(system);
  tally sum(static_cast<std::uint64_t>(tasks));
  const auto before = usage::now();
  const auto begin = produce(system, static_cast<std::size_t>(p["producers"]),
                             static_cast<std::uint64_t>(tasks), sum);
  wait_for_all(system, sum);
  const auto spent = usage::now() - before;
  verify("bodies run", sum.count(), static_cast<std::uint64_t>(tasks));
  return per_task(sum.finished_ns() - begin, spent, tasks, System::k_counts_allocations);
}

inline std::vector<params> submit_cases(const scale& size, bool single_producer) {
  const auto tasks = size.pick(1'000'000, 100'000);
  std::vector<params> cases;
  for (const std::int64_t producers : {1, 2, 4, 8, 16}) {
    if (single_producer && producers > 1) break;
    cases.push_back({{"producers", producers}, {"workers", 2}, {"tasks", tasks}});
  }
  cases.push_back({{"producers", 1}, {"workers", 1}, {"tasks", tasks}});
  return cases;
}

template <class System>
void add_submit(experiments& all, const scale& size) {
  for (auto& p : submit_cases(size, System::k_single_producer)) {
    all.push_back({"submit", std::move(p), System::k_name, run_submit<System>});
  }
}

}  // namespace bench
