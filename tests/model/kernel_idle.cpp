#include <gtest/gtest.h>

#include <functional>

#include "model/kernel_pool.hpp"

/// docs/design/idle-workers.md: whoever sleeps is woken, and nobody leaves work behind.
namespace weir::model {
namespace {

using std::chrono::milliseconds;
using sync::thread;

TEST(kernel_idle, two_workers_wake_for_two_producers) {
  expect_holds("pool: 2 workers × 2 producers", k_many, [] {
    thread_pool pool(options_for({.core = 2, .max = 2, .capacity = 3}));
    int ran[2] = {};
    auto before = pool.submit([&] { ++ran[0]; });
    thread producer([&] { pool.submit([&] { ++ran[1]; }).get(); });
    before.get();
    producer.join();
    MODEL_CHECK(ran[0] == 1 && ran[1] == 1);
  });
}

// The second task is taken by the other worker: the first one's body waits for it.
TEST(kernel_idle, no_worker_sleeps_while_a_task_is_due) {
  expect_holds("pool: a task that waits for the next one", k_many, [] {
    thread_pool pool(options_for({.core = 2, .max = 2, .capacity = 3}));
    pool.submit([] {}).get();
    pool.submit([] {}).get();
    sync::event released;
    auto first = pool.submit([&] { released.wait(); });
    auto second = pool.submit([&] { released.set(); });
    first.get();
    second.get();
  });
}

// However tasks are claimed, one that waits behind a blocked body is started by a worker that is
// free.
TEST(kernel_idle, a_burst_is_shared) {
  expect_holds("pool: burst of 3, the first waits for the last", k_many, [] {
    thread_pool pool(options_for({.core = 2, .max = 2, .capacity = 3}));
    sync::event released;
    int ran = 0;
    const std::function<void()> bodies[] = {[&] { released.wait(); }, [&] { ++ran; },
                                            [&] { released.set(); }};
    auto tasks = pool.submit_all(bodies);
    for (auto& task : tasks) task.get();
    MODEL_CHECK(ran == 1);
    check_conservation(pool);
  });
}

TEST(kernel_idle, a_worker_leaves_no_task_behind) {
  expect_holds("pool: keep-alive × submit", k_few, [] {
    thread_pool pool(
        options_for({.core = 0, .max = 1, .capacity = 1, .keep_alive = milliseconds(1)}));
    int ran = 0;
    pool.submit([&] { ++ran; }).get();
    pool.submit([&] { ++ran; }).get();
    MODEL_CHECK(ran == 2);
  });
}

TEST(kernel_idle, rest_is_told_to_whoever_waits) {
  expect_holds("pool: wait_idle × task × execute", k_few, [] {
    thread_pool pool(options_for({.capacity = 2}));
    int ran = 0;
    pool.execute([&] { ++ran; });
    thread waiter([&] {
      pool.wait_idle();
      MODEL_CHECK(ran == 1);
    });
    pool.wait_idle();
    MODEL_CHECK(ran == 1);
    waiter.join();
    check_conservation(pool);
  });
}

TEST(kernel_idle, a_leader_hands_over_to_an_earlier_task) {
  expect_holds("pool: delayed leader × earlier task × cancel", k_many, [] {
    manual_clock clock;
    thread_pool pool(options_for({.core = 2, .max = 2, .capacity = 4, .clock = &clock}));
    int ran[2] = {};
    auto late = pool.submit_after(milliseconds(10), [&] { ++ran[0]; });
    thread canceller([handle = late.ref()] { (void)handle.cancel(); });
    auto early = pool.submit_after(milliseconds(5), [&] { ++ran[1]; });
    clock.advance(milliseconds(5));
    early.get();
    MODEL_CHECK(ran[1] == 1 && ran[0] == 0);
    canceller.join();
    MODEL_CHECK(late.state() == task_state::cancelled);
  });
}

TEST(kernel_idle, a_lone_leader_hears_of_an_earlier_task) {
  expect_holds("pool: lone leader × earlier task", k_few, [] {
    manual_clock clock;
    thread_pool pool(options_for({.capacity = 3, .clock = &clock}));
    int ran = 0;
    auto late = pool.submit_after(milliseconds(10), [&] { MODEL_CHECK(ran++ == 1); });
    auto early = pool.submit_after(milliseconds(5), [&] { MODEL_CHECK(ran++ == 0); });
    clock.advance(milliseconds(5));
    early.get();
    clock.advance(milliseconds(5));
    late.get();
    MODEL_CHECK(ran == 2);
  });
}

TEST(kernel_idle, a_clock_that_moves_wakes_who_lies_down) {
  expect_holds("pool: manual clock × worker about to sleep", k_few, [] {
    manual_clock clock;
    thread_pool pool(options_for({.capacity = 2, .clock = &clock}));
    int ran = 0;
    auto task = pool.submit_after(milliseconds(5), [&] { ++ran; });
    thread mover([&] { clock.advance(milliseconds(3)); });
    clock.advance(milliseconds(2));
    task.get();
    mover.join();
    MODEL_CHECK(ran == 1);
  });
}

TEST(kernel_idle, who_sees_the_time_sees_what_came_before) {
  expect_holds("manual clock: advance × advance × now", {.bound = 4, .views_bound = 3}, [] {
    manual_clock time;
    int told[2] = {};
    const auto move = [&](int who) {
      told[who] = 1;
      time.advance(milliseconds(1));
    };
    thread first([&] { move(0); });
    thread second([&] { move(1); });
    if (time.now() >= clock::time_point{} + milliseconds(2)) {
      MODEL_CHECK(told[0] == 1 && told[1] == 1);
    }
    first.join();
    second.join();
    MODEL_CHECK(time.now() == clock::time_point{} + milliseconds(2));
  });
}

TEST(kernel_idle, a_deadline_in_real_time_starts_its_task) {
  expect_holds("pool: delayed task × immediate task, real time", k_few, [] {
    thread_pool pool(options_for({.capacity = 2}));
    int ran = 0;
    auto late = pool.submit_after(milliseconds(5), [&] { ++ran; });
    auto now = pool.submit([&] { ++ran; });
    now.get();
    late.get();
    MODEL_CHECK(ran == 2);
  });
}

// Above core, the leader for the delayed task leaves at the end of its keep-alive.
TEST(kernel_idle, a_leader_that_leaves_is_followed) {
  expect_holds("pool: leader's keep-alive × delayed task", k_many, [] {
    manual_clock clock;
    thread_pool pool(options_for(
        {.core = 0, .max = 2, .capacity = 1, .clock = &clock, .keep_alive = milliseconds(10)}));
    sync::event released;
    auto first = pool.submit([&] { released.wait(); });
    auto late = pool.submit_after(milliseconds(15), [] {});
    auto second = pool.submit([&] { released.set(); });
    first.get();
    second.get();
    clock.advance(milliseconds(10));
    clock.advance(milliseconds(5));
    late.get();
  });
}

}  // namespace
}  // namespace weir::model
