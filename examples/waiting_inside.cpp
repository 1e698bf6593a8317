/// Tasks that wait for tasks of their own pool: what runs in place, what is reported, and how a
/// body says that it blocks.
#include <functional>
#include <iostream>
#include <latch>
#include <system_error>
#include <weir/this_task.hpp>
#include <weir/thread_pool.hpp>

#include "check.hpp"

namespace {

// [nested]
int leaves(weir::thread_pool& pool, int depth) {
  if (depth == 0) return 1;
  weir::future<int> left = pool.submit(leaves, std::ref(pool), depth - 1);
  const int right = leaves(pool, depth - 1);
  return left.get() + right;  // still queued? Then it runs here, in place
}

int count_leaves() {
  weir::thread_pool pool = weir::thread_pool::fixed(1, 64);  // one worker is enough
  return pool.submit(leaves, std::ref(pool), 5).get();
}
// [nested]

void circle() {
  // [circle]
  weir::thread_pool pool = weir::thread_pool::fixed(2, 2);
  std::latch known{1};
  weir::task_ref left, right;
  auto waits_for = [&known](weir::task_ref& other) {
    known.wait();
    other.wait();
  };
  weir::future<void> one = pool.submit({.name = "left"}, waits_for, std::ref(right));
  weir::future<void> two = pool.submit({.name = "right"}, waits_for, std::ref(left));
  left = one.ref();
  right = two.ref();
  known.count_down();
  int circles = 0;
  for (auto* each : {&one, &two}) {
    try {
      each->get();
    } catch (const std::system_error& error) {
      ++circles;
      std::cout << error.what() << '\n';  // names both tasks
    }
  }
  check(circles == 1, "one wait threw, so the other one came to its end");
  // [circle]
}

void blocking() {
  // [blocking]
  weir::thread_pool pool({.core = 1, .max = 2, .capacity = 8});
  std::latch answered{1};
  weir::future<void> asks = pool.submit([&] {
    const weir::this_task::blocking scope;  // from here to the brace another worker may take over
    answered.wait();
  });
  weir::future<void> answers = pool.submit([&] { answered.count_down(); });
  asks.get();
  check(pool.stats().workers_max == 2, "a second worker came while the first one was blocked");
  // [blocking]
  answers.wait();
}

}  // namespace

int main() {
  check(count_leaves() == 32, "one worker has run 32 leaves");
  circle();
  blocking();
}
