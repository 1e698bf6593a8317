// The worked examples of the contract, W1 … W8: each is one story, told from end to end.
// None sleeps to make something true: bodies are held by gates, time is moved by hand.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <memory>
#include <stdexcept>
#include <string>
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
using testing::opens_at_exit;

pool_options one_worker(std::size_t capacity, manual_clock& clock) {
  pool_options options;
  options.core = options.max = 1;
  options.capacity = capacity;
  options.clock = &clock;
  return options;
}

reject_reason why_refused(thread_pool& pool) {
  try {
    (void)pool.submit([] { ADD_FAILURE() << "a refused body runs"; });
  } catch (const rejected& refusal) {
    return refusal.why();
  }
  ADD_FAILURE() << "it was accepted";
  return reject_reason::forked;
}

// tck 10, 156.
TEST(worked_examples, W1_one_worker_one_place_then_close) {
  thread_pool pool = thread_pool::fixed(1, 1);
  held_worker a(pool);
  std::atomic<bool> b_ran{false};
  auto b = pool.submit([&] { b_ran = true; });
  EXPECT_EQ(b.state(), task_state::queued);
  EXPECT_EQ(why_refused(pool), reject_reason::saturated);
  EXPECT_FALSE(b_ran);
  a.release();
  pool.close();
  EXPECT_EQ(why_refused(pool), reject_reason::closed);
  b.wait();
  EXPECT_EQ(b.state(), task_state::succeeded);
  EXPECT_TRUE(b_ran);
  EXPECT_TRUE(pool.join_for(testing::k_patience));
  EXPECT_TRUE(pool.terminated());
  EXPECT_EQ(pool.stats().refused, 2u);
  testing::expect_conserved(pool.stats());
}

TEST(worked_examples, W2_a_cancelled_delayed_task_gives_its_place_back) {
  manual_clock clock;
  thread_pool pool(one_worker(2, clock));
  std::atomic<bool> later_ran{false};
  auto cancelled = pool.submit_after(1s, [] { ADD_FAILURE() << "a cancelled body runs"; });
  auto later = pool.submit_after(1s, [&] { later_ran = true; });
  EXPECT_THROW((void)pool.submit_after(1s, [] {}), rejected);
  EXPECT_EQ(cancelled.cancel(), cancel_result::cancelled);
  auto soon = pool.submit_after(100ms, [] {});
  clock.advance(99ms);
  EXPECT_EQ(soon.state(), task_state::queued);
  clock.advance(1ms);
  soon.get();
  EXPECT_FALSE(later_ran);
  EXPECT_EQ(later.state(), task_state::queued);
  clock.advance(900ms);
  later.get();
  EXPECT_TRUE(later_ran);
  EXPECT_EQ(cancelled.cancellation(), cancellation::never_started);
}

// tck 167, 169, where Java calls it cancelled while it runs.
TEST(worked_examples, W3_a_body_that_ignores_its_stop_request) {
  thread_pool pool = thread_pool::fixed(1, 2);
  gate entered, release;
  const opens_at_exit opener(release);
  auto deaf = pool.submit([&] {
    entered.open();
    release.wait();
    EXPECT_TRUE(this_task::stop_requested());
    return 1;
  });
  auto next = pool.submit([] { return this_task::stop_requested(); });
  entered.wait();
  EXPECT_EQ(deaf.state(), task_state::running);
  EXPECT_EQ(deaf.cancel(), cancel_result::requested);
  EXPECT_EQ(deaf.state(), task_state::cancel_requested);
  EXPECT_FALSE(deaf.wait_for(0s));
  EXPECT_EQ(deaf.cancellation(), std::nullopt);
  release.open();
  deaf.wait();
  EXPECT_EQ(deaf.state(), task_state::cancelled);
  EXPECT_EQ(deaf.cancellation(), cancellation::returned);
  EXPECT_THROW(deaf.get(), task_cancelled);
  EXPECT_FALSE(next.get()) << "the stop request leaked into the next task (A5)";
}

