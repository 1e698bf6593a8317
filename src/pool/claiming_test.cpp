// What a worker has claimed ahead stays open to everybody. Whether it does claim ahead depends on
// how fast the machine is: every test holds either way.

#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "support/conservation.hpp"
#include "support/gate.hpp"
#include "support/watchdog.hpp"
#include "weir/this_task.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;

constexpr int k_short = 100;  // enough to be trusted with claims of any size
constexpr int k_rest = 25;

/// A pool whose first worker stands in a body behind which it has most probably claimed others.
struct claiming : ::testing::Test {
  explicit claiming(std::size_t workers = 1, saturation policy = saturation::reject,
                    std::size_t max = 0)
      : pool(options_for(workers, policy, std::max(workers, max))) {}
  ~claiming() override { gate.open(); }

  static pool_options options_for(std::size_t workers, saturation policy, std::size_t max) {
    pool_options options;
    options.core = workers;
    options.max = max;
    options.capacity = k_short + 1 + k_rest - workers;
    options.on_saturation = policy;
    return options;
  }

  void fill(std::function<void()> stuck = {}) {
    std::vector<std::function<void()>> bodies(k_short, [] {});
    bodies.push_back(stuck ? stuck : [this] { gate.wait(); });
    for (int at = 0; at < k_rest; ++at) {
      bodies.emplace_back([this, at] {
        if (at == 0 && first_of_rest) first_of_rest();
        if (pool.size() == 1) order.push_back(at);
        ++ran;
      });
    }
    tasks = pool.submit_all(std::move(bodies));
    while (tasks[k_short].state() == task_state::queued) std::this_thread::yield();
  }
  future<void>& rest(int at) { return tasks[static_cast<std::size_t>(k_short + 1 + at)]; }

  testing::watchdog dog{"claims ahead"};
  testing::gate gate;
  std::function<void()> first_of_rest;
  std::vector<int> order;
  std::atomic<int> ran{0};
  thread_pool pool;
  std::vector<future<void>> tasks;
};

TEST_F(claiming, R2_counts_and_states_say_queued) {
  fill();
  EXPECT_EQ(pool.stats().queued, std::size_t{k_rest});
  EXPECT_EQ(pool.stats().succeeded, std::uint64_t{k_short});
  for (int at = 0; at < k_rest; ++at) EXPECT_EQ(rest(at).state(), task_state::queued);
}

TEST_F(claiming, R2_each_may_be_cancelled) {
  fill();
  for (int at = 0; at < k_rest; at += 2) EXPECT_EQ(rest(at).cancel(), cancel_result::cancelled);
  EXPECT_EQ(pool.stats().queued, std::size_t{k_rest / 2});
  gate.open();
  pool.wait_idle();
  EXPECT_EQ(ran, k_rest / 2);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
  testing::expect_conserved(pool.stats());
}

TEST_F(claiming, B3_a_cancelled_one_gives_its_place_back_at_once) {
  fill();
  std::size_t room = 0;
  while (pool.try_submit([] {}).accepted()) ++room;
  EXPECT_EQ(room, std::size_t{k_short}) << "exactly the places of those that have run";
  rest(3).cancel();
  EXPECT_TRUE(pool.try_submit([] {}).accepted());
  EXPECT_FALSE(pool.try_submit([] {}).accepted());
}

TEST_F(claiming, R12_a_batch_fits_exactly_into_the_places_of_those_that_have_started) {
  fill();
  EXPECT_EQ(pool.submit_all(std::vector<std::function<void()>>(k_short, [] {})).size(),
            std::size_t{k_short});
  EXPECT_THROW(pool.submit_all(std::vector<std::function<void()>>(1, [] {})), rejected);
}

