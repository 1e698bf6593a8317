#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

#include "../harness/experiment.hpp"
#include "../harness/system.hpp"
#include "../harness/usage.hpp"

/// Latency: from submit to the body on an idle pool, beside a raw futex ping in the same process.
namespace bench {

/// Collects waiting times; bodies on several workers may report at once.
class latencies {
 public:
  explicit latencies(std::size_t most) : values_(most) {}

  void add(std::int64_t value) noexcept {
    const auto index = next_.fetch_add(1, std::memory_order_relaxed);
    if (index < values_.size()) values_[index] = value;
  }

  /// The values, when nobody adds any more.
  [[nodiscard]] std::vector<std::int64_t>& values() noexcept { return values_; }
  [[nodiscard]] std::size_t count() const noexcept { return next_.load(std::memory_order_relaxed); }

 private:
  std::vector<std::int64_t> values_;
  std::atomic<std::size_t> next_{0};
};

/// The floor: a thread that sleeps on a futex and looks at the clock when it wakes. Pings that come
/// before it has woken count one by one, each from when it was sent.
class futex_ping {
 public:
  futex_ping(latencies& out, std::size_t most)
      : out_(out), sent_ns_(most + 1), thread_([this] { listen(); }) {}
  futex_ping(const futex_ping&) = delete;
  futex_ping& operator=(const futex_ping&) = delete;
  /// Blocks until all pings have been heard.
  ~futex_ping() { ring(k_stop); }

  void ping() noexcept { ring(now_ns()); }

 private:
  static constexpr std::int64_t k_stop = 0;

  void ring(std::int64_t sent_ns) noexcept {
    sent_ns_[word_.load(std::memory_order_relaxed)] = sent_ns;
    word_.fetch_add(1, std::memory_order_release);
    futex_wake_all(word_);
  }

  void listen() noexcept {
    for (std::uint32_t heard = 0;;) {
      while (word_.load(std::memory_order_acquire) == heard) futex_wait(word_, heard);
      const auto woken = now_ns();
      for (const auto rung = word_.load(std::memory_order_acquire); heard < rung; ++heard) {
        if (sent_ns_[heard] == k_stop) return;
        // One that rang after the look at the clock has been heard at once.
        out_.add(std::max<std::int64_t>(0, woken - sent_ns_[heard]));
      }
    }
  }

  latencies& out_;
  std::vector<std::int64_t> sent_ns_;
  std::atomic<std::uint32_t> word_{0};
  std::jthread thread_;
};

/// A body that knows when it was submitted.
struct arrival {
  latencies* out;
  std::int64_t sent_ns;
  tally* sum;

  void operator()() const noexcept {
    out->add(now_ns() - sent_ns);
    sum->add(1);
  }
};

/// Calls `action` once a period.
template <class Action>
void every(std::int64_t period_ns, std::size_t times, Action action) {
  auto next = now_ns();
  for (std::size_t i = 0; i < times; ++i) {
    next += period_ns;
    sleep_until_ns(next);
    action();
  }
}

template <class System>
samples run_latency(const params& p) {
  constexpr std::size_t k_block = 250;
  const auto blocks = static_cast<std::size_t>(p["tasks"]) / k_block;
  const auto tasks = blocks * k_block;
  const auto period = p["period_us"] * 1000;
  System system(static_cast<std::size_t>(p["workers"]));
  warm_up(system);
  sleep_precisely();
  latencies floor(tasks);
  latencies found(tasks);
  usage spent;
  {
    futex_ping ping(floor, tasks);
    for (std::size_t block = 0; block < blocks; ++block) {
      every(period, k_block, [&] { ping.ping(); });
      const auto before = usage::now();
      tally sum(k_block);
      every(period, k_block, [&] { system.post(arrival{&found, now_ns(), &sum}); });
      wait_for_all(system, sum);
      const auto used = usage::now() - before;
      spent.cpu_ns += used.cpu_ns;
      spent.switches += used.switches;
    }
  }
  verify("bodies run", found.count(), tasks);
  verify("pings heard", floor.count(), tasks);
  const auto count = static_cast<double>(tasks);
  return {{"latency_p50", "ns", quantile(found.values(), 0.5)},
          {"latency_p99", "ns", quantile(found.values(), 0.99)},
          {"floor_p50", "ns", quantile(floor.values(), 0.5)},
          {"floor_p99", "ns", quantile(floor.values(), 0.99)},
          {"cpu_per_task", "ns", static_cast<double>(spent.cpu_ns) / count},
          {"switches_per_1000_tasks", "", 1000.0 * static_cast<double>(spent.switches) / count}};
}

inline params latency_case(const scale& size) {
  return {{"workers", 2}, {"period_us", 200}, {"tasks", size.pick(10'000, 1'000)}};
}

template <class System>
void add_latency(experiments& all, const scale& size) {
  all.push_back({"latency", latency_case(size), System::k_name, run_latency<System>});
}

}  // namespace bench
