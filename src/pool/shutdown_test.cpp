// Ends: E1 … E5, R21, R25, and destruction wherever it happens.

#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

#include "support/conservation.hpp"
#include "support/eventually.hpp"
#include "support/gate.hpp"
#include "support/thread_switches.hpp"
#include "support/watchdog.hpp"
#include "weir/this_task.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;
using testing::eventually;
using testing::gate;
using testing::held_worker;

template <class T>
cancel_reason reason(future<T>& task) {
  try {
    (void)task.get();
  } catch (const task_cancelled& end) {
    return end.reason();
  }
  ADD_FAILURE() << "it was not cancelled";
  return cancel_reason::timed_out;
}

pool_options on(weir::clock& clock, std::size_t workers = 1) {
  pool_options options{.core = workers, .max = workers, .capacity = 16};
  options.clock = &clock;
  return options;
}

// tck 119, 129, 130, 131, 229.
TEST(shutdown, E1_close_lets_accepted_work_run_delayed_tasks_when_due) {
  manual_clock clock;
  thread_pool pool(on(clock));
  held_worker busy(pool);
  auto queued = pool.submit([] { return 1; });
  auto delayed = pool.submit_after(1s, [] { return 2; });
  pool.close();
  pool.close();
  EXPECT_TRUE(pool.closed());
  EXPECT_FALSE(pool.stop_token().stop_requested());
  EXPECT_THROW((void)pool.submit_after(1s, [] {}), rejected);
  busy.release();
  EXPECT_EQ(queued.get(), 1);
  EXPECT_FALSE(pool.join_for(0s));
  clock.advance(1s);
  EXPECT_EQ(delayed.get(), 2);
  pool.join();
  EXPECT_TRUE(pool.terminated());
  EXPECT_EQ(pool.size(), 0u);
}

// tck 146.
TEST(shutdown, E1_who_is_idle_leaves_when_the_last_task_has_been_claimed) {
  const testing::watchdog dog("the last task of a closed pool");
  manual_clock clock;
  gate entered, release;
  pool_options options{.core = 2, .max = 2, .capacity = 4};
  options.clock = &clock;
  options.name = "last";
  thread_pool pool(options);
  auto last = pool.submit_after(1s, [&] {
    entered.open();
    release.wait();
  });
  pool.submit([] {}).get();
  pool.close();
  ASSERT_TRUE(eventually([] { return testing::threads_sleep("last-"); }));
  ASSERT_EQ(pool.size(), 2u);
  clock.advance(1s);
  entered.wait();
  EXPECT_TRUE(eventually([&] { return pool.size() == 1; })) << "its body is no work for them";
  release.open();
  pool.join();
}

TEST(shutdown, E1_a_pool_that_was_never_used_ends_at_once) {
  thread_pool pool = thread_pool::fixed(4, 4);
  EXPECT_FALSE(pool.join_for(0s)) << "E3: join does not close";
  EXPECT_FALSE(pool.terminated());
  pool.close();
  EXPECT_TRUE(pool.join_for(0s));
  pool.join();
}

// tck 88, 133, 138, 168.
TEST(shutdown, E2_abort_cancels_the_queue_and_asks_the_running) {
  manual_clock clock;
  thread_pool pool(on(clock));
  gate entered, release;
  auto running = pool.submit([&](std::stop_token stop) {
    entered.open();
    release.wait();
    EXPECT_TRUE(stop.stop_requested());
  });
  entered.wait();
  const auto capture = std::make_shared<int>(0);
  auto queued = pool.submit([capture] {});
  auto delayed = pool.submit_after(1s, [capture] {});
  EXPECT_EQ(pool.abort(), 2u);
  EXPECT_EQ(capture.use_count(), 1);
  EXPECT_EQ(pool.abort(), 0u);
  EXPECT_TRUE(pool.closed());
  EXPECT_TRUE(pool.stop_token().stop_requested());
  EXPECT_EQ(running.state(), task_state::cancel_requested);
  EXPECT_EQ(reason(queued), cancel_reason::aborted);
  EXPECT_EQ(reason(delayed), cancel_reason::aborted);
  EXPECT_FALSE(pool.join_for(0s)) << "E5: the body ignores it and the wait says so";
  release.open();
  pool.join();
  EXPECT_EQ(reason(running), cancel_reason::aborted);
  testing::expect_conserved(pool.stats());
}

