/// Bounds beyond a number of tasks: weights, growth, limits that change, and a pause.
#include <chrono>
#include <latch>
#include <stdexcept>
#include <vector>
#include <weir/thread_pool.hpp>

#include "check.hpp"

using namespace std::chrono_literals;

namespace {

void weights() {
  std::latch gate{1};
  // [weight]
  weir::thread_pool pool({.core = 2, .max = 2, .capacity = 100, .capacity_weight = 10'000'000});
  auto resize = [&] { gate.wait(); };
  auto large = pool.submit({.name = "a.png", .weight = 9'000'000}, resize);
  auto small = pool.try_submit({.name = "b.png", .weight = 900'000}, resize);
  auto third = pool.try_submit({.name = "c.png", .weight = 200'000}, resize);
  check(small && !third, "ten megabytes in all, waiting or running");
  // [weight]
  gate.count_down();
}

void growth() {
  // [eager]
  weir::thread_pool pool({.core = 0, .max = 4, .capacity = 100, .growth = weir::growth::eager});
  std::latch all_at_once{4};
  std::vector<weir::future<void>> bodies;
  for (int i = 0; i < 4; ++i) bodies.push_back(pool.submit([&] { all_at_once.arrive_and_wait(); }));
  for (auto& body : bodies) body.get();  // with queue_first one worker would wait here for ever
  // [eager]
  check(pool.stats().workers_max == 4, "four workers were started before anything waited");
}

void changes() {
  // [change]
  weir::thread_pool pool = weir::thread_pool::fixed(2, 10);
  pool.set_sizes(4, 8);  // core and max at once
  pool.set_capacity(1);
  pool.set_saturation(weir::saturation::block);

  pool.pause();  // running bodies go on, nothing else starts
  auto waiting = pool.try_submit([] { return 1; });
  auto refused = pool.try_submit([] { return 2; });
  check(waiting && !refused, "a paused pool fills its waiting places and no more");
  pool.resume();
  check(waiting->get() == 1, "and then goes on in order");
  // [change]
}

}  // namespace

int main() {
  weights();
  growth();
  changes();
}
