#pragma once

#include <cstddef>

#include "../harness/experiment.hpp"
#include "../harness/system.hpp"
#include "../harness/usage.hpp"

/// Cancelling: a million rounds of submit and cancel behind a blocked worker, in flat memory.
namespace bench {

template <class System>
samples run_cancel(const params& p) {
  constexpr std::uint64_t k_turn = 1000;
  const auto rounds = static_cast<std::uint64_t>(p["rounds"]);
  const auto workers = static_cast<std::size_t>(p["workers"]);
  // Before the system: its bodies use them to the end.
  gate door(workers);
  tally sum(rounds);
  System system(workers);
  warm_up(system);
  hold_workers(system, door, workers);
  std::uint64_t cancelled = 0;
  const auto run = [&](std::uint64_t count) {
    for (std::uint64_t i = 1; i <= count; ++i) {
      cancelled += system.withdraw(system.submit(answer{&sum, i})) ? 1 : 0;
      if (i % k_turn == 0) settle(system);
    }
    settle(system);
  };
  run(k_turn);
  const auto before = resident_bytes();
  const auto begin = now_ns();
  run(rounds);
  const auto end = now_ns();
  const auto after = resident_bytes();
  verify("tasks cancelled", cancelled, rounds + k_turn);
  verify("bodies run", sum.count(), 0);
  door.open();
  return {{"time_per_round", "ns", static_cast<double>(end - begin) / static_cast<double>(rounds)},
          {"resident_growth", "MB", static_cast<double>(after - before) / 1e6}};
}

template <class System>
void add_cancel(experiments& all, const scale& size) {
  if constexpr (with_withdrawal<System>) {
    all.push_back({"cancel",
                   {{"workers", 1}, {"rounds", size.pick(1'000'000, 100'000)}},
                   System::k_name,
                   run_cancel<System>});
  }
}

}  // namespace bench
