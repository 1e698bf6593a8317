#include <gtest/gtest.h>

#include <functional>
#include <system_error>
#include <vector>

#include "model/kernel_pool.hpp"

/// docs/design/nested-waits.md: bodies that wait for their own pool, and a pool that is paused.
namespace weir::model {
namespace {

using sync::thread;

bool reports_deadlock(const future<void>& target) {
  try {
    target.wait();
    return false;
  } catch (const std::system_error&) {
    return true;
  }
}

TEST(kernel_inside, a_body_runs_what_it_waits_for_or_another_worker_does) {
  expect_holds("inside: wait × claim", k_many, [] {
    thread_pool pool(options_for({.core = 2, .max = 2, .capacity = 4}));
    sync::atomic<int> ran{0};
    auto outer = pool.submit([&] {
      auto inner = pool.submit([&ran] { ran.fetch_add(1, sync::relaxed); });
      inner.wait();
      MODEL_CHECK(ran.load() == 1);
    });
    outer.get();
    check_end(pool);
  });
}

TEST(kernel_inside, a_child_is_run_in_place_or_cancelled) {
  expect_holds("inside: wait × cancel", k_few, [] {
    thread_pool pool(options_for({.capacity = 4}));
    sync::atomic<int> ran{0};
    future<void> inner;
    sync::event known;
    auto outer = pool.submit([&] {
      inner = pool.submit([&ran] { ran.fetch_add(1, sync::relaxed); });
      known.set();
      inner.wait();
    });
    known.wait();
    const bool cancelled = inner.ref().cancel() == cancel_result::cancelled;
    outer.get();
    MODEL_CHECK(ran.load() == (cancelled ? 0 : 1));
    check_end(pool);
  });
}

TEST(kernel_inside, what_was_claimed_ahead_is_run_in_place_too) {
  expect_holds("inside: wait × ring × thief", k_many, [] {
    thread_pool pool(options_for({.core = 2, .max = 2, .capacity = 4}));
    sync::atomic<int> ran{0};
    std::vector<future<void>> tasks;
    sync::event known;
    std::vector<std::function<void()>> bodies(3, [&ran] { ran.fetch_add(1, sync::relaxed); });
    bodies[0] = [&] {
      known.wait();
      tasks[2].wait();
    };
    tasks = pool.submit_all(bodies);
    known.set();
    for (auto& task : tasks) task.wait();
    MODEL_CHECK(ran.load() == 2);
    check_end(pool);
  });
}

TEST(kernel_inside, of_a_circle_exactly_one_is_told) {
  expect_holds("inside: wait × wait", k_many, [] {
    thread_pool pool(options_for({.core = 2, .max = 2, .capacity = 4}));
    sync::atomic<int> told{0};
    future<void> left;
    future<void> right;
    sync::event known;
    left = pool.submit([&] {
      known.wait();
      if (reports_deadlock(right)) told.fetch_add(1, sync::relaxed);
    });
    right = pool.submit([&] {
      known.wait();
      if (reports_deadlock(left)) told.fetch_add(1, sync::relaxed);
    });
    known.set();
    left.wait();
    right.wait();
    MODEL_CHECK(told.load() == 1);
    check_end(pool);
  });
}

TEST(kernel_inside, a_resumed_pool_wakes_the_wait) {
  expect_holds("inside: wait × pause × resume", k_few, [] {
    thread_pool pool(options_for({.capacity = 4}));
    sync::event started;
    auto outer = pool.submit([&] {
      started.set();
      pool.submit([] {}).wait();
    });
    started.wait();
    pool.pause();
    pool.resume();
    outer.get();
    check_end(pool);
  });
}

TEST(kernel_inside, a_moved_clock_wakes_the_wait_for_a_delayed_task) {
  expect_holds("inside: wait × clock", k_few, [] {
    manual_clock time;
    thread_pool pool(options_for({.capacity = 4, .clock = &time}));
    sync::event known;
    auto outer = pool.submit([&] {
      auto later = pool.submit_after(std::chrono::hours(1), [] {});
      known.set();
      later.wait();
    });
    known.wait();
    time.advance(std::chrono::hours(1));
    outer.get();
    check_end(pool);
  });
}

TEST(kernel_inside, a_paused_pool_starts_nothing_that_was_claimed) {
  expect_holds("pause: start × pause × resume", k_few, [] {
    thread_pool pool(options_for({.capacity = 4}));
    sync::atomic<int> started{0};
    auto tasks = pool.submit_all(
        std::vector<std::function<void()>>(3, [&] { started.fetch_add(1, sync::relaxed); }));
    pool.pause();
    const pool_stats now = pool.stats();
    MODEL_CHECK(now.queued + now.running + now.succeeded == 3);
    const pool_stats later = pool.stats();
    MODEL_CHECK(later.queued == now.queued);
    pool.resume();
    for (auto& task : tasks) task.wait();
    MODEL_CHECK(started.load() == 3);
    check_end(pool);
  });
}

}  // namespace
}  // namespace weir::model
