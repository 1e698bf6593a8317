#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "submit.hpp"

/// Futures: tasks with a result; all are submitted, then every result is taken.
namespace bench {

template <class System>
samples run_future(const params& p) {
  const auto tasks = static_cast<std::uint64_t>(p["tasks"]);
  System system(static_cast<std::size_t>(p["workers"]));
  warm_up(system);
  using future = decltype(system.submit(std::declval<answer>()));
  std::vector<future> futures;
  futures.reserve(tasks);
  tally sum(tasks);
  const auto before = usage::now();
  const auto begin = now_ns();
  for (std::uint64_t i = 0; i < tasks; ++i) futures.push_back(system.submit(answer{&sum, i}));
  std::uint64_t total = 0;
  for (auto& each : futures) total += each.get();
  const auto end = now_ns();
  const auto spent = usage::now() - before;
  verify("bodies run", sum.count(), tasks);
  verify("sum of the results", total, tasks * (tasks - 1) / 2);
  return per_task(end - begin, spent, p["tasks"], System::k_counts_allocations);
}

template <class System>
void add_future(experiments& all, const scale& size) {
  if constexpr (with_futures<System>) {
    all.push_back({"future",
                   {{"producers", 1}, {"workers", 2}, {"tasks", size.pick(200'000, 20'000)}},
                   System::k_name,
                   run_future<System>});
  }
}

}  // namespace bench
