// R26 and E7: what the child of a fork finds of its parent's pools.

#include <gtest/gtest.h>
#include <pthread.h>

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

#include "support/child.hpp"
#include "support/conservation.hpp"
#include "support/eventually.hpp"
#include "support/gate.hpp"
#include "support/lost_stack.hpp"
#include "support/thread_switches.hpp"
#include "support/watchdog.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;
using testing::eventually;
using testing::held_worker;
using testing::in_child;

#define EXPECT_LOST(call)                                     \
  try {                                                       \
    call;                                                     \
    ADD_FAILURE() << #call " did not throw";                  \
  } catch (const std::system_error& thrown) {                 \
    EXPECT_EQ(thrown.code(), std::errc::owner_dead) << #call; \
  }

/// A pool with one body held, one task queued, one delayed, one finished and one failed.
struct scene {
  std::shared_ptr<int> capture = std::make_shared<int>(7);
  std::atomic<int> ran{0};
  std::atomic<bool> hold{false};
  testing::gate inside;
  testing::gate go;
  std::optional<thread_pool> pool;
  future<int> finished;
  future<int> failed;
  std::optional<held_worker> busy;
  future<int> queued;
  future<int> delayed;

  explicit scene(saturation policy = saturation::reject) {
    pool_options options{.core = 1, .max = 1, .capacity = 2};
    options.on_saturation = policy;
    options.on_unhandled = [](const std::exception_ptr&, const task_info&) {};
    pool.emplace(options);
    finished = pool->submit([] { return 1; });
    failed = pool->submit([]() -> int { throw std::runtime_error("failed"); });
    finished.wait();
    failed.wait();
    busy.emplace(*pool);
    const auto body = [this, held = capture] {
      ++ran;
      inside.open();
      if (hold) go.wait();
      return *held;
    };
    queued = pool->submit(body);
    delayed = pool->submit_after(1h, body);
  }
};

TEST(forking, R26_every_submission_is_refused_and_its_callable_intact) {
  WEIR_NO_FORK_HERE;
  for (const auto policy : {saturation::reject, saturation::caller_runs, saturation::discard,
                            saturation::discard_oldest, saturation::block}) {
    scene here(policy);
    in_child([&] {
      thread_pool& pool = *here.pool;
      EXPECT_TRUE(pool.closed());
      auto kept = [mine = std::make_unique<int>(3)] { return *mine; };
      const auto refused = [&](auto submit) {
        try {
          submit();
          ADD_FAILURE() << "accepted";
        } catch (const rejected& thrown) {
          EXPECT_EQ(thrown.why(), reject_reason::forked) << thrown.what();
        }
        EXPECT_EQ(kept(), 3);
      };
      refused([&] { pool.submit(std::move(kept)); });
      refused([&] { pool.submit({.name = "named"}, std::move(kept)); });
      refused([&] { pool.execute(std::move(kept)); });
      refused([&] { pool.submit_after(0s, std::move(kept)); });
      refused([&] { pool.submit_after(1h, std::move(kept)); });
      const auto due = steady_clock::instance().now() + 1h;
      refused([&] { pool.submit_at(due, std::move(kept)); });
      std::vector<std::function<int()>> range(3, [] { return 1; });
      refused([&] { (void)pool.submit_all(range); });
      refused([&] { (void)pool.invoke_all(range); });
      refused([&] { (void)pool.invoke_any(range); });
      EXPECT_EQ(pool.try_submit(std::move(kept)).why(), reject_reason::forked);
      EXPECT_EQ(pool.try_submit_after(1h, std::move(kept)).why(), reject_reason::forked);
      EXPECT_EQ(pool.try_submit_for(1h, std::move(kept)).why(), reject_reason::forked);
      EXPECT_EQ(pool.try_submit_until(clock::time_point::max(), std::move(kept)).why(),
                reject_reason::forked);
      EXPECT_EQ(kept(), 3);
      EXPECT_EQ(pool.stats().caller_ran, 0u);
    });
  }
}

