#include <gtest/gtest.h>

#include <stop_token>

#include "model/kernel_pool.hpp"

/// docs/design/ending.md: cancel, drain, abort and join, while workers work.
namespace weir::model {
namespace {

using sync::thread;

TEST(kernel_ending, cancel_tells_the_truth) {
  expect_holds("pool: cancel × claim × complete", k_few, [] {
    thread_pool pool(options_for({}));
    int ran = 0;
    auto task = pool.submit([&] { ++ran; });
    cancel_result told{};
    thread canceller([&, handle = task.ref()] {
      told = handle.cancel();
      if (told == cancel_result::cancelled) {
        MODEL_CHECK(handle.state() == task_state::cancelled);
      }
    });
    task.wait();
    canceller.join();
    const task_state end = task.state();
    MODEL_CHECK((told == cancel_result::too_late) == (end == task_state::succeeded));
    if (told == cancel_result::cancelled) MODEL_CHECK(ran == 0);
    if (told != cancel_result::cancelled) MODEL_CHECK(ran == 1);
  });
}

// Behind another task, whose worker may have laid hands on this one already.
TEST(kernel_ending, a_task_in_a_queue_is_cancelled) {
  expect_holds("pool: cancel × claim of several", k_few, [] {
    thread_pool pool(options_for({.capacity = 3}));
    int ran[3] = {};
    future<void> tasks[3];
    for (int at = 0; at < 3; ++at) tasks[at] = pool.submit([&ran, at] { ++ran[at]; });
    const cancel_result told = tasks[2].cancel(if_queued);
    for (auto& task : tasks) task.wait();
    MODEL_CHECK(ran[0] == 1 && ran[1] == 1);
    MODEL_CHECK(ran[2] == (told == cancel_result::cancelled ? 0 : 1));
    pool.wait_idle();
    check_conservation(pool);
  });
}

TEST(kernel_ending, a_stop_request_reaches_one_body_alone) {
  expect_holds("pool: abort × stop token of a running body", k_few, [] {
    thread_pool pool(options_for({}));
    auto task = pool.submit([](std::stop_token stop) { return stop.stop_requested(); });
    const std::size_t dropped = pool.abort();
    task.wait();
    MODEL_CHECK(task.state() != task_state::failed);
    if (dropped == 1) MODEL_CHECK(task.cancellation() == cancellation::never_started);
    pool.join();
    check_conservation(pool);
  });
}

TEST(kernel_ending, a_task_is_drained_or_started) {
  expect_holds("pool: shutdown_now × start", k_few, [] {
    thread_pool pool(options_for({}));
    int ran = 0;
    auto task = pool.submit([&] { return ++ran; });
    bool drained = false;
    for (auto& one : pool.shutdown_now()) {
      drained = true;
      one();
    }
    task.wait();
    MODEL_CHECK(ran == 1);
    MODEL_CHECK(task.state() == task_state::succeeded || !drained);
    pool.join();
    check_conservation(pool);
  });
}

TEST(kernel_ending, two_waiters_hear_of_the_end) {
  expect_holds("pool: join × join × abort", k_few, [] {
    thread_pool pool(options_for({}));
    sync::event gate;
    auto task = pool.submit([&] { gate.wait(); });
    thread waiter([&] { pool.join(); });
    (void)pool.abort();
    gate.set();
    pool.join();
    waiter.join();
    MODEL_CHECK(pool.terminated() && is_terminal(task.state()));
  });
}

TEST(kernel_ending, a_body_on_its_caller_is_awaited) {
  expect_holds("pool: caller_runs × abort × join", k_few, [] {
    thread_pool pool(options_for({.policy = saturation::caller_runs}));
    sync::event gate;
    int ran = 0;
    pool.execute([&] { gate.wait(); });
    auto queued = pool.submit([] {});
    thread caller([&] {
      try {
        pool.execute([&] {
          ++ran;
          gate.set();
        });
      } catch (const rejected& refused) {
        MODEL_CHECK(refused.why() == reject_reason::closed);
        gate.set();
      }
    });
    (void)pool.abort();
    pool.join();
    MODEL_CHECK(is_terminal(queued.state()));
    const int seen = ran;
    caller.join();
    MODEL_CHECK(seen == ran);
    check_conservation(pool);
  });
}

}  // namespace
}  // namespace weir::model
