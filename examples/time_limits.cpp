/// How long a body may run: a limit that asks it to stop, and a watchdog that tells of it.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <latch>
#include <stop_token>
#include <string>
#include <weir/this_task.hpp>
#include <weir/thread_pool.hpp>

#include "check.hpp"

using namespace std::chrono_literals;

namespace {

void limit(weir::thread_pool& pool) {
  // [limit]
  auto search = pool.submit({.name = "search", .timeout = 20ms}, [] {
    while (!weir::this_task::stop_requested()) {
      // one step of the work
    }
  });
  try {
    search.get();
    check(false, "it was asked to stop, so it has no result");
  } catch (const weir::task_cancelled& end) {
    check(end.reason() == weir::cancel_reason::timed_out, "its time was over");
  }
  // [limit]
}

void budget(weir::thread_pool& pool) {
  // [budget]
  auto rounds = pool.submit({.timeout = 1h}, [] {
    const auto deadline = *weir::this_task::deadline();
    int done = 0;
    while (std::chrono::steady_clock::now() + 30min < deadline && done < 100) ++done;
    return done;  // in time: an ordinary result
  });
  check(rounds.get() == 100, "a body that ends in time has its result");
  // [budget]
}

void watched_pool() {
  std::atomic<bool> told{false};
  // [watchdog]
  weir::pool_options options{.core = 2, .max = 2, .capacity = 100, .name = "yard"};
  options.watchdog.limit = 20ms;
  options.watchdog.report = [&](const weir::task_info& task, const weir::worker_info& worker,
                                std::chrono::nanoseconds running_for) {
    const std::string name(task.name);
    std::printf("task %llu %s on worker %zu: %lld ms\n", static_cast<unsigned long long>(task.id),
                name.c_str(), worker.index, static_cast<long long>(running_for / 1ms));
    told = true;
    told.notify_all();
  };
  weir::thread_pool pool(options);
  // [watchdog]
  pool.submit({.name = "crane"}, [&] { told.wait(false); }).get();
  check(told, "somebody has heard of the long body");
}

void in_a_test() {
  std::latch started{2};
  // [manual]
  weir::manual_clock clock;
  weir::thread_pool pool({.core = 1, .max = 1, .capacity = 1, .clock = &clock});
  auto task = pool.submit({.timeout = 5min}, [&] {
    started.arrive_and_wait();
    weir::this_task::sleep_for(24h);  // ended by the request
  });
  started.arrive_and_wait();
  clock.advance(5min);  // the request is there when this returns
  check(task.state() != weir::task_state::running, "nobody has waited five minutes");
  // [manual]
  task.wait();
}

}  // namespace

int main() {
  weir::thread_pool pool = weir::thread_pool::fixed(2, 4);
  limit(pool);
  budget(pool);
  watched_pool();
  in_a_test();
}
