// What Java's rules say of futures (rules 155 to 189, 289), beyond what future_test.cpp and
// cancel_test.cpp hold.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support/eventually.hpp"
#include "support/gate.hpp"
#include "support/outcome.hpp"
#include "support/watchdog.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;
using testing::gate;
using testing::held_worker;

// tck 160: what get throws is the very object that the body threw.
TEST(futures, D2_get_rethrows_the_same_object) {
  thread_pool pool = thread_pool::fixed(1, 1);
  const std::runtime_error* thrown = nullptr;
  auto task = pool.submit([&] {
    try {
      throw std::runtime_error("mine");
    } catch (const std::runtime_error& error) {
      thrown = &error;
      throw;
    }
  });
  try {
    task.get();
    ADD_FAILURE() << "get returned";
  } catch (const std::runtime_error& caught) {
    EXPECT_EQ(&caught, thrown);
  }
}

// tck 165, 166, 184, 186, 187: an end is an end; both kinds of cancel come too late and change
// nothing.
TEST(futures, R18_no_terminal_state_is_ever_left) {
  thread_pool pool = thread_pool::fixed(1, 4);
  auto succeeded = pool.submit([] {});
  succeeded.wait();
  auto failed = pool.submit([] { throw 1; });
  failed.wait();
  held_worker busy(pool);
  auto cancelled = pool.submit([] {});
  EXPECT_EQ(cancelled.cancel(), cancel_result::cancelled);
  const std::pair<future<void>*, task_state> all[] = {{&succeeded, task_state::succeeded},
                                                      {&failed, task_state::failed},
                                                      {&cancelled, task_state::cancelled}};
  for (const auto& [task, state] : all) {
    EXPECT_TRUE(is_terminal(task->state()));
    EXPECT_EQ(task->cancel(), cancel_result::too_late);
    EXPECT_EQ(task->cancel(if_queued), cancel_result::too_late);
    EXPECT_EQ(task->state(), state);
  }
  succeeded.get();
  EXPECT_THROW(failed.get(), int);
}

// tck 107: it is taken out of the queue once.
TEST(futures, R18_if_queued_takes_a_task_out_once) {
  thread_pool pool = thread_pool::fixed(1, 1);
  held_worker busy(pool);
  auto task = pool.submit([] {});
  EXPECT_EQ(task.cancel(if_queued), cancel_result::cancelled);
  EXPECT_EQ(task.cancel(if_queued), cancel_result::too_late);
}

// tck 185: each way of waiting for a cancelled task says so, again and again where it keeps it.
TEST(futures, D2_a_cancelled_task_says_so_in_every_way) {
  thread_pool pool = thread_pool::fixed(1, 2);
  held_worker busy(pool);
  auto one = pool.submit([] {}), two = pool.submit([] {});
  one.cancel();
  two.cancel();
  const task_ref ref = one.ref();
  EXPECT_THROW(one.get(), task_cancelled);
  EXPECT_THROW(two.get_for(0s), task_cancelled) << "it is over, so no limit matters";
  for (int look = 0; look < 3; ++look) {
    ref.wait();
    EXPECT_EQ(ref.state(), task_state::cancelled);
    EXPECT_EQ(ref.cancellation(), cancellation::never_started);
  }
}

// tck 173: whoever waits is released by a cancel, with the news.
TEST(futures, A1_a_cancel_releases_every_waiter) {
  const testing::watchdog dog("waiters of a cancelled task");
  thread_pool pool = thread_pool::fixed(1, 8);
  held_worker busy(pool);
  std::vector<future<void>> tasks;
  for (int task = 0; task < 3; ++task) tasks.push_back(pool.submit([] {}));
  const std::vector<task_ref> refs{tasks[0].ref(), tasks[1].ref(), tasks[2].ref()};
  std::atomic<int> about_to_wait{0};
  const auto waiter = [&](auto wait) {
    return std::thread([&about_to_wait, wait] {
      ++about_to_wait;
      wait();
    });
  };
  std::vector<std::thread> waiters;
  waiters.push_back(waiter([&] { EXPECT_THROW(tasks[0].get(), task_cancelled); }));
  waiters.push_back(waiter([&] { EXPECT_THROW(tasks[1].get_for(1h), task_cancelled); }));
  waiters.push_back(waiter([&] { EXPECT_TRUE(tasks[2].wait_for(1h)); }));
  waiters.push_back(waiter([&] { refs[2].wait(); }));
  ASSERT_TRUE(testing::eventually([&] { return about_to_wait == 4; }));
  for (const auto& each : refs) EXPECT_EQ(each.cancel(), cancel_result::cancelled);
  for (auto& each : waiters) each.join();
}