TEST_F(claiming, B8_one_worker_starts_in_order) {
  fill();
  gate.open();
  pool.wait_idle();
  EXPECT_EQ(order.size(), std::size_t{k_rest});
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST_F(claiming, abort_cancels_all_and_asks_the_running_one) {
  fill([] {
    while (!this_task::stop_requested()) std::this_thread::yield();
  });
  EXPECT_EQ(pool.abort(), std::size_t{k_rest});
  pool.join();
  EXPECT_EQ(ran, 0);
  EXPECT_EQ(tasks[k_short].state(), task_state::cancelled);
}

TEST_F(claiming, shutdown_now_hands_all_back_in_order) {
  fill();
  auto drained = pool.shutdown_now();
  ASSERT_EQ(drained.size(), std::size_t{k_rest});
  for (auto& each : drained) each();
  EXPECT_EQ(ran, k_rest);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST_F(claiming, R20_cancel_pending_leaves_the_running_one) {
  fill();
  EXPECT_EQ(pool.cancel_pending(), std::size_t{k_rest});
  EXPECT_EQ(tasks[k_short].state(), task_state::running);
}

TEST_F(claiming, R27_a_lost_worker_loses_none_of_them) {
  fill([this] {
    gate.wait();
    pthread_exit(nullptr);
  });
  gate.open();
  pool.wait_idle();
  EXPECT_EQ(ran, k_rest);
  EXPECT_EQ(tasks[k_short].state(), task_state::failed);
  EXPECT_THROW(tasks[k_short].get(), std::runtime_error);
  EXPECT_EQ(pool.size(), 1u);
}

TEST_F(claiming, R27_nor_does_one_that_is_lost_after_close) {
  fill([this] {
    gate.wait();
    pthread_exit(nullptr);
  });
  pool.close();
  gate.open();
  pool.join();
  EXPECT_EQ(ran, k_rest);
  EXPECT_THROW(tasks[k_short].get(), std::runtime_error);
}

struct claiming_and_growing : claiming {
  claiming_and_growing() : claiming(1, saturation::reject, 2) {}
};

// The place of a lost worker holds claims; a worker that comes later must not settle there.
TEST_F(claiming_and_growing, R27_nor_when_another_worker_comes_after_it) {
  testing::gate held;
  const testing::opens_at_exit open(held);
  first_of_rest = [&held] { held.wait(); };
  fill([this] {
    gate.wait();
    pthread_exit(nullptr);
  });
  gate.open();
  while (rest(0).state() == task_state::queued) std::this_thread::yield();
  std::uint64_t more = 0;
  while (pool.size() < 2) more += pool.try_submit([] {}).accepted();
  for (int at = 0; at < 20'000; ++at) more += pool.try_submit([] {}).accepted();
  held.open();
  pool.wait_idle();
  EXPECT_EQ(ran, k_rest);
  EXPECT_EQ(pool.stats().succeeded, k_short + k_rest + more);
  EXPECT_THROW(tasks[k_short].get(), std::runtime_error);
}

struct claiming_of_two : claiming {
  claiming_of_two() : claiming(2) {}
};

// The others may have been claimed by the worker that stands still.
TEST_F(claiming_of_two, B8_no_task_waits_for_a_stuck_worker_while_another_is_idle) {
  fill();
  for (int at = 0; at < k_rest; ++at) rest(at).wait();
  EXPECT_EQ(tasks[k_short].state(), task_state::running);
}

// Younger tasks come without end; the older ones must not wait for an end of that.
TEST_F(claiming_of_two, B8_nor_while_the_other_one_is_busy) {
  fill();
  std::atomic<bool> over{false};
  std::function<void()> again = [&] {
    if (!over) (void)pool.try_submit(again);
  };
  for (int chain = 0; chain < 8; ++chain) (void)pool.try_submit(again);
  for (int at = 0; at < k_rest; ++at) rest(at).wait();
  over = true;
  gate.open();
  pool.wait_idle();
}

struct claiming_when_full : claiming {
  claiming_when_full() : claiming(1, saturation::block) {}
};

TEST_F(claiming_when_full, R10_a_blocked_submitter_hears_of_a_start_out_of_claims) {
  fill();
  while (pool.try_submit([] {}).accepted()) {
  }
  std::thread blocked([this] { pool.execute([] {}); });
  while (pool.stats().blocked == 0) std::this_thread::yield();
  gate.open();
  blocked.join();
  pool.wait_idle();
  EXPECT_EQ(ran, k_rest);
}

struct claiming_and_discarding : claiming {
  claiming_and_discarding() : claiming(1, saturation::discard_oldest) {}
};

TEST_F(claiming_and_discarding, B4_the_oldest_goes_first) {
  fill();
  while (pool.try_submit([] {}).accepted()) {
  }
  for (int at = 0; at < 3; ++at) {
    pool.execute([] {});
    EXPECT_EQ(rest(at).state(), task_state::cancelled);
  }
  EXPECT_EQ(rest(3).state(), task_state::queued);
  gate.open();
  pool.wait_idle();
  EXPECT_EQ(ran, k_rest - 3);
}

}  // namespace
}  // namespace weir
