#pragma once

#include <cstddef>

#include "../harness/experiment.hpp"
#include "../harness/system.hpp"
#include "../harness/usage.hpp"

/// Memory: what a waiting task takes, and whether a burst's memory goes back to the system.
namespace bench {

inline constexpr std::int64_t k_give_back_ns = 1'000'000'000;

template <class System>
samples run_pending(const params& p) {
  const auto tasks = static_cast<std::uint64_t>(p["tasks"]);
  const auto workers = static_cast<std::size_t>(p["workers"]);
  // Before the system: its bodies use them to the end.
  gate door(workers);
  tally sum(tasks);
  System system(workers);
  warm_up(system);
  hold_workers(system, door, workers);
  const auto before = resident_bytes();
  for (std::uint64_t i = 0; i < tasks; ++i) system.post(tick{&sum, 1});
  const auto full = resident_bytes();
  verify("bodies run while the workers were held", sum.count(), 0);
  door.open();
  wait_for_all(system, sum);
  verify("bodies run", sum.count(), tasks);
  sleep_until_ns(now_ns() + k_give_back_ns);
  const auto after = resident_bytes();
  return {
      {"bytes_per_pending_task", "B",
       static_cast<double>(full - before) / static_cast<double>(tasks)},
      {"resident_before", "MB", static_cast<double>(before) / 1e6},
      {"resident_full", "MB", static_cast<double>(full) / 1e6},
      {"resident_after", "MB", static_cast<double>(after) / 1e6},
      {"resident_after_to_before", "", static_cast<double>(after) / static_cast<double>(before)}};
}

template <class System>
void add_pending(experiments& all, const scale& size) {
  if constexpr (!System::k_bounded) {
    all.push_back({"pending",
                   {{"workers", 2}, {"tasks", size.pick(1'000'000, 100'000)}},
                   System::k_name,
                   run_pending<System>,
                   true,
                   3});
  }
}

}  // namespace bench