// tck 139.
TEST(shutdown, E2_abort_after_close_still_aborts) {
  thread_pool pool = thread_pool::fixed(1, 4);
  held_worker busy(pool);
  auto queued = pool.submit([] {});
  pool.close();
  EXPECT_EQ(pool.abort(), 1u);
  EXPECT_EQ(busy.done().state(), task_state::cancel_requested);
}

// tck 133, 137, 157, 238, 239, where Java leaves the futures pending for ever.
TEST(shutdown, R21_drained_tasks_come_back_in_order_and_complete_their_futures) {
  manual_clock clock;
  thread_pool pool(on(clock));
  held_worker busy(pool);
  auto one = pool.submit([] { return std::this_thread::get_id(); });
  auto two = pool.submit([]() -> int { throw std::runtime_error("of its own"); });
  auto three = pool.submit_after(1h, [] { return 3; });
  auto drained = pool.shutdown_now();
  ASSERT_EQ(drained.size(), 3u);
  EXPECT_EQ(drained[0].id(), one.id());
  EXPECT_EQ(drained[2].id(), three.id());
  EXPECT_EQ(one.state(), task_state::queued);
  EXPECT_EQ(pool.stats().drained, 3u);
  drained[0]();
  EXPECT_EQ(one.get(), std::this_thread::get_id());
  drained[1]();
  EXPECT_THROW((void)two.get(), std::runtime_error);
  EXPECT_THROW(drained[0](), std::future_error) << "at most once";
  EXPECT_FALSE(drained[0].valid());
  drained.clear();
  EXPECT_EQ(reason(three), cancel_reason::aborted) << "destroyed unrun";
  busy.release();
  pool.join();
  testing::expect_conserved(pool.stats());
}

TEST(shutdown, R21_a_drained_task_outlives_its_pool_and_may_be_cancelled) {
  std::vector<drained_task> drained;
  future<int> run, cancelled;
  {
    thread_pool pool = thread_pool::fixed(1, 4);
    held_worker busy(pool);
    run = pool.submit([] { return 7; });
    cancelled = pool.submit([]() -> int {
      ADD_FAILURE() << "a cancelled body runs";
      return 0;
    });
    drained = pool.shutdown_now();
  }
  EXPECT_EQ(cancelled.cancel(), cancel_result::cancelled);
  drained_task moved = std::move(drained[0]);
  std::thread([&] {
    moved();
    drained[1]();
  }).join();
  EXPECT_EQ(run.get(), 7);
  EXPECT_EQ(reason(cancelled), cancel_reason::cancelled);
}

TEST(shutdown, R21_moving_over_a_drained_task_cancels_what_was_there) {
  thread_pool pool = thread_pool::fixed(1, 4);
  held_worker busy(pool);
  auto one = pool.submit([] { return 1; });
  auto two = pool.submit([] { return 2; });
  auto drained = pool.shutdown_now();
  drained[0] = std::move(drained[1]);
  EXPECT_EQ(reason(one), cancel_reason::aborted);
  drained[0]();
  EXPECT_EQ(two.get(), 2);
}

TEST(shutdown, R21_a_drained_body_hears_a_cancel) {
  thread_pool pool = thread_pool::fixed(1, 4);
  held_worker busy(pool);
  task_ref self;
  auto task = pool.submit([&] {
    EXPECT_EQ(self.cancel(), cancel_result::requested);
    EXPECT_TRUE(this_task::stop_requested());
  });
  self = task.ref();
  auto drained = pool.shutdown_now();
  drained[0]();
  EXPECT_EQ(task.cancellation(), cancellation::returned);
}

TEST(shutdown, E3_shutdown_with_a_grace) {
  thread_pool quick = thread_pool::fixed(1, 4);
  auto ran = quick.submit([] { return 1; });
  EXPECT_TRUE(quick.shutdown(testing::k_patience));
  EXPECT_EQ(ran.get(), 1);

  thread_pool slow = thread_pool::fixed(1, 4);
  held_worker busy(slow);
  auto queued = slow.submit([] {});
  EXPECT_FALSE(slow.shutdown(1ms));
  EXPECT_EQ(reason(queued), cancel_reason::aborted);
  EXPECT_EQ(busy.done().state(), task_state::cancel_requested);
}

