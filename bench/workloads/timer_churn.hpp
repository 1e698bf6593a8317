#pragma once

#include <malloc.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <random>
#include <vector>

#include "../harness/experiment.hpp"
#include "../harness/system.hpp"
#include "../harness/usage.hpp"
#include "idle.hpp"

/// Timers in bulk: a million are set an hour ahead, then cancelled in random order.
namespace bench {

/// The order in which things are cancelled; the same for every system.
inline std::vector<std::uint32_t> shuffled(std::size_t count) {
  std::vector<std::uint32_t> order(count);
  for (std::size_t i = 0; i < count; ++i) order[i] = static_cast<std::uint32_t>(i);
  std::shuffle(order.begin(), order.end(), std::mt19937_64(1));
  return order;
}

/// Due times that are spread evenly at random over `span_ns` from `from_ns` on.
inline std::vector<std::int64_t> spread(std::size_t count, std::int64_t from_ns,
                                        std::int64_t span_ns) {
  std::mt19937_64 random(2);
  std::vector<std::int64_t> due(count);
  for (auto& each : due) {
    each = from_ns + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(span_ns));
  }
  return due;
}

/// What the memory alone costs: 64-byte blocks, each visited and freed in that order.
inline double touch_and_free_ns(const std::vector<std::uint32_t>& order) {
  struct block {
    std::uint32_t state;
    char rest[60];
  };
  struct release {
    void operator()(block* memory) const noexcept { std::free(memory); }
  };
  std::vector<std::unique_ptr<block, release>> blocks(order.size());
  for (auto& each : blocks) {
    each.reset(static_cast<block*>(std::malloc(sizeof(block))));
    each->state = 0;
  }
  const auto begin = now_ns();
  for (const auto index : order) {
    *const_cast<volatile std::uint32_t*>(&blocks[index]->state) = 1;
    blocks[index].reset();
  }
  return static_cast<double>(now_ns() - begin) / static_cast<double>(order.size());
}

template <class System>
samples run_timer_churn(const params& p) {
  const auto count = static_cast<std::size_t>(p["timers"]);
  const auto order = shuffled(count);
  System system(static_cast<std::size_t>(p["workers"]));
  const auto due = spread(count, now_ns() + k_hour_ns, k_hour_ns);
  std::vector<typename System::timer> timers(count);
  tally sum(count);
  const auto before = resident_bytes();
  const auto begin = now_ns();
  for (std::size_t i = 0; i < count; ++i) timers[i] = system.at(due[i], tick{&sum, 1});
  const auto inserted = now_ns();
  const auto full = resident_bytes();
  const auto cancelling = now_ns();
  std::uint64_t cancelled = 0;
  for (const auto index : order) cancelled += system.cancel(timers[index]) ? 1 : 0;
  settle(system);
  const auto end = now_ns();
  // What malloc keeps for later is malloc's; what is left then is held by the system.
  malloc_trim(0);
  const auto after = resident_bytes();
  verify("timers cancelled", cancelled, count);
  verify("bodies run", sum.count(), 0);
  const auto number = static_cast<double>(count);
  return {{"insert", "ns", static_cast<double>(inserted - begin) / number},
          {"cancel", "ns", static_cast<double>(end - cancelling) / number},
          {"floor_cancel", "ns", touch_and_free_ns(order)},
          {"bytes_per_timer", "B", static_cast<double>(full - before) / number},
          {"bytes_kept_per_timer", "B", static_cast<double>(after - before) / number}};
}

template <class System>
void add_timer_churn(experiments& all, const scale& size) {
  all.push_back({"timer_churn",
                 {{"workers", 1}, {"timers", size.pick(1'000'000, 100'000)}},
                 System::k_name,
                 run_timer_churn<System>});
}

}  // namespace bench