// tck 214.
TEST(worked_examples, W4_equal_due_times_start_in_submission_order) {
  manual_clock clock;
  thread_pool pool(one_worker(64, clock));
  std::vector<int> order;
  std::vector<future<void>> all;
  for (int at = 0; at < 64; ++at) {
    all.push_back(pool.submit_after(1s, [&order, at] { order.push_back(at); }));
  }
  clock.advance(1s);
  for (auto& each : all) each.get();
  for (int at = 0; at < 64; ++at) EXPECT_EQ(order[static_cast<std::size_t>(at)], at);
}

/// Core 2, max 4, capacity 1, filled by five bodies that do not end.
struct filled_S2_pool {
  explicit filled_S2_pool(saturation policy)
      : pool({.core = 2, .max = 4, .capacity = 1, .on_saturation = policy}) {
    const std::size_t sizes[] = {1, 2, 2, 3, 4};
    for (const std::size_t size : sizes) {
      tasks.push_back(pool.submit([this] {
        ++entered;
        release.wait();
      }));
      EXPECT_EQ(pool.size(), size);
    }
    EXPECT_TRUE(eventually([this] { return entered == 4; }));
    EXPECT_EQ(pool.stats().queued, 1u);
  }
  ~filled_S2_pool() { release.open(); }

  std::atomic<int> entered{0};
  gate release;
  thread_pool pool;
  std::vector<future<void>> tasks;
};

// tck 43.
TEST(worked_examples, W5_growth_then_reject) {
  filled_S2_pool filled(saturation::reject);
  EXPECT_EQ(why_refused(filled.pool), reject_reason::saturated);
  EXPECT_EQ(filled.pool.size(), 4u);
}

// tck 59.
TEST(worked_examples, W5_growth_then_caller_runs) {
  filled_S2_pool filled(saturation::caller_runs);
  auto sixth = filled.pool.submit([] { return std::this_thread::get_id(); });
  EXPECT_EQ(sixth.state(), task_state::succeeded);
  EXPECT_EQ(sixth.get(), std::this_thread::get_id());
  EXPECT_EQ(filled.pool.stats().caller_ran, 1u);
}

// tck 61.
TEST(worked_examples, W5_growth_then_discard) {
  filled_S2_pool filled(saturation::discard);
  auto sixth = filled.pool.submit([] { ADD_FAILURE() << "a discarded body runs"; });
  EXPECT_EQ(sixth.state(), task_state::cancelled);
  try {
    sixth.get();
    ADD_FAILURE() << "get returned";
  } catch (const task_cancelled& end) {
    EXPECT_EQ(end.reason(), cancel_reason::discarded);
  }
  EXPECT_EQ(filled.pool.stats().accepted, 5u) << "R22: a discarded new task counts as refused";
  EXPECT_EQ(filled.pool.stats().refused, 1u);
}

// tck 62.
TEST(worked_examples, W5_growth_then_discard_oldest) {
  filled_S2_pool filled(saturation::discard_oldest);
  auto sixth = filled.pool.submit([] { return 6; });
  EXPECT_EQ(sixth.state(), task_state::queued);
  const auto gone = std::count_if(filled.tasks.begin(), filled.tasks.end(), [](const auto& each) {
    return each.state() == task_state::cancelled;
  });
  EXPECT_EQ(gone, 1);
  filled.release.open();
  EXPECT_EQ(sixth.get(), 6);
}

TEST(worked_examples, W5_growth_then_block) {
  filled_S2_pool filled(saturation::block);
  future<int> sixth;
  std::thread submitter([&] { sixth = filled.pool.submit([] { return 6; }); });
  EXPECT_TRUE(eventually([&] { return filled.pool.stats().blocked == 1; }));
  EXPECT_EQ(filled.pool.stats().accepted, 5u);
  filled.release.open();
  submitter.join();
  EXPECT_EQ(sixth.get(), 6);
}