// tck 148; also from hooks, which run on the pool's own workers.
TEST(shutdown, E3_waiting_on_one_s_own_pool_throws) {
  const testing::watchdog dog("waiting on one's own pool");
  thread_pool* self = nullptr;
  std::atomic<int> thrown{0};
  const auto wait_for_oneself = [&] {
    const std::function<void()> waits[] = {[&] { self->join(); }, [&] { (void)self->join_for(0s); },
                                           [&] { self->wait_idle(); },
                                           [&] { (void)self->wait_idle_for(1h); }};
    for (const auto& wait : waits) {
      try {
        wait();
      } catch (const std::system_error& error) {
        if (error.code() == std::errc::resource_deadlock_would_occur) ++thrown;
      }
    }
  };
  pool_options options{.core = 1, .max = 1, .capacity = 1};
  options.on_worker_start = [&](const worker_info&) { wait_for_oneself(); };
  options.on_worker_stop = [&](const worker_info&) { wait_for_oneself(); };
  thread_pool pool(options);
  self = &pool;
  pool.submit(wait_for_oneself).get();
  pool.close();
  pool.join();
  EXPECT_EQ(thrown, 12);
}

// tck 148.
TEST(shutdown, E3_control_verbs_are_legal_inside_a_body) {
  thread_pool pool = thread_pool::fixed(2, 4);
  auto inside = pool.submit([&] {
    pool.close();
    return pool.try_submit([] {}).why();  // tck 147
  });
  EXPECT_EQ(inside.get(), reject_reason::closed);
  pool.join();
  thread_pool other = thread_pool::fixed(1, 4);
  auto aborting = other.submit([&] { return other.abort(); });
  EXPECT_EQ(reason(aborting), cancel_reason::aborted) << "it asked itself to stop";
}

// tck 149, 151, 233.
TEST(shutdown, E4_the_destructor_cancels_what_is_not_yet_due_and_runs_the_rest) {
  manual_clock clock;
  future<int> ready, due;
  future<void> not_due;
  gate release;
  std::thread opener;
  {
    thread_pool pool(on(clock));
    gate entered;
    pool.execute([&] {
      entered.open();
      release.wait();
    });
    entered.wait();
    ready = pool.submit([] { return 1; });
    due = pool.submit_after(1s, [] { return 2; });
    not_due = pool.submit_after(2s, [] {});
    clock.advance(1s);
    opener = std::thread([&] {
      not_due.wait();
      release.open();
    });
  }
  opener.join();
  EXPECT_EQ(ready.get(), 1);
  EXPECT_EQ(due.get(), 2);
  EXPECT_EQ(reason(not_due), cancel_reason::closed);
}

// Case 19: children of tasks that are being drained are run or visibly refused.
TEST(shutdown, E4_no_child_is_lost_in_the_destructor) {
  std::atomic<int> ran{0}, accepted{0}, refused{0};
  {
    thread_pool pool = thread_pool::fixed(2, 64);
    for (int parent = 0; parent < 64; ++parent) {
      if (!pool.try_submit([&] {
                 for (int child = 0; child < 50; ++child) {
                   ++(this_task::pool()->try_submit([&] { ++ran; }).accepted() ? accepted
                                                                               : refused);
                 }
               })
               .accepted()) {
        refused += 50;
      }
    }
  }
  EXPECT_EQ(accepted + refused, 64 * 50);
  EXPECT_EQ(ran, accepted);
}

// Case 22: the last owner lets go inside a task.
TEST(shutdown, E4_destruction_on_one_of_its_own_workers) {
  const testing::watchdog dog("destruction by a body");
  for (int round = 0; round < 100; ++round) {
    auto pool = std::make_shared<thread_pool>(pool_options{.core = 2, .max = 2, .capacity = 4});
    gate go;
    auto last = pool->submit([&go, mine = pool]() mutable {
      go.wait();
      mine.reset();
      return this_task::pool() == nullptr;
    });
    auto other = pool->submit([] { return 5; });
    pool.reset();
    go.open();
    EXPECT_TRUE(last.get()) << "the pool is gone, the body goes on";
    EXPECT_EQ(other.get(), 5);
  }
}

TEST(shutdown, E4_destruction_by_a_capture_of_a_finished_task) {
  const testing::watchdog dog("destruction by a capture");
  for (int round = 0; round < 100; ++round) {
    auto pool = std::make_shared<thread_pool>(pool_options{.core = 1, .max = 1, .capacity = 4});
    gate go;
    auto last = pool->submit([&go, mine = pool] { go.wait(); });
    pool.reset();
    go.open();
    last.get();
  }
}

TEST(shutdown, E4_destruction_by_a_result_that_nobody_takes) {
  const testing::watchdog dog("destruction by a result");
  for (int round = 0; round < 100; ++round) {
    std::promise<void> gone;
    auto pool = std::shared_ptr<thread_pool>(
        new thread_pool(pool_options{.core = 1, .max = 1, .capacity = 4}), [&](thread_pool* at) {
          delete at;
          gone.set_value();
        });
    gate entered, go;
    {
      auto dropped = pool->submit([&, mine = pool] {
        entered.open();
        go.wait();
        return mine;
      });
    }
    entered.wait();
    pool.reset();
    go.open();
    gone.get_future().wait();
  }
}

