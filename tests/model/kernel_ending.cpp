#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <stop_token>

#include "model/kernel_pool.hpp"

/// docs/design/ending.md: cancel, drain, destroy, while workers work.
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

TEST(kernel_ending, a_dropped_drained_task_is_cancelled_once) {
  expect_holds("pool: drained task dropped × cancel", k_few, [] {
    int ran = 0;
    future<void> task;
    thread canceller;
    {
      thread_pool pool(options_for({}));
      task = pool.submit([&] { ++ran; });
      canceller = thread([handle = task.ref()] { (void)handle.cancel(); });
      pool.shutdown_now().clear();
    }
    task.wait();
    MODEL_CHECK(ran == (task.state() == task_state::succeeded ? 1 : ran));
    canceller.join();
  });
}

TEST(kernel_ending, a_pool_may_die_on_its_own_worker) {
  expect_holds("pool: destruction on its own worker", k_few, [] {
    auto owner = std::make_unique<thread_pool>(options_for({.capacity = 2}));
    thread_pool& pool = *owner;
    int ran = 0;
    auto after = future<void>();
    sync::event go;
    auto task = pool.submit([&, held = std::move(owner)]() mutable {
      go.wait();
      held.reset();
    });
    after = pool.submit([&] { ++ran; });
    go.set();
    task.get();
    after.get();
    MODEL_CHECK(ran == 1);
  });
}

TEST(kernel_ending, a_handle_may_go_while_its_task_completes) {
  expect_holds("pool: handle dropped × complete", k_few, [] {
    thread_pool pool(options_for({}));
    auto value = std::make_shared<int>(0);
    {
      auto task = pool.submit([value] { return value; });
      auto copy = task.ref();
    }
    pool.wait_idle();
    pool.close();
    pool.join();
  });
}

TEST(kernel_ending, an_unread_failure_is_reported_once) {
  expect_holds("pool: failure unread × handle dropped × destruction", k_few, [] {
    sync::atomic<int> reports{0};
    thread dropper;
    {
      auto options = options_for({});
      options.on_unhandled = [&](const std::exception_ptr&, const task_info&) {
        reports.fetch_add(1);
      };
      thread_pool pool(std::move(options));
      auto task = pool.submit([] { throw std::runtime_error("nobody reads this"); });
      dropper = thread([gone = std::move(task)]() mutable { gone = future<void>(); });
      dropper.join();
      pool.wait_idle();
    }
    MODEL_CHECK(reports.load() == 1);
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

}  // namespace
}  // namespace weir::model
