// One task, several who decide about it at once: whatever the race, all that is said about it
// agrees.

#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <barrier>
#include <memory>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support/conservation.hpp"
#include "support/seed.hpp"
#include "support/time_box.hpp"
#include "support/watchdog.hpp"
#include "weir/this_task.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;

// Case 35, and A1, A3, A4, R18 together.
// tck 161.
TEST(stress, cancel_against_start_and_completion) {
  const testing::watchdog dog("cancel against start and completion");
  const auto seed = testing::test_seed();
  SCOPED_TRACE(testing::replay(seed));
  std::mt19937_64 random(seed);
  pool_options options{.core = 2, .max = 2, .capacity = 4};
  options.on_unhandled = [](std::exception_ptr, const task_info&) {};
  thread_pool pool(options);
  std::barrier meet(3);
  std::atomic<bool> over{false};
  task_ref ref;
  cancel_result answers[2];
  const auto cancel = [&](std::size_t who) {
    for (;;) {
      meet.arrive_and_wait();
      if (over) return;
      answers[who] = who == 0 ? ref.cancel() : ref.cancel(if_queued);
      meet.arrive_and_wait();
    }
  };
  std::thread one([&] { cancel(0); });
  std::thread two([&] { cancel(1); });
  for (testing::time_box box; !box.over();) {
    std::atomic<bool> ran{false};
    const auto capture = std::make_shared<int>(0);
    const bool throws = random() % 2 == 0;
    auto task = pool.submit([&ran, capture, throws] {
      ran = true;
      if (throws) throw std::runtime_error("mine");
      return 1;
    });
    ref = task.ref();
    for (std::size_t spin = testing::pick(random, 0, 200); spin > 0; --spin) (void)task.state();
    meet.arrive_and_wait();
    task.wait();
    ASSERT_EQ(capture.use_count(), 1);
    meet.arrive_and_wait();
    const auto how = task.cancellation();
    const bool cancelled_first =
        answers[0] == cancel_result::cancelled || answers[1] == cancel_result::cancelled;
    ASSERT_EQ(how.has_value(), task.state() == task_state::cancelled);
    ASSERT_EQ(cancelled_first, how == cancellation::never_started);
    ASSERT_EQ(ran, how != cancellation::never_started);
    if (!how) {
      ASSERT_EQ(answers[0], cancel_result::too_late);
      ASSERT_EQ(task.state(), throws ? task_state::failed : task_state::succeeded);
    } else if (how != cancellation::never_started) {
      ASSERT_EQ(answers[0], cancel_result::requested);
    }
  }
  over = true;
  meet.arrive_and_wait();
  one.join();
  two.join();
  pool.wait_idle();
  testing::expect_conserved(pool.stats());
}

// D5: whoever drops the last handle, and wherever: each failure is either read or reported, once.
TEST(stress, handles_dropped_on_other_threads) {
  const testing::watchdog dog("handles dropped elsewhere");
  std::atomic<std::uint64_t> reported{0}, read{0};
  std::uint64_t failed = 0;
  pool_options options{.core = 2, .max = 2, .capacity = 64};
  options.on_unhandled = [&](std::exception_ptr, const task_info&) { ++reported; };
  {
    thread_pool pool(options);
    for (testing::time_box box; !box.over();) {
      std::vector<future<std::unique_ptr<int>>> futures;
      std::vector<task_ref> refs;
      for (int task = 0; task < 32; ++task) {
        futures.push_back(pool.submit([task]() -> std::unique_ptr<int> {
          if (task % 2 == 0) throw std::runtime_error("mine");
          return std::make_unique<int>(task);
        }));
        refs.push_back(futures.back().ref());
        failed += task % 2 == 0 ? 1 : 0;
      }
      std::thread dropper([refs = std::move(refs)]() mutable {
        while (!refs.empty()) refs.pop_back();
      });
      std::thread taker([futures = std::move(futures), &read]() mutable {
        for (std::size_t at = 0; at < futures.size(); ++at) {
          if (at % 3 != 0) continue;  // the others are dropped with the vector
          try {
            (void)futures[at].get();
          } catch (const std::runtime_error&) {
            ++read;
          }
        }
      });
      dropper.join();
      taker.join();
    }
    pool.wait_idle();
    testing::expect_conserved(pool.stats());
  }
  EXPECT_EQ(reported + read, failed);
}

// Drained tasks are called, cancelled and dropped on several threads at once.
TEST(stress, drained_tasks_against_their_handles) {
  const testing::watchdog dog("drained tasks");
  for (testing::time_box box; !box.over();) {
    thread_pool pool({.core = 1, .max = 1, .capacity = 32});
    std::atomic<int> ran{0};
    std::vector<future<void>> futures;
    for (int task = 0; task < 32; ++task) {
      if (auto answer = pool.try_submit([&] { ++ran; })) futures.push_back(*std::move(answer));
    }
    auto drained = pool.shutdown_now();
    std::thread canceller([&] {
      for (auto& each : futures) (void)each.cancel();
    });
    for (std::size_t at = 0; at < drained.size(); ++at) {
      if (at % 2 == 0) drained[at]();
    }
    drained.clear();
    canceller.join();
    int succeeded = 0;
    for (auto& each : futures) {
      each.wait();
      succeeded +=
          each.state() == task_state::succeeded || each.cancellation() == cancellation::returned;
    }
    ASSERT_EQ(ran, succeeded);
    pool.join();
    testing::expect_conserved(pool.stats());
  }
}

// Case 22: the last owner is whoever happens to be last: a body, a capture, a result or this
// thread.
TEST(stress, the_last_owner_of_a_pool) {
  const testing::watchdog dog("the last owner of a pool");
  const auto seed = testing::test_seed();
  SCOPED_TRACE(testing::replay(seed));
  std::mt19937_64 random(seed);
  std::uint64_t made = 0;
  std::atomic<std::uint64_t> gone{0};
  for (testing::time_box box; !box.over(); ++made) {
    std::shared_ptr<thread_pool> pool(new thread_pool({.core = 1, .max = 2, .capacity = 8}),
                                      [&](thread_pool* last) {
                                        delete last;
                                        ++gone;
                                      });
    for (int task = 0; task < 4; ++task) {
      if (random() % 2 == 0) {
        (void)pool->try_submit([mine = pool] { return mine; });
      } else {
        (void)pool->try_submit([mine = pool]() mutable { mine.reset(); });
      }
    }
  }
  while (gone != made) std::this_thread::yield();
}

// Case 25: workers are lost all the time, and neither tasks nor submitters are lost with them.
TEST(stress, lost_workers_lose_nothing_else) {
  const testing::watchdog dog("lost workers");
  for (testing::time_box box; !box.over();) {
    pool_options options{.core = 1, .max = 2, .capacity = 2, .on_saturation = saturation::block};
    options.on_unhandled = [](std::exception_ptr, const task_info&) {};
    thread_pool pool(options);
    std::vector<std::thread> producers;
    for (int producer = 0; producer < 2; ++producer) {
      producers.emplace_back([&] {
        for (int task = 0; task < 20; ++task) {
          pool.execute([task] {
            if (task % 5 == 0) pthread_exit(nullptr);
          });
        }
      });
    }
    for (auto& each : producers) each.join();
    pool.wait_idle();
    const pool_stats end = pool.stats();
    ASSERT_EQ(end.failed, 8u);
    ASSERT_EQ(end.succeeded, 32u);
  }
}

}  // namespace
}  // namespace weir
