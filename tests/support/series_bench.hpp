#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <string>
#include <vector>

#include "support/gate.hpp"
#include "support/settle.hpp"
#include "weir/thread_pool.hpp"

namespace weir::testing {

/// A pool of one worker on a manual clock, and what its series have done when.
struct series_bench {
  explicit series_bench(std::size_t capacity = 16, std::size_t workers = 1)
      : pool(options_of(capacity, workers)) {}

  pool_options options_of(std::size_t capacity, std::size_t workers) {
    pool_options options;
    options.core = options.max = workers;
    options.capacity = capacity;
    options.clock = &clock;
    options.on_unhandled = [this](const std::exception_ptr&, const task_info& info) {
      unhandled.emplace_back(info.name);
    };
    return options;
  }
  void settle() { testing::settle(pool); }
  void advance(std::chrono::nanoseconds step) {
    clock.advance(step);
    settle();
  }
  auto noting() {
    return [this] { starts.push_back(clock.now().time_since_epoch()); };
  }

  manual_clock clock;
  std::vector<std::chrono::nanoseconds> starts;
  std::vector<std::string> unhandled;
  thread_pool pool;
};

/// Bodies that are inside until they may leave.
struct crowd {
  auto body() {
    return [this] {
      ++inside;
      leave.wait();
    };
  }
  gate leave;
  std::atomic<int> inside{0};
};

}  // namespace weir::testing
