#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "../harness/experiment.hpp"
#include "../harness/system.hpp"

/// Age: the cost of a task in a young pool and in one that has finished millions.
namespace bench {

inline double middle_of_three(double a, double b, double c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

template <class System>
samples run_finished(const params& p) {
  const auto tasks = static_cast<std::uint64_t>(p["tasks"]);
  const auto batches = p["batches"];
  System system(static_cast<std::size_t>(p["workers"]));
  warm_up(system);
  const auto batch = [&] {
    tally sum(tasks);
    const auto begin = produce(system, 1, tasks, sum);
    wait_for_all(system, sum);
    verify("bodies run", sum.count(), tasks);
    return static_cast<double>(sum.finished_ns() - begin) / static_cast<double>(tasks);
  };
  // The first grows the memory and is part of no figure.
  batch();
  std::vector<double> times;
  for (std::int64_t i = 1; i < batches; ++i) times.push_back(batch());
  const auto young = middle_of_three(times[0], times[1], times[2]);
  const auto old = middle_of_three(times.end()[-1], times.end()[-2], times.end()[-3]);
  return {{"time_per_task_young", "ns", young},
          {"time_per_task_old", "ns", old},
          {"old_to_young", "", old / young}};
}

template <class System>
void add_finished(experiments& all, const scale& size) {
  all.push_back({"finished",
                 {{"workers", 2}, {"batches", 10}, {"tasks", size.pick(300'000, 30'000)}},
                 System::k_name,
                 run_finished<System>});
}

}  // namespace bench
