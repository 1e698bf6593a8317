#pragma once

#include <cstddef>

#include "../harness/experiment.hpp"
#include "../harness/system.hpp"

/// Age: the cost of a task in a young pool and in one that has finished millions.
namespace bench {

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
  const auto young = batch();
  auto old = young;
  for (std::int64_t i = 2; i < batches; ++i) old = batch();
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
