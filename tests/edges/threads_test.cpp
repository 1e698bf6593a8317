// Threads that cannot be had, and threads that are taken away.

#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support/conservation.hpp"
#include "support/eventually.hpp"
#include "support/gate.hpp"
#include "support/thread_famine.hpp"
#include "support/watchdog.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;
using testing::eventually;
using testing::gate;
using testing::held_worker;

// tck 29: with the threads it has the pool does everything.
TEST(threads, B9_a_hundred_tasks_complete_on_the_one_worker_that_could_be_had) {
  const testing::watchdog dog("one surviving worker");
  thread_pool pool = thread_pool::fixed(4, 100);
  pool.submit([] {}).get();
  const testing::thread_famine famine;
  std::vector<future<int>> all;
  for (int task = 0; task < 100; ++task) all.push_back(pool.submit([task] { return task; }));
  for (int task = 0; task < 100; ++task) EXPECT_EQ(all[static_cast<std::size_t>(task)].get(), task);
  EXPECT_EQ(pool.size(), 1u);
}

// tck 32: work that a thread which could not be had has left without a worker is taken up by the
// next occasion: a submission, close, a wait, the destructor.
TEST(threads, B9_stranded_work_finds_a_worker_at_the_next_occasion) {
  const testing::watchdog dog("stranded work");
  const std::function<void(thread_pool&)> occasions[] = {
      [](thread_pool& pool) { pool.execute([] {}); },
      [](thread_pool& pool) { pool.close(); },
      [](thread_pool& pool) { pool.wait_idle(); },
      [](thread_pool&) {},
  };
  for (const auto& occasion : occasions) {
    std::atomic<int> ran{0};
    {
      thread_pool pool(pool_options{.core = 1, .max = 1, .capacity = 8});
      std::optional<testing::thread_famine> famine;
      gate inside;
      auto lost = pool.submit([&] {
        inside.wait();
        famine.emplace();  // the lost worker cannot be replaced
        ::pthread_exit(nullptr);
      });
      auto waits = pool.submit([&] { ++ran; });
      inside.open();
      lost.wait();
      waits.wait();
      // B9: nobody would ever start it, so it has been ended, not left.
      EXPECT_EQ(waits.state(), task_state::cancelled);
      EXPECT_EQ(pool.try_submit([] {}).why(), reject_reason::no_thread);
      famine.reset();
      occasion(pool);
      if (!pool.closed()) {
        EXPECT_EQ(pool.submit([] { return 1; }).get(), 1);
      }
    }
    EXPECT_EQ(ran, 0);
  }
}

// Every way in which a worker is started, while none can be had.
TEST(threads, B9_no_thread_at_any_door) {
  pool_options options{.core = 1, .max = 2, .capacity = 4};
  for (const auto policy : {saturation::reject, saturation::caller_runs, saturation::discard,
                            saturation::discard_oldest, saturation::block}) {
    options.on_saturation = policy;
    thread_pool pool(options);
    const auto refused = [](auto submit) {
      try {
        submit();
        ADD_FAILURE() << "accepted without a thread";
      } catch (const rejected& thrown) {
        EXPECT_EQ(thrown.why(), reject_reason::no_thread);
      }
    };
    {
      const testing::thread_famine famine;
      std::vector<std::function<void()>> range(2, [] {});
      refused([&] { pool.submit([] {}); });
      refused([&] { pool.execute([] {}); });
      refused([&] { pool.submit_after(1h, [] {}); });
      refused([&] { (void)pool.submit_all(range); });
      refused([&] { (void)pool.invoke_any(range); });
      EXPECT_EQ(pool.try_submit_for(1s, [] {}).why(), reject_reason::no_thread);
      EXPECT_EQ(pool.size(), 0u);
      testing::expect_conserved(pool.stats());
    }
    EXPECT_EQ(pool.submit([] { return 1; }).get(), 1) << "the pool stays usable";
  }
}

/// Cancels the calling thread, as another thread would, at its next cancellation point.
void cancel_this_thread() {
  ::pthread_cancel(::pthread_self());
  ::pthread_testcancel();
}

// R27: as by pthread_exit.
TEST(threads, R27_a_worker_that_is_cancelled_in_a_body_fails_its_task_and_is_replaced) {
  const testing::watchdog dog("pthread_cancel in a body");
  thread_pool pool = thread_pool::fixed(2, 64);
  const auto capture = std::make_shared<int>(0);
  for (int round = 0; round < 50; ++round) {
    auto lost = pool.submit([capture] { cancel_this_thread(); });
    EXPECT_EQ(pool.submit([] { return 1; }).get(), 1);
    EXPECT_THROW(lost.get(), std::runtime_error);
    EXPECT_EQ(capture.use_count(), 1);
  }
  pool.wait_idle();
  testing::expect_conserved(pool.stats());
}