TEST(forking, R26_waits_on_unfinished_tasks_throw_and_finished_ones_give_their_result) {
  WEIR_NO_FORK_HERE;
  scene here;
  in_child([&] {
    for (const auto* lost : {&here.queued, &here.delayed}) {
      EXPECT_LOST(lost->wait());
      EXPECT_LOST(lost->wait_for(0s));
      EXPECT_LOST(lost->wait_until(clock::time_point::max()));
      EXPECT_EQ(lost->state(), task_state::queued);
    }
    EXPECT_LOST(here.busy->done().wait());
    EXPECT_EQ(here.busy->done().state(), task_state::running);
    EXPECT_LOST(here.queued.get());
    EXPECT_LOST(here.queued.get_for(1h));
    EXPECT_TRUE(here.queued.valid()) << "nothing is consumed";
    EXPECT_EQ(here.finished.get(), 1);
    EXPECT_THROW(here.failed.get(), std::runtime_error);
  });
  here.busy.reset();
  EXPECT_EQ(here.queued.get(), 7) << "the parent has noticed nothing";
}

TEST(forking, R26_join_wait_idle_and_the_destructor_return_at_once) {
  WEIR_NO_FORK_HERE;
  scene here;
  in_child([&] {
    thread_pool& pool = *here.pool;
    pool.join();
    pool.wait_idle();
    pool.close();
    EXPECT_FALSE(pool.join_for(1h)) << "unfinished work remains";
    EXPECT_FALSE(pool.wait_idle_for(1h));
    EXPECT_FALSE(pool.terminated());
    EXPECT_EQ(pool.size(), 0u);
    const auto now = pool.stats();
    testing::expect_accounted(now);
    EXPECT_EQ(now.running, 1u);
    EXPECT_EQ(now.queued, 1u);
    EXPECT_EQ(now.delayed, 1u);
    here.pool.reset();
    EXPECT_EQ(here.capture.use_count(), 3) << "no capture is destroyed unasked";
    EXPECT_LOST(here.queued.wait());
    EXPECT_EQ(here.finished.get(), 1) << "handles outlive the pool";
    EXPECT_EQ(here.queued.cancel(), cancel_result::cancelled);
  });
  in_child([&] {
    EXPECT_FALSE(here.pool->shutdown(1h));
    EXPECT_EQ(here.queued.state(), task_state::cancelled);
  });
}

TEST(forking, R26_what_has_ended_before_has_ended_in_the_child) {
  WEIR_NO_FORK_HERE;
  const pid_t parent = ::getpid();
  pool_options options{.core = 2, .max = 2, .capacity = 4};
  options.on_terminated = [parent] { EXPECT_EQ(::getpid(), parent) << "no hook of a husk's"; };
  thread_pool pool(options);
  thread_pool unused = thread_pool::fixed(2, 4);
  pool.submit([] {}).get();
  pool.wait_idle();
  in_child([&] {
    EXPECT_TRUE(pool.terminated());
    EXPECT_TRUE(pool.join_for(0s));
    EXPECT_TRUE(unused.wait_idle_for(0s));
    testing::expect_conserved(pool.stats());
  });
  EXPECT_FALSE(pool.closed());
  EXPECT_EQ(pool.submit([] { return 5; }).get(), 5);
}

TEST(forking, R26_a_queued_task_can_be_cancelled_and_a_running_one_cannot) {
  WEIR_NO_FORK_HERE;
  scene here;
  in_child([&] {
    EXPECT_EQ(here.queued.cancel(), cancel_result::cancelled);
    EXPECT_EQ(here.capture.use_count(), 2) << "its captures are gone";
    EXPECT_THROW(here.queued.get(), task_cancelled);
    EXPECT_EQ(here.busy->done().cancel(), cancel_result::too_late);
    EXPECT_EQ(here.finished.cancel(), cancel_result::too_late);
    EXPECT_EQ(here.pool->cancel_pending(), 1u);
    EXPECT_EQ(here.delayed.state(), task_state::cancelled);
    testing::expect_accounted(here.pool->stats());
  });
  in_child([&] {
    EXPECT_EQ(here.pool->abort(), 2u);
    EXPECT_EQ(here.busy->done().state(), task_state::running) << "nobody hears the request";
    testing::expect_accounted(here.pool->stats());
  });
  EXPECT_FALSE(here.pool->stop_token().stop_requested());
}

