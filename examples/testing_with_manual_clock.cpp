/// How a program that waits is tested without waiting: it takes its pool from outside, the test
/// gives it one on a manual clock.
#include <chrono>
#include <functional>
#include <utility>
#include <vector>
#include <weir/thread_pool.hpp>

#include "check.hpp"

using namespace std::chrono_literals;

namespace {

// [retrier]
/// Calls `attempt` until it succeeds, with pauses of 1 s, 2 s, 4 s, …, at most five times in all.
/// Outlives its tasks.
class retrier {
 public:
  retrier(weir::thread_pool& pool, std::function<bool()> attempt)
      : pool_(pool), attempt_(std::move(attempt)) {}

  void start() {
    pool_.execute([this] { run(5, 1s); });
  }

 private:
  void run(int left, std::chrono::seconds pause) {
    if (attempt_() || left == 1) return;
    pool_.submit_after(pause, [this, left, pause] { run(left - 1, 2 * pause); });
  }

  weir::thread_pool& pool_;
  std::function<bool()> attempt_;
};
// [retrier]

// [settle]
/// Returns when everything that was due has run. One worker starts tasks in the order in which they
/// are due, so this one comes last.
void settle(weir::thread_pool& pool) {
  pool.submit([] {}).wait();
}
// [settle]

std::vector<std::chrono::seconds> attempts_until(int success) {
  // [test]
  weir::manual_clock clock;
  weir::thread_pool pool({.core = 1, .max = 1, .capacity = 2, .clock = &clock});
  std::vector<std::chrono::seconds> times;
  retrier uploads(pool, [&] {
    times.push_back(duration_cast<std::chrono::seconds>(clock.now().time_since_epoch()));
    return times.size() == static_cast<std::size_t>(success);
  });

  uploads.start();
  settle(pool);
  while (clock.advance_to_next_due()) settle(pool);
  // [test]
  return times;
}

}  // namespace

int main() {
  check(attempts_until(1) == std::vector{0s}, "a success needs no second attempt");
  check(attempts_until(3) == std::vector{0s, 1s, 3s}, "the pauses are one and two seconds");
  check(attempts_until(9) == std::vector{0s, 1s, 3s, 7s, 15s}, "five failures are enough");
}
