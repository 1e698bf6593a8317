// A pool that holds its breath: R14.

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <vector>

#include "support/conservation.hpp"
#include "support/eventually.hpp"
#include "support/gate.hpp"
#include "support/thread_switches.hpp"
#include "support/watchdog.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;
using testing::eventually;
using testing::gate;
using testing::held_worker;

class order_log {
 public:
  auto writes(int what) {
    return [this, what] {
      const std::lock_guard lock(mutex_);
      seen_.push_back(what);
    };
  }
  [[nodiscard]] std::vector<int> seen() const {
    const std::lock_guard lock(mutex_);
    return seen_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<int> seen_;
};

// Case 13 and tck 105: the places are all there is, whether or not workers are idle.
TEST(pause, R14_a_paused_pool_accepts_exactly_its_places) {
  const testing::watchdog guard("pause");
  for (const bool with_workers : {false, true}) {
    thread_pool pool = thread_pool::fixed(2, 3);
    if (with_workers) {
      EXPECT_EQ(pool.prestart_core(), 2u);
    }
    pool.pause();
    EXPECT_TRUE(pool.paused());
    std::vector<future<int>> accepted;
    for (int i = 0; i < 3; ++i) accepted.push_back(pool.submit([i] { return i; }));
    EXPECT_EQ(pool.try_submit([] {}).why(), reject_reason::saturated);
    EXPECT_EQ(pool.stats().running, 0u);
    EXPECT_EQ(pool.stats().queued, 3u);
    pool.resume();
    for (int i = 0; i < 3; ++i) EXPECT_EQ(accepted[static_cast<std::size_t>(i)].get(), i);
    pool.wait_idle();
    testing::expect_conserved(pool.stats());
  }
}

TEST(pause, R14_without_places_it_accepts_nothing) {
  thread_pool pool = thread_pool::cached(2, 1s);
  pool.pause();
  EXPECT_EQ(pool.try_submit([] {}).why(), reject_reason::saturated);
  pool.resume();
  pool.submit([] {}).get();
}

TEST(pause, R14_a_running_body_goes_on_and_nothing_follows_it) {
  const testing::watchdog guard("pause");
  thread_pool pool = thread_pool::fixed(1, 4);
  held_worker busy(pool);
  auto next = pool.submit([] { return 7; });
  pool.pause();
  busy.release();
  EXPECT_TRUE(eventually([&] { return pool.stats().idle == 1; }));
  EXPECT_EQ(next.state(), task_state::queued);
  pool.resume();
  EXPECT_EQ(next.get(), 7);
}

TEST(pause, R14_after_resume_the_order_is_due_then_id) {
  const testing::watchdog guard("pause");
  manual_clock time;
  pool_options options;
  options.core = options.max = 1;
  options.capacity = unbounded;
  options.clock = &time;
  thread_pool pool(std::move(options));
  order_log log;
  pool.pause();
  pool.submit_after(2ms, log.writes(4));
  pool.submit_after(1ms, log.writes(1));
  pool.execute(log.writes(0));
  time.advance(1ms);
  pool.execute(log.writes(2));
  pool.execute(log.writes(3));
  time.advance(5ms);
  pool.execute(log.writes(5));
  pool.resume();
  pool.wait_idle();
  EXPECT_EQ(log.seen(), (std::vector<int>{0, 1, 2, 3, 4, 5}));
}

// What a worker has claimed ahead is taken back: it had not started.
TEST(pause, R2_R14_claims_ahead_go_back_in_order) {
  const testing::watchdog guard("pause");
  for (int round = 0; round < 50; ++round) {
    thread_pool pool = thread_pool::fixed(2, unbounded);
    std::atomic<int> ran{0};
    std::atomic<int> wrong{0};
    for (int i = 0; i < 2000; ++i) {
      pool.execute([&] { ran.fetch_add(1); });
      if (i == 1000) pool.pause();
    }
    EXPECT_TRUE(eventually([&] { return pool.stats().running == 0; }));
    const int before = ran.load();
    const pool_stats now = pool.stats();
    EXPECT_EQ(now.queued, 2000u - static_cast<std::size_t>(before));
    pool.set_sizes(1, 1);
    EXPECT_TRUE(eventually([&] { return pool.size() <= 1; }));
    pool.execute([&] { wrong += ran.load() == 2000 ? 0 : 1; });
    EXPECT_EQ(ran.load(), before) << "a body has started in a paused pool";
    pool.resume();
    pool.wait_idle();
    EXPECT_EQ(ran.load(), 2000);
    EXPECT_EQ(wrong.load(), 0) << "the youngest did not run last";
    testing::expect_conserved(pool.stats());
  }
}

TEST(pause, R14_it_sleeps_without_a_deadline) {
  const testing::watchdog guard("pause");
  pool_options options;
  options.core = 1;
  options.max = 2;
  options.keep_alive = 1ms;
  options.core_may_time_out = true;
  options.capacity = 4;
  thread_pool pool(std::move(options));
  EXPECT_TRUE(pool.prestart_one());
  pool.pause();
  auto waits = pool.submit([] {});
  auto later = pool.submit_after(1ms, [] {});
  EXPECT_TRUE(eventually([&] { return later.due() <= std::chrono::steady_clock::now(); }));
  EXPECT_EQ(pool.size(), 1u) << "keep-alive goes on in a paused pool";
  EXPECT_EQ(waits.state(), task_state::queued);
  EXPECT_EQ(later.state(), task_state::queued);
  pool.resume();
  waits.get();
  later.get();
}

TEST(pause, R14_cancel_discard_and_drain_work_as_ever) {
  const testing::watchdog guard("pause");
  pool_options options;
  options.core = options.max = 1;
  options.capacity = 2;
  options.on_saturation = saturation::discard_oldest;
  thread_pool pool(std::move(options));
  pool.pause();
  auto first = pool.submit([] { return 1; });
  auto second = pool.submit([] { return 2; });
  auto third = pool.submit([] { return 3; });
  EXPECT_EQ(first.state(), task_state::cancelled);
  EXPECT_EQ(second.cancel(), cancel_result::cancelled);
  auto drained = pool.shutdown_now();
  ASSERT_EQ(drained.size(), 1u);
  drained.front()();
  EXPECT_EQ(third.get(), 3);
  EXPECT_TRUE(pool.join_for(10s)) << "nothing is left to start";
}

TEST(pause, R14_join_of_a_closed_paused_pool_says_that_work_remains) {
  const testing::watchdog guard("pause");
  thread_pool pool = thread_pool::fixed(1, 1);
  pool.pause();
  auto waits = pool.submit([] {});
  pool.close();
  EXPECT_FALSE(pool.join_for(0s));
  pool.resume();
  EXPECT_TRUE(pool.join_for(60s));
  waits.get();
}

TEST(pause, R14_the_destructor_resumes) {
  const testing::watchdog guard("pause");
  future<int> result;
  {
    thread_pool pool = thread_pool::fixed(1, 1);
    pool.pause();
    result = pool.submit([] { return 5; });
  }
  EXPECT_EQ(result.get(), 5);
}

TEST(pause, R10_a_blocked_submitter_waits_for_the_resume) {
  const testing::watchdog guard("pause");
  pool_options options;
  options.core = options.max = 1;
  options.capacity = 1;
  options.on_saturation = saturation::block;
  thread_pool pool(std::move(options));
  pool.pause();
  auto first = pool.submit([] { return 1; });
  future<int> second;
  std::thread blocked([&] { second = pool.submit([] { return 2; }); });
  EXPECT_TRUE(eventually([&] { return pool.stats().blocked == 1; }));
  pool.resume();
  blocked.join();
  EXPECT_EQ(first.get(), 1);
  EXPECT_EQ(second.get(), 2);
}

TEST(pause, twice_is_once_and_so_is_resuming) {
  thread_pool pool = thread_pool::fixed(1, 1);
  pool.resume();
  pool.pause();
  pool.pause();
  pool.resume();
  EXPECT_FALSE(pool.paused());
  pool.submit([] {}).get();
}

}  // namespace
}  // namespace weir