// D3: handles outlive the pool and stay usable.
TEST(shutdown, D3_handles_outlive_the_pool) {
  future<std::unique_ptr<int>> value;
  future<void> failure, cancelled;
  task_ref ref;
  {
    thread_pool pool = thread_pool::fixed(1, 4);
    held_worker busy(pool);
    value = pool.submit([] { return std::make_unique<int>(3); });
    failure = pool.submit([] { throw std::runtime_error("kept"); });
    cancelled = pool.submit([] {});
    ref = value.ref();
    cancelled.cancel();
    busy.release();
    failure.wait();
  }
  EXPECT_EQ(ref.state(), task_state::succeeded);
  EXPECT_EQ(ref.cancel(), cancel_result::too_late);
  ref.wait();
  EXPECT_EQ(*value.get(), 3);
  EXPECT_THROW(failure.get(), std::runtime_error);
  EXPECT_EQ(reason(cancelled), cancel_reason::cancelled);
}

// Case 25, tck 37: a worker that leaves by force is replaced, and nobody waits for it for ever.
// R27, D5.
TEST(shutdown, D5_forced_unwinding_fails_the_task_and_replaces_the_worker) {
  const testing::watchdog dog("forced unwinding");
  std::atomic<int> stopped{0};
  pool_options options{.core = 1, .max = 1, .capacity = 4};
  options.on_worker_stop = [&](const worker_info&) { ++stopped; };
  thread_pool pool(options);
  const auto capture = std::make_shared<int>(0);
  for (int round = 0; round < 20; ++round) {
    auto lost = pool.submit([capture] { pthread_exit(nullptr); });
    auto next = pool.submit([] { return 1; });
    EXPECT_EQ(next.get(), 1);
    lost.wait();
    EXPECT_EQ(lost.state(), task_state::failed);
    EXPECT_THROW(lost.get(), std::runtime_error);
    EXPECT_EQ(capture.use_count(), 1);
  }
  pool.wait_idle();
  pool.close();
  pool.join();
  EXPECT_EQ(stopped, 21);
  testing::expect_conserved(pool.stats());
}

// With core workers a lost one is replaced in any case; here only the task that waits calls for it.
TEST(shutdown, D5_a_lost_worker_without_a_core_is_replaced_for_what_waits) {
  const testing::watchdog dog("a lost worker without a core");
  thread_pool pool(pool_options{.core = 0, .max = 1, .capacity = 4});
  for (int round = 0; round < 20; ++round) {
    auto lost = pool.submit([] { pthread_exit(nullptr); });
    auto next = pool.submit([] { return 1; });
    EXPECT_EQ(next.get(), 1);
    EXPECT_THROW(lost.get(), std::runtime_error);
  }
}

// Case 28: any number of threads may end the same pool at once.
TEST(shutdown, E1_many_enders_at_once) {
  const testing::watchdog dog("many enders");
  for (int round = 0; round < 100; ++round) {
    thread_pool pool = thread_pool::fixed(2, 8);
    for (int task = 0; task < 8; ++task) (void)pool.try_submit([] {});
    std::vector<std::thread> enders;
    for (int at = 0; at < 8; ++at) {
      enders.emplace_back([&pool, at] {
        if (at % 4 == 0) pool.abort();
        if (at % 4 == 1) (void)pool.shutdown_now();
        if (at % 4 == 2) pool.cancel_pending();
        pool.close();
        pool.join();
      });
    }
    for (auto& each : enders) each.join();
    EXPECT_TRUE(pool.terminated());
    testing::expect_conserved(pool.stats());
  }
}

// E5, tck 135: a body that ignores its request keeps its worker, and counts when it ends.
TEST(shutdown, E5_nothing_is_ended_by_force) {
  thread_pool pool = thread_pool::fixed(1, 1);
  auto busy = std::make_unique<held_worker>(pool);
  pool.abort();
  EXPECT_FALSE(pool.join_for(1ms));
  EXPECT_EQ(pool.size(), 1u);
  EXPECT_EQ(pool.stats().cancelled, 0u);
  busy->release();
  EXPECT_EQ(pool.stats().cancelled, 1u);
  pool.join();
}

}  // namespace
}  // namespace weir
