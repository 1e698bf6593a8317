/// The library in twenty lines: run, refuse, delay, cancel, end.
#include <chrono>
#include <iostream>
#include <string>
#include <weir/thread_pool.hpp>

#include "check.hpp"

using namespace std::chrono_literals;

namespace {

std::string send(const std::string& text) { return "sent " + text; }

}  // namespace

int main() {
  // [first_steps]
  weir::thread_pool pool = weir::thread_pool::fixed(2, 8);  // 2 run, 8 wait, never one more

  weir::future<int> sum = pool.submit([](int a, int b) { return a + b; }, 40, 2);
  std::cout << "the sum is " << sum.get() << '\n';  // rethrows what the body throws

  if (auto sent = pool.try_submit(send, "hello")) {
    std::cout << sent->get() << '\n';
  } else {
    std::cout << "try again later: " << weir::to_string(sent.why()) << '\n';
  }

  weir::future<void> reminder = pool.submit_after(1h, [] { std::cout << "an hour is over\n"; });
  if (reminder.cancel() == weir::cancel_result::cancelled) {
    std::cout << "the reminder will never run\n";  // and its waiting place is free again
  }

  pool.close();  // nothing more gets in; what was accepted still runs
  pool.join();
  // [first_steps]

  const weir::pool_stats stats = pool.stats();
  check(stats.accepted == 3, "three tasks were accepted");
  check(stats.succeeded == 2 && stats.cancelled == 1, "two succeeded and one was cancelled");
}