// tck 153.
TEST(worked_examples, W6_admission_racing_abort) {
  const testing::watchdog dog("admission racing abort");
  constexpr int k_rounds = 10'000;
  std::unique_ptr<thread_pool> pool;
  std::barrier meet(3);
  std::vector<future<void>> accepted[2];
  const auto submit = [&](std::vector<future<void>>& mine) {
    for (int round = 0; round < k_rounds; ++round) {
      meet.arrive_and_wait();
      for (int task = 0; task < 4; ++task) {
        if (auto answer = pool->try_submit([] {})) mine.push_back(*std::move(answer));
      }
      meet.arrive_and_wait();
    }
  };
  std::thread one([&] { submit(accepted[0]); });
  std::thread two([&] { submit(accepted[1]); });
  std::size_t lost = 0;
  for (int round = 0; round < k_rounds; ++round) {
    pool = std::make_unique<thread_pool>(pool_options{.max = 1, .capacity = 8});
    meet.arrive_and_wait();
    pool->abort();
    meet.arrive_and_wait();
    pool->join();
    const pool_stats end = pool->stats();
    const auto futures = accepted[0].size() + accepted[1].size();
    if (end.accepted != end.succeeded + end.failed + end.cancelled || end.accepted != futures)
      ++lost;
    for (auto& mine : accepted) {
      for (auto& each : mine) lost += is_terminal(each.state()) ? 0 : 1;
      mine.clear();
    }
  }
  one.join();
  two.join();
  EXPECT_EQ(lost, 0u);
}

TEST(worked_examples, W7_an_earlier_job_overtakes_the_one_the_pool_sleeps_for) {
  manual_clock clock;
  thread_pool pool(one_worker(2, clock));
  std::vector<char> order;
  auto late = pool.submit_after(1s, [&] { order.push_back('l'); });
  ASSERT_TRUE(eventually([&] { return pool.stats().idle == 1; }));
  auto early = pool.submit_after(50ms, [&] { order.push_back('e'); });
  EXPECT_TRUE(clock.advance_to_next_due());
  EXPECT_EQ(clock.now().time_since_epoch(), 50ms);
  early.get();
  EXPECT_EQ(late.state(), task_state::queued);
  EXPECT_TRUE(clock.advance_to_next_due());
  EXPECT_EQ(clock.now().time_since_epoch(), 1s);
  late.get();
  EXPECT_EQ(order, (std::vector<char>{'e', 'l'}));
  EXPECT_FALSE(clock.advance_to_next_due());
}

TEST(worked_examples, W7_an_idle_pool_uses_no_processor_and_starts_nothing_early) {
  pool_options options;
  options.core = options.max = 2;
  options.capacity = 4;
  options.name = "still";
  thread_pool pool(options);
  auto hour = pool.submit_after(1h, [] {});
  auto second = pool.submit([] {});  // both workers exist, both are about to sleep
  second.get();
  const auto asleep = [&hour](std::chrono::milliseconds time) {
    const auto before = testing::switches_of_threads("still-");
    EXPECT_FALSE(hour.wait_for(time));
    return before == testing::switches_of_threads("still-");
  };
  // A worker that gives the memory of an earlier burst back gets up once for it, within this time.
  ASSERT_TRUE(eventually([&] { return asleep(150ms); })) << "the idle workers do not come to rest";
  EXPECT_TRUE(asleep(300ms)) << "C2: an idle worker was switched to";

  const auto due = std::chrono::steady_clock::now() + 50ms;
  auto started = pool.submit_at(due, [] { return std::chrono::steady_clock::now(); });
  EXPECT_GE(started.get(), due);
  EXPECT_EQ(hour.state(), task_state::queued);
  ASSERT_TRUE(eventually([&] { return asleep(20ms); }));
  EXPECT_TRUE(asleep(200ms)) << "C2: an idle worker was switched to";
}

TEST(worked_examples, W8_two_bodies_at_once_and_a_failure_stops_nobody) {
  thread_pool pool = thread_pool::fixed(2, 4);
  std::barrier both(2);
  auto one = pool.submit([&] { both.arrive_and_wait(); });
  auto two = pool.submit([&]() -> int {
    both.arrive_and_wait();
    throw std::runtime_error("of its own");
  });
  auto next = pool.submit([] { return 3; });
  one.get();
  try {
    (void)two.get();
    ADD_FAILURE() << "get returned";
  } catch (const std::runtime_error& own) {
    EXPECT_STREQ(own.what(), "of its own");
  }
  EXPECT_EQ(next.get(), 3);
  EXPECT_EQ(pool.size(), 2u);
  EXPECT_EQ(pool.stats().failed, 1u);
}

}  // namespace
}  // namespace weir
