#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>

#include "model/kernel_pool.hpp"

/// docs/design/ending.md: what goes while somebody else still uses it: pools,
/// handles, clocks.
namespace weir::model {
namespace {

using sync::thread;

TEST(kernel_lifetime, a_dropped_drained_task_is_cancelled_once) {
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

TEST(kernel_lifetime, a_pool_may_die_on_its_own_worker) {
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

TEST(kernel_lifetime, a_handle_may_go_while_its_task_completes) {
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

TEST(kernel_lifetime, an_unread_failure_is_reported_once) {
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

TEST(kernel_lifetime, a_clock_may_move_while_its_pool_dies) {
  expect_holds("pool: clock moves × destruction × delayed task", k_few, [] {
    manual_clock clock;
    int ran = 0;
    future<void> task;
    thread mover;
    {
      thread_pool pool(options_for({.clock = &clock}));
      task = pool.submit_after(std::chrono::milliseconds(5), [&] { ++ran; });
      mover = thread([&] { clock.advance(std::chrono::milliseconds(5)); });
    }
    task.wait();
    MODEL_CHECK(ran == (task.state() == task_state::succeeded ? 1 : 0));
    mover.join();
  });
}

}  // namespace
}  // namespace weir::model
