/// How many workers? Runs a sample of the work, sees which share of its time it waits, and counts.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>
#include <thread>
#include <vector>
#include <weir/thread_pool.hpp>

#include "check.hpp"

using namespace std::chrono_literals;

namespace {

// [sizing]
/// How many workers keep the processors busy: N · (1 + wait / compute).
std::size_t workers_for(const std::vector<std::function<void()>>& sample) {
  weir::thread_pool pool = weir::thread_pool::fixed(1, sample.size());  // one at a time
  std::vector<std::function<double()>> timed;
  for (const auto& work : sample) {
    timed.push_back([&work] {
      const auto start = std::chrono::steady_clock::now();
      work();
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    });
  }
  const std::clock_t before = std::clock();  // what the whole process computes
  double busy = 0;
  for (auto& seconds : pool.invoke_all(timed)) busy += seconds.get();
  const double compute = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  const double wait = std::max(0.0, busy - compute);
  return static_cast<std::size_t>(
      std::ceil(static_cast<double>(weir::default_concurrency()) * (1 + wait / compute)));
}
// [sizing]

/// Computes a little, then waits for somebody else, as for a disk or a server.
void request() {
  volatile double sum = 0;
  for (int i = 1; i < 100'000; ++i) sum = sum + std::sqrt(i);
  std::this_thread::sleep_for(5ms);
}

}  // namespace

int main() {
  const std::size_t workers = workers_for({4, request});
  std::printf("%zu processors, %zu workers\n", weir::default_concurrency(), workers);
  check(workers > weir::default_concurrency(), "bodies that wait leave room for more workers");
}
