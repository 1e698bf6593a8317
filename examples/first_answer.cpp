/// Many at once: submit a range in one step, wait for all of it, or take the first that succeeds.
#include <functional>
#include <latch>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>
#include <weir/this_task.hpp>
#include <weir/thread_pool.hpp>

#include "check.hpp"

using namespace std::chrono_literals;

int main() {
  weir::thread_pool pool = weir::thread_pool::fixed(3, 3);

  // [all]
  std::vector<std::function<int()>> squares;
  for (int i = 1; i <= 6; ++i) squares.push_back([i] { return i * i; });

  int sum = 0;
  for (auto& square : pool.invoke_all(squares)) sum += square.get();  // in the order of the range
  check(sum == 91, "six squares were summed");
  // [all]

  // [too_many]
  squares.push_back([] { return 49; });
  try {
    pool.submit_all(squares);
    check(false, "seven tasks do not fit into three workers and three places");
  } catch (const weir::rejected&) {
    check(pool.stats().accepted == 6, "all are accepted or none");
  }
  // [too_many]

  // [any]
  std::vector<std::function<std::string()>> mirrors{
      []() -> std::string { throw std::runtime_error("this mirror is down"); },
      []() -> std::string { return "the page"; },
      []() -> std::string {
        while (weir::this_task::sleep_for(1h)) {  // slow, and asked to stop when another has won
        }
        return "too late";
      },
  };
  check(pool.invoke_any(mirrors) == "the page", "the first success wins");
  // [any]
  pool.wait_idle();
  const weir::pool_stats stats = pool.stats();
  check(stats.failed + stats.cancelled == 2, "the others failed or were cancelled");
}