TEST(forking, R26_a_series_that_waits_can_be_cancelled_and_one_that_runs_is_lost) {
  WEIR_NO_FORK_HERE;
  pool_options options{.core = 1, .max = 1, .capacity = 4};
  thread_pool pool(options);
  testing::gate inside;
  testing::gate go;
  const series waits = pool.submit_every(1h, [] {});
  const series runs = pool.submit_every(
      1h,
      [&] {
        inside.open();
        go.wait();
      },
      {.first = 0s});
  inside.wait();
  in_child([&] {
    EXPECT_THROW((void)pool.submit_every(1h, [] {}), rejected);
    EXPECT_LOST(waits.wait());
    EXPECT_LOST(runs.wait());
    EXPECT_FALSE(waits.reschedule(1s));
    EXPECT_EQ(waits.cancel(), cancel_result::cancelled);
    EXPECT_EQ(waits.state(), series_state::cancelled);
    waits.wait();
    EXPECT_EQ(runs.cancel(), cancel_result::too_late);
    testing::expect_accounted(pool.stats());
  });
  EXPECT_EQ(waits.state(), series_state::waiting);
  go.open();
  EXPECT_TRUE(eventually([&] { return runs.state() == series_state::waiting; }));
}

TEST(forking, R26_drained_tasks_may_be_run_in_the_child) {
  WEIR_NO_FORK_HERE;
  scene here;
  in_child([&] {
    auto drained = here.pool->shutdown_now();
    ASSERT_EQ(drained.size(), 2u);
    drained[0]();
    EXPECT_EQ(here.queued.get(), 7);
    thread_pool own = thread_pool::fixed(1, 1);
    EXPECT_FALSE(here.delayed.wait_for(0s)) << "somebody here may still run it";
    here.hold = true;
    own.execute(std::move(drained[1]));
    EXPECT_TRUE(eventually([&] { return here.ran == 2; }));
    EXPECT_FALSE(here.delayed.wait_for(0s)) << "somebody here runs it";
    EXPECT_EQ(here.delayed.cancel(), cancel_result::requested);
    here.go.open();
    EXPECT_THROW(here.delayed.get(), task_cancelled);
    EXPECT_EQ(here.ran, 2);
    testing::expect_accounted(here.pool->stats());
  });
}

TEST(forking, R26_a_body_may_wait_for_its_own_pool_at_the_fork) {
  WEIR_NO_FORK_HERE;
  const testing::watchdog dog("a nested wait at a fork");
  thread_pool pool = thread_pool::fixed(2, 8);
  held_worker busy(pool);
  auto waits = pool.submit([&] { return busy.done().wait_for(1h); });
  ASSERT_TRUE(eventually([&] { return waits.state() == task_state::running; }));
  in_child([&] {
    EXPECT_LOST(waits.wait());
    pool.set_sizes(1, 3);
    pool.pause();
    pool.resume();
    EXPECT_FALSE(pool.prestart_one());
    EXPECT_EQ(pool.abort(), 0u);
  });
  busy.release();
  EXPECT_TRUE(waits.get());
}

// A drained task runs on whoever calls it. In the child only those run that were started there.
TEST(forking, R26_a_drained_body_that_runs_in_the_parent_is_lost_in_the_child) {
  WEIR_NO_FORK_HERE;
  thread_pool pool = thread_pool::fixed(1, 2);
  held_worker busy(pool);
  testing::gate inside;
  testing::gate go;
  auto waits = pool.submit([&] {
    inside.open();
    go.wait();
  });
  auto drained = pool.shutdown_now();
  std::thread elsewhere([&] { drained.at(0)(); });
  inside.wait();
  in_child([&] {
    EXPECT_LOST(waits.wait());
    EXPECT_EQ(waits.cancel(), cancel_result::too_late);
  });
  go.open();
  elsewhere.join();
  waits.get();
}

TEST(forking, R26_new_pools_work_in_the_child_and_in_its_child) {
  WEIR_NO_FORK_HERE;
  scene here;
  in_child([&] {
    thread_pool own = thread_pool::fixed(2, 16);
    EXPECT_EQ(own.submit([] { return 3; }).get(), 3);
    EXPECT_EQ(own.submit_after(1ms, [] { return 4; }).get(), 4);
    held_worker busy(own);
    in_child([&] {
      EXPECT_EQ(own.try_submit([] {}).why(), reject_reason::forked);
      EXPECT_EQ(here.pool->try_submit([] {}).why(), reject_reason::forked);
      EXPECT_LOST(busy.done().wait());
      EXPECT_LOST(here.queued.wait());
      thread_pool third = thread_pool::fixed(1, 1);
      EXPECT_EQ(third.submit([] { return 5; }).get(), 5);
    });
    EXPECT_EQ(own.submit([] { return 6; }).get(), 6);
  });
}

