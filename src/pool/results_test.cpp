// Results together with pools: continuations on workers, completion queues of tasks that a pool
// drops.

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "support/conservation.hpp"
#include "support/gate.hpp"
#include "support/pool_shape.hpp"
#include "support/watchdog.hpp"
#include "weir/this_task.hpp"
#include "weir/thread_pool.hpp"

namespace {

using namespace weir;
using weir::testing::expect_conserved;
using weir::testing::gate;
using weir::testing::held_worker;
using weir::testing::opens_at_exit;
using weir::testing::sized;
using weir::testing::watchdog;

TEST(results, R24_then_runs_on_the_worker_that_ends_the_task) {
  auto pool = thread_pool::fixed(1, 4);
  held_worker first(pool);
  auto body = pool.submit([] { return std::this_thread::get_id(); });
  auto after =
      body.then([](std::thread::id worker) { return worker == std::this_thread::get_id(); });
  first.release();
  EXPECT_TRUE(after.get());
}

TEST(results, R24_then_on_a_pool_runs_there) {
  auto pool = thread_pool::fixed(1, 4);
  auto where = make_ready_future(1).then(pool, [&pool](int) { return this_task::pool() == &pool; });
  EXPECT_TRUE(where.get());
  pool.wait_idle();
  expect_conserved(pool.stats());
}

TEST(results, R24_a_closed_pool_refuses_as_a_result) {
  auto pool = thread_pool::fixed(1, 4);
  pool.close();
  auto refused = make_ready_future(1).then(pool, [](int) {});
  try {
    refused.get();
    FAIL();
  } catch (const rejected& error) {
    EXPECT_EQ(error.why(), reject_reason::closed);
  }
}

TEST(results, R24_what_a_pool_cancels_is_cancelled) {
  auto pool = thread_pool::fixed(1, 4);
  held_worker first(pool);
  auto after = make_ready_future(1).then(pool, [](int) {});
  pool.abort();
  EXPECT_EQ(after.state(), task_state::cancelled);
}

// D4: the pool knows the carrier alone; its request to stop must reach the body that it carries.
TEST(results, D4_an_abort_reaches_a_continuation_on_the_pool) {
  const watchdog limit("results.D4_an_abort_reaches_a_continuation_on_the_pool");
  auto pool = thread_pool::fixed(1, 4);
  gate entered;
  auto after = make_ready_future().then(pool, [&entered] {
    entered.open();
    while (!this_task::stop_requested()) this_task::sleep_for(std::chrono::hours(1));
  });
  entered.wait();
  pool.abort();
  after.wait();
  EXPECT_EQ(after.state(), task_state::cancelled);
  EXPECT_EQ(after.cancellation(), cancellation::returned);
}

TEST(results, D5_an_unread_failure_of_a_continuation_goes_to_the_hook_of_the_pool) {
  std::vector<std::string> told;
  auto options = sized(1, 1, 4);
  options.on_unhandled = [&told](const std::exception_ptr& error, const task_info&) {
    try {
      std::rethrow_exception(error);
    } catch (const std::exception& known) {
      told.emplace_back(known.what());
    }
  };
  thread_pool pool(std::move(options));
  {
    held_worker first(pool);
    auto body = pool.submit([] {});
    auto after = body.then([] { throw std::runtime_error("unread"); }).then([] {});
    first.release();
    after.wait();
  }
  pool.wait_idle();
  EXPECT_EQ(told, std::vector<std::string>{"unread"});
}

TEST(results, E3_a_pool_is_not_idle_before_a_whole_chain_is_over) {
  gate entered;
  gate leave;
  auto pool = thread_pool::fixed(1, 4);
  const opens_at_exit release(leave);
  held_worker first(pool);
  auto last = pool.submit([] {}).then([] {}).then([&] {
    entered.open();
    leave.wait();
  });
  first.release();
  entered.wait();
  EXPECT_FALSE(pool.wait_idle_for(std::chrono::seconds(0)));
  leave.open();
  pool.wait_idle();
  EXPECT_EQ(last.state(), task_state::succeeded);
}

TEST(results, D5_a_failure_that_a_continuation_sees_is_read) {
  int told = 0;
  auto options = sized(1, 1, 4);
  options.on_unhandled = [&told](const std::exception_ptr&, const task_info&) { ++told; };
  thread_pool pool(std::move(options));
  auto seen =
      pool.submit([]() -> int { throw std::runtime_error("seen"); }).then([](future<int> failed) {
        EXPECT_THROW(failed.get(), std::runtime_error);
      });
  seen.get();
  auto passed =
      pool.submit([]() -> int { throw std::runtime_error("passed on"); }).then([](int value) {
        return value;
      });
  EXPECT_THROW(passed.get(), std::runtime_error);
  pool.wait_idle();
  EXPECT_EQ(told, 0);
}

// A continuation that submits to its own full pool finds the place of its task.
TEST(results, R6_a_continuation_may_submit_in_the_stead_of_its_task) {
  const watchdog limit("results.R6_a_continuation_may_submit_in_the_stead_of_its_task");
  auto pool = thread_pool::fixed(1, 1);
  std::atomic<int> ran{0};
  std::function<void(int)> again = [&](int left) {
    ++ran;
    if (left > 0) {
      pool.submit([left] { return left - 1; }).then(again);
    }
  };
  pool.submit([] { return 1000; }).then(again);
  while (ran < 1001) pool.wait_idle();
  EXPECT_EQ(ran, 1001);
  expect_conserved(pool.stats());
}

TEST(results, when_all_joins_what_workers_bring) {
  auto pool = thread_pool::fixed(2, 100);
  std::vector<future<int>> parts;
  for (int at = 0; at < 100; ++at) parts.push_back(pool.submit([at] { return at; }));
  auto sum = when_all(std::move(parts)).then([](std::vector<future<int>> done) {
    int total = 0;
    for (auto& part : done) total += part.get();
    return total;
  });
  EXPECT_EQ(sum.get(), 4950);
}

// tck 206, 207
TEST(results, a_completion_queue_takes_what_a_pool_finishes) {
  const watchdog limit("results.a_completion_queue_takes_what_a_pool_finishes");
  auto pool = thread_pool::fixed(2, 1000);
  completion_queue<int> queue;
  for (int at = 0; at < 1000; ++at)
    queue.submit(
        pool, [](int value) { return value; }, at);
  int total = 0;
  int count = 0;
  while (auto done = queue.take()) {
    total += done->get();
    ++count;
  }
  EXPECT_EQ(count, 1000);
  EXPECT_EQ(total, 499500);
}

// Cancelled, drained, dropped by a policy: all of them are yielded, none is waited for in vain.
TEST(results, a_completion_queue_never_waits_in_vain) {
  const watchdog limit("results.a_completion_queue_never_waits_in_vain");
  auto options = sized(1, 1, 3);
  options.on_saturation = saturation::discard_oldest;
  thread_pool pool(std::move(options));
  completion_queue<void> queue;
  held_worker held(pool);
  for (int at = 0; at < 4; ++at) queue.submit(pool, [] {});  // one is dropped
  const auto handle = queue.submit(pool, [] {});             // another one
  handle.cancel();
  auto drained = pool.shutdown_now();
  EXPECT_EQ(drained.size(), 2U);
  drained.front()();
  drained.clear();
  held.release();
  int succeeded = 0;
  int cancelled = 0;
  while (auto done = queue.take()) {
    ++(done->state() == task_state::succeeded ? succeeded : cancelled);
  }
  EXPECT_EQ(succeeded, 1);
  EXPECT_EQ(cancelled, 4);
  EXPECT_THROW(queue.submit(pool, [] {}), rejected);
}

// B10 for what no pool will ever start: the worker runs what it is waiting for.
TEST(results, B10_a_body_may_wait_for_what_follows_a_queued_task) {
  const watchdog limit("results.B10_a_body_may_wait_for_what_follows_a_queued_task");
  auto pool = thread_pool::fixed(1, 4);
  auto outer = pool.submit([&pool] {
    auto inner = pool.submit([] { return 1; }).then([](int value) { return value + 1; });
    return inner.then([](int value) { return value + 1; }).get();
  });
  EXPECT_EQ(outer.get(), 3);
  pool.wait_idle();
  expect_conserved(pool.stats());
}

TEST(results, B10_a_body_may_wait_for_several_of_its_pool) {
  const watchdog limit("results.B10_a_body_may_wait_for_several_of_its_pool");
  auto pool = thread_pool::fixed(1, 8);
  auto outer = pool.submit([&pool] {
    auto all = when_all(pool.submit([] { return 1; }), pool.submit([] { return 2; })).get();
    auto any = when_any(pool.submit([] { return 3; }), pool.submit([] { return 4; })).get();
    return std::get<0>(all).get() + std::get<1>(all).get() + static_cast<int>(any.index);
  });
  EXPECT_EQ(outer.get(), 3);
}

// One of two is its pool's own, and the other one ends only after that.
TEST(results, B10_a_body_may_wait_for_its_pool_and_for_others_together) {
  const watchdog limit("results.B10_a_body_may_wait_for_its_pool_and_for_others_together");
  auto pool = thread_pool::fixed(1, 4);
  for (const bool first : {true, false}) {
    for (const bool followed : {true, false}) {
      promise<int> elsewhere;
      auto waits = pool.submit([&] {
        auto own = pool.submit([&elsewhere] {
          elsewhere.set_value(1);
          return 1;
        });
        auto other = elsewhere.get_future();
        if (followed) own = std::move(own).then([](int one) { return one; });
        if (followed) other = std::move(other).then([](int one) { return one; });
        if (first) std::swap(own, other);
        when_all(std::move(own), std::move(other)).wait();
      });
      waits.get();
    }
  }
}

TEST(results, B10_a_body_may_take_what_its_pool_finishes) {
  const watchdog limit("results.B10_a_body_may_take_what_its_pool_finishes");
  auto pool = thread_pool::fixed(1, 8);
  auto outer = pool.submit([&pool] {
    completion_queue<int> queue;
    for (int at = 1; at <= 4; ++at) queue.submit(pool, [at] { return at; });
    queue.add(pool.submit([] { return 5; }).then([](int value) { return value; }));
    int total = 0;
    while (auto done = queue.take()) total += done->get();
    return total;
  });
  EXPECT_EQ(outer.get(), 15);
}

TEST(results, B10_a_body_that_waits_for_what_follows_itself_is_told) {
  const watchdog limit("results.B10_a_body_that_waits_for_what_follows_itself_is_told");
  auto pool = thread_pool::fixed(1, 4);
  gate known;
  future<void> after;
  bool told = false;
  auto body = pool.submit([&] {
    known.wait();
    try {
      after.wait();
    } catch (const std::system_error& error) {
      told = error.code() == std::errc::resource_deadlock_would_occur;
    }
  });
  after = body.then([] {});
  known.open();
  pool.wait_idle();
  EXPECT_TRUE(told);
}

// A delayed task is run when it is due, not before, and not by nobody.
TEST(results, R17_a_body_may_wait_for_what_follows_a_delayed_task) {
  const watchdog limit("results.R17_a_body_may_wait_for_what_follows_a_delayed_task");
  auto pool = thread_pool::fixed(1, 4);
  auto outer = pool.submit([&pool] {
    return pool.submit_after(std::chrono::milliseconds(5), [] { return 1; })
        .then([](int value) { return value + 1; })
        .get();
  });
  EXPECT_EQ(outer.get(), 2);
}

}  // namespace
