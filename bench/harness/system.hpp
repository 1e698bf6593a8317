#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "tally.hpp"

/// What an adapter in bench/systems offers. A system is built with its number of workers; which
/// workloads it takes part in follows from what it has.
///
///   post(body)            run it on a worker, forget it
///   submit(body) → future with get()
///   withdraw(future) → bool    cancels a queued task, lets go of it, tells whether that worked
///   timer, at(due_ns, body) → timer, cancel(timer) → bool
///   drive(tally)          a system with a loop on the submitting thread turns it until all ran
///   settle()              does what the last cancellations have left to do
///   k_counts_allocations  takes its memory through operator new
///   k_single_producer     only the thread that built it may submit
///   k_bounded             holds a bounded number of tasks; `post` waits at the bound
namespace bench {

template <class System>
concept with_futures = requires(System& system, answer body) {
  { system.submit(body).get() } -> std::convertible_to<std::uint64_t>;
};

template <class System>
concept with_withdrawal = requires(System& system, answer body) {
  { system.withdraw(system.submit(body)) } -> std::same_as<bool>;
};

template <class System>
concept with_timers = requires(System& system, tick body, typename System::timer timer) {
  { system.at(std::int64_t{}, body) } -> std::same_as<typename System::timer>;
  { system.cancel(timer) } -> std::same_as<bool>;
};

/// Blocks until every body has run.
template <class System>
void wait_for_all(System& system, tally& sum) {
  if constexpr (requires { system.drive(sum); }) system.drive(sum);
  sum.wait();
}

template <class System>
void settle(System& system) {
  if constexpr (requires { system.settle(); }) system.settle();
}

/// Lets threads start and caches fill before anything is timed.
template <class System>
void warm_up(System& system, std::uint64_t tasks = 20'000) {
  tally sum(tasks);
  for (std::uint64_t i = 0; i < tasks; ++i) system.post(tick{&sum, 1});
  wait_for_all(system, sum);
}

/// Occupies that many workers until the gate opens. The gate outlives them.
template <class System>
void hold_workers(System& system, gate& door, std::size_t workers) {
  for (std::size_t i = 0; i < workers; ++i) system.post([&door] { door.hold(); });
  door.wait_until_held();
}

/// Submits `tasks` tasks from `producers` threads at once; with one producer it is this thread.
/// Returns when the first of them began.
template <class System>
std::int64_t produce(System& system, std::size_t producers, std::uint64_t tasks, tally& sum) {
  const auto submit_part = [&](std::size_t part) {
    const auto count = tasks / producers + (part < tasks % producers ? 1 : 0);
    for (std::uint64_t i = 0; i < count; ++i) system.post(tick{&sum, 1});
  };
  if (producers == 1) {
    const auto begin = now_ns();
    submit_part(0);
    return begin;
  }
  signal_flag start;
  tally ready(producers);
  std::vector<std::jthread> threads;
  for (std::size_t part = 0; part < producers; ++part) {
    threads.emplace_back([&, part] {
      ready.add(1);
      start.wait();
      submit_part(part);
    });
  }
  ready.wait();
  const auto begin = now_ns();
  start.set();
  threads.clear();
  return begin;
}

}  // namespace bench