TEST(forking, R26_a_manual_clock_serves_new_pools_in_the_child) {
  WEIR_NO_FORK_HERE;
  manual_clock time;
  pool_options options{.core = 1, .max = 1, .capacity = 4, .clock = &time};
  thread_pool pool(options);
  auto delayed = pool.submit_after(1s, [] { return 1; });
  in_child([&] {
    time.advance(2s);
    EXPECT_LOST(delayed.wait());
    thread_pool own(options);
    auto soon = own.submit_after(1s, [] { return 2; });
    time.advance(1s);
    EXPECT_EQ(soon.get(), 2);
  });
  time.advance(1s);
  EXPECT_EQ(delayed.get(), 1);
}

// Threads that wait for room, for rest and for the end exist in the parent only: nothing in the
// child may touch what stands on their stacks.
TEST(forking, R26_whoever_waited_in_the_parent_is_not_woken_in_the_child) {
  WEIR_NO_FORK_HERE;
  const testing::watchdog dog("waiters at a fork");
  pool_options options{.core = 1, .max = 1, .capacity = 1};
  options.on_saturation = saturation::block;
  std::optional<thread_pool> pool(std::in_place, options);
  pool->pause();
  pool->execute([] {});
  std::array<testing::lost_stack, 3> stacks;
  std::vector<std::thread> waiters;
  const auto wait_on_a_thread = [&](auto wait) {
    waiters.emplace_back([&stack = stacks.at(waiters.size()), wait] {
      ::pthread_setname_np(::pthread_self(), "waits");
      stack.run(wait);
    });
    ASSERT_TRUE(eventually([] { return testing::threads_sleep("waits"); }));
  };
  wait_on_a_thread([&] { pool->submit([] {}).wait(); });
  wait_on_a_thread([&] { pool->wait_idle(); });
  wait_on_a_thread([&] { pool->join(); });
  ASSERT_EQ(pool->stats().blocked, 1u);
  in_child([&] {
    for (const auto& stack : stacks) stack.close();
    EXPECT_EQ(pool->stats().blocked, 0u);
    EXPECT_EQ(pool->cancel_pending(), 1u) << "there is room, and all have ended";
    EXPECT_TRUE(pool->wait_idle_for(0s));
    EXPECT_TRUE(pool->join_for(0s));
    pool.reset();
  });
  pool->resume();
  waiters[0].join();
  waiters[1].join();
  pool->close();
  waiters[2].join();
}

// A body on its caller's thread, and one that waits for a task of its own pool.
TEST(forking, R26_bodies_that_are_gone_leave_nothing_in_the_child) {
  WEIR_NO_FORK_HERE;
  const testing::watchdog dog("bodies at a fork");
  pool_options options{.core = 2, .max = 2, .capacity = 1};
  options.on_saturation = saturation::caller_runs;
  thread_pool pool(options);
  std::array<testing::lost_stack, 2> stacks;
  held_worker busy(pool);
  auto waits = pool.submit([&] {
    ::pthread_setname_np(::pthread_self(), "waits");
    stacks[0].run([&] { return busy.done().wait_for(1h); });
  });
  ASSERT_TRUE(eventually([] { return testing::threads_sleep("waits"); }));
  auto queued = pool.submit([] {});
  testing::gate inside;
  testing::gate go;
  std::thread caller([&] {
    stacks[1].run([&] {
      pool.execute([&] {
        inside.open();
        go.wait();
      });
    });
  });
  inside.wait();
  in_child([&] {
    for (const auto& stack : stacks) stack.close();
    pool.pause();
    pool.resume();
    EXPECT_EQ(pool.stats().running, 3u);
    EXPECT_EQ(pool.abort(), 1u);
    testing::expect_accounted(pool.stats());
  });
  go.open();
  caller.join();
  busy.release();
  waits.wait();
  queued.wait();
}

}  // namespace
}  // namespace weir