// tck 176, 177: a wait that gives up does so not before its limit and changes nothing.
TEST(futures, R23_a_wait_that_gives_up_is_not_early_and_changes_nothing) {
  thread_pool pool = thread_pool::fixed(1, 1);
  gate release;
  auto task = pool.submit([&] {
    release.wait();
    return 1;
  });
  const std::function<void()> waits[] = {
      [&] { EXPECT_THROW((void)task.get_for(10ms), timed_out); },
      [&] { EXPECT_FALSE(task.wait_for(10ms)); },
      [&] { EXPECT_FALSE(task.wait_until(std::chrono::steady_clock::now() + 10ms)); },
  };
  for (const auto& wait : waits) {
    const auto before = std::chrono::steady_clock::now();
    wait();
    EXPECT_GE(std::chrono::steady_clock::now() - before, 10ms);
  }
  release.open();
  EXPECT_EQ(task.get(), 1);
}

// tck 178: what is over is over, whatever the limit.
TEST(futures, D1_a_finished_task_is_there_within_any_limit) {
  thread_pool pool = thread_pool::fixed(1, 8);
  for (const auto limit :
       {0ns, -1ns, std::chrono::nanoseconds::min(), std::chrono::nanoseconds::max()}) {
    auto task = pool.submit([] { return 4; });
    task.wait();
    EXPECT_TRUE(task.wait_for(limit));
    EXPECT_EQ(task.get_for(limit), 4);
  }
}

// tck 189: every handle of a task is a handle of the same task.
TEST(futures, D1_handles_of_one_task_agree) {
  thread_pool pool = thread_pool::fixed(1, 4);
  held_worker busy(pool);
  auto task = pool.submit([] {});
  const task_ref ref = task.ref();
  EXPECT_EQ(ref.id(), task.id());
  EXPECT_EQ(ref.cancel(), cancel_result::cancelled);
  EXPECT_EQ(task.state(), task_state::cancelled);
}

TEST(futures, D1_a_completion_queue_yields_the_tasks_that_were_put_in) {
  thread_pool pool = thread_pool::fixed(1, 4);
  completion_queue<void> queue;
  std::vector<std::uint64_t> put, taken;
  for (int task = 0; task < 3; ++task) {
    auto one = pool.submit([] {});
    put.push_back(one.id());
    queue.add(std::move(one));
  }
  while (auto done = queue.take()) taken.push_back(done->id());
  EXPECT_EQ(taken, put) << "tck 189, 207; one worker ends them in their order";
}

// tck 289.
TEST(futures, R23_a_limit_holds_in_every_kind_of_pool) {
  const std::function<std::unique_ptr<thread_pool>()> kinds[] = {
      [] {
        return std::make_unique<thread_pool>(pool_options{.core = 1, .max = 1, .capacity = 1});
      },
      [] {
        return std::make_unique<thread_pool>(pool_options{.core = 4, .max = 4, .capacity = 4});
      },
      [] {
        return std::make_unique<thread_pool>(pool_options{.core = 0, .max = 2, .capacity = 0});
      },
      [] { return std::make_unique<thread_pool>(pool_options{.max = 1, .capacity = unbounded}); },
  };
  for (const auto& make : kinds) {
    gate release;
    const auto pool = make();
    auto task = pool->submit([&] { release.wait(); });
    EXPECT_THROW(task.get_for(1ms), timed_out);
    release.open();
    task.get_for(testing::k_patience);
  }
}

}  // namespace
}  // namespace weir