TEST(threads, R27_hooks_may_end_their_worker_by_force) {
  const testing::watchdog dog("forced unwinding in hooks");
  std::atomic<int> starts{0};
  std::atomic<int> stops{0};
  {
    pool_options options{.core = 1, .max = 1, .capacity = 8};
    options.on_worker_start = [&](const worker_info&) {
      if (starts++ == 0) ::pthread_exit(nullptr);
    };
    options.on_worker_stop = [&](const worker_info&) {
      ++stops;
      ::pthread_exit(nullptr);
    };
    thread_pool pool(options);
    auto first = pool.submit([] { return 1; });
    first.wait();
    EXPECT_EQ(first.state(), task_state::cancelled) << "as if no thread could be had";
    EXPECT_EQ(pool.submit([] { return 2; }).get(), 2);
    pool.close();
    pool.join();
    testing::expect_conserved(pool.stats());
  }
  EXPECT_EQ(starts, 2);
  EXPECT_EQ(stops, 1);
}

TEST(threads, R27_on_unhandled_may_end_its_worker_by_force) {
  const testing::watchdog dog("forced unwinding in on_unhandled");
  std::atomic<int> told{0};
  pool_options options{.core = 1, .max = 1, .capacity = 8};
  options.on_unhandled = [&](const std::exception_ptr&, const task_info&) {
    ++told;
    ::pthread_exit(nullptr);
  };
  thread_pool pool(options);
  for (int round = 0; round < 10; ++round) {
    pool.execute([] { throw 1; });
    EXPECT_EQ(pool.submit([] { return 2; }).get(), 2);
  }
  EXPECT_EQ(told, 10);
  pool.wait_idle();
  testing::expect_conserved(pool.stats());
}

// What a worker joins and prints on its way out is no place to leave by force either.
TEST(threads, R27_a_cancellation_that_nobody_meets_is_forgotten) {
  const testing::watchdog dog("a pending cancellation");
  thread_pool pool(pool_options{.core = 0, .max = 2, .keep_alive = 0s, .capacity = 8});
  for (int round = 0; round < 20; ++round) {
    pool.submit([] { ::pthread_cancel(::pthread_self()); }).get();
    ASSERT_TRUE(eventually([&] { return pool.size() == 0; }));
  }
}

// A pending cancellation acts in user code only, not in the middle of weir's own.
TEST(threads, R27_a_report_on_stderr_is_no_place_to_be_cancelled) {
  const testing::watchdog dog("pthread_cancel and a report");
  thread_pool pool = thread_pool::fixed(1, 8);
  ::testing::internal::CaptureStderr();
  pool.execute([] {
    ::pthread_cancel(::pthread_self());
    throw 1;
  });
  auto next = pool.submit([] { ::pthread_testcancel(); });
  EXPECT_THROW(next.get(), std::runtime_error);
  EXPECT_EQ(pool.submit([] { return 3; }).get(), 3);
  EXPECT_FALSE(::testing::internal::GetCapturedStderr().empty());
}

// Case 17: submissions go to whoever can take them, not to a worker that is busy for long.
TEST(threads, case_17_one_endless_body_holds_up_nobody_else) {
  const testing::watchdog dog("one endless body");
  thread_pool pool = thread_pool::fixed(4, unbounded);
  const held_worker busy(pool);
  std::atomic<int> ran{0};
  for (int task = 0; task < 1'000; ++task) pool.execute([&] { ++ran; });
  EXPECT_TRUE(eventually([&] { return ran == 1'000; })) << "while that body is still inside";
}

// Case 20: the end is a state, not an item that one worker could take from another.
TEST(threads, case_20_an_empty_pool_of_two_always_joins) {
  const testing::watchdog dog("close and join");
  for (int round = 0; round < 2'000; ++round) {
    thread_pool pool = thread_pool::fixed(2, 4);
    pool.execute([] {});
    pool.execute([] {});
    pool.wait_idle();
    pool.close();
    pool.join();
  }
}

// tck 103 and 104: hooks may call what controls the pool.
TEST(threads, hooks_may_close_and_abort_their_pool) {
  const testing::watchdog dog("control in hooks");
  std::atomic<thread_pool*> at{nullptr};
  pool_options options{.core = 1, .max = 1, .capacity = 8};
  options.on_worker_start = [&](const worker_info&) {
    while (at == nullptr) {
    }
    (void)at.load()->stats();
    at.load()->cancel_pending();
  };
  options.on_unhandled = [&](const std::exception_ptr&, const task_info&) { at.load()->close(); };
  options.on_worker_stop = [&](const worker_info&) { at.load()->abort(); };
  thread_pool pool(options);
  auto first = pool.submit([] {});
  at = &pool;
  first.wait();
  EXPECT_EQ(first.state(), task_state::cancelled) << "by the start hook";
  pool.execute([] { throw 1; });
  pool.join();
  testing::expect_conserved(pool.stats());
}

}  // namespace
}  // namespace weir
