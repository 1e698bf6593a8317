// Waiting for one's own pool: B10, R10, R14, R17.

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "support/conservation.hpp"
#include "support/eventually.hpp"
#include "support/gate.hpp"
#include "support/watchdog.hpp"
#include "weir/this_task.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;
using testing::eventually;
using testing::gate;
using testing::held_worker;

task_options named(std::string name) {
  task_options options;
  options.name = std::move(name);
  return options;
}

template <class Wait>
std::string deadlock_of(Wait wait) {
  try {
    wait();
  } catch (const std::system_error& error) {
    EXPECT_EQ(error.code(), std::errc::resource_deadlock_would_occur);
    return error.what();
  }
  return "";
}

// Case 23 and tck 205.
TEST(inside, B10_a_body_runs_the_queued_task_that_it_waits_for) {
  testing::watchdog guard("inside");
  thread_pool pool = thread_pool::fixed(1, 10);
  auto outer = pool.submit([&] {
    const auto here = std::this_thread::get_id();
    auto other = pool.submit([] { return 0; });
    auto inner = pool.submit([&, here] {
      EXPECT_EQ(std::this_thread::get_id(), here);
      return 21;
    });
    const int got = 2 * inner.get();
    EXPECT_EQ(other.state(), task_state::queued) << "another task was run in its stead";
    return got;
  });
  EXPECT_EQ(outer.get(), 42);
  pool.wait_idle();
  testing::expect_conserved(pool.stats());
}

TEST(inside, B10_two_workers_that_wait_for_their_children_finish) {
  testing::watchdog guard("inside");
  thread_pool pool = thread_pool::fixed(2, 10);
  for (int round = 0; round < 500; ++round) {
    std::vector<future<int>> parents;
    for (int i = 0; i < 2; ++i) {
      parents.push_back(pool.submit([&] {
        return pool.submit([&] { return pool.submit([] { return 1; }).get() + 1; }).get() + 1;
      }));
    }
    for (auto& each : parents) EXPECT_EQ(each.get(), 3);
  }
}

TEST(inside, B10_the_task_in_place_is_its_own_task) {
  testing::watchdog guard("inside");
  thread_pool pool = thread_pool::fixed(1, 10);
  auto outer = pool.submit([&] {
    const auto mine = this_task::id();
    auto inner = pool.submit([&] { return this_task::id(); });
    const auto id = inner.id();
    EXPECT_EQ(inner.get(), id);
    EXPECT_EQ(this_task::id(), mine);
    auto fails = pool.submit([] { throw std::string("own"); });
    EXPECT_THROW(fails.get(), std::string);
  });
  outer.get();
}

// A5: a request to the outer body is not one to the inner, and abort reaches both.
TEST(inside, E2_abort_asks_the_body_in_place_to_stop) {
  testing::watchdog guard("inside");
  thread_pool pool = thread_pool::fixed(1, 10);
  gate inside;
  auto outer = pool.submit([&] {
    auto inner = pool.submit([&] {
      inside.open();
      EXPECT_FALSE(this_task::sleep_for(1h));
      return this_task::stop_requested();
    });
    EXPECT_THROW(inner.get(), task_cancelled);
    return this_task::stop_requested();
  });
  inside.wait();
  EXPECT_EQ(pool.stats().running, 2u);
  (void)pool.abort();
  EXPECT_THROW(outer.get(), task_cancelled);
}

TEST(inside, B10_a_cancelled_child_ends_the_wait) {
  testing::watchdog guard("inside");
  thread_pool pool = thread_pool::fixed(1, 10);
  pool.submit([&] {
        auto inner = pool.submit([] {});
        inner.cancel();
        EXPECT_THROW(inner.get(), task_cancelled);
      })
      .get();
}

TEST(inside, B10_a_circle_of_two_is_reported_with_their_names) {
  testing::watchdog guard("inside");
  thread_pool pool = thread_pool::fixed(2, 10);
  gate both;
  const testing::opens_at_exit opens(both);
  future<void> left;
  future<void> right;
  std::vector<std::string> texts(2);
  left = pool.submit(named("left"), [&] {
    both.wait();
    texts[0] = deadlock_of([&] { right.wait(); });
  });
  right = pool.submit(named("right"), [&] {
    both.wait();
    texts[1] = deadlock_of([&] { left.wait(); });
  });
  EXPECT_TRUE(eventually([&] { return pool.stats().running == 2; }));
  both.open();
  pool.wait_idle();
  const std::string text = texts[0] + texts[1];
  EXPECT_TRUE(texts[0].empty() != texts[1].empty()) << "exactly one of them closes the circle";
  EXPECT_NE(text.find("(left)"), std::string::npos) << text;
  EXPECT_NE(text.find("(right)"), std::string::npos) << text;
}

TEST(inside, R18_waiting_for_an_outer_body_of_the_same_stack_is_a_deadlock) {
  testing::watchdog guard("inside");
  thread_pool pool = thread_pool::fixed(1, 10);
  future<void> outer;
  gate known;
  const testing::opens_at_exit opens(known);
  std::string text;
  outer = pool.submit(named("outer"), [&] {
    known.wait();
    pool.submit([&] { text = deadlock_of([&] { outer.wait(); }); }).get();
  });
  known.open();
  outer.get();
  EXPECT_NE(text.find("task 2 waits for task 1 (outer)"), std::string::npos) << text;
}

TEST(inside, R17_a_wait_for_a_delayed_task_sleeps_until_it_is_due_and_runs_it) {
  testing::watchdog guard("inside");
  manual_clock time;
  pool_options options;
  options.core = options.max = 1;
  options.capacity = 4;
  options.clock = &time;
  thread_pool pool(std::move(options));
  gate waits;
  auto outer = pool.submit([&] {
    auto later = pool.submit_after(1h, [] { return 7; });
    waits.open();
    return later.get();
  });
  waits.wait();
  EXPECT_FALSE(outer.wait_for(0s));
  time.advance(1h);
  EXPECT_EQ(outer.get(), 7);
}

TEST(inside, R17_on_the_real_clock_too) {
  testing::watchdog guard("inside");
  thread_pool pool = thread_pool::fixed(1, 4);
  auto outer = pool.submit([&] {
    const auto start = std::chrono::steady_clock::now();
    pool.submit_after(20ms, [] {}).get();
    return std::chrono::steady_clock::now() - start;
  });
  EXPECT_GE(outer.get(), 20ms);
}

TEST(inside, R17_deeper_than_the_limit_waits_for_other_workers) {
  testing::watchdog guard("inside");
  thread_pool pool = thread_pool::fixed(2, 1000);
  std::function<int(int)> dive = [&](int depth) {
    return depth == 0 ? 0 : pool.submit([&, depth] { return dive(depth - 1); }).get() + 1;
  };
  EXPECT_EQ(pool.submit([&] { return dive(65); }).get(), 65);
}

TEST(inside, R17_deeper_than_the_limit_with_nobody_left_is_a_deadlock) {
  testing::watchdog guard("inside");
  thread_pool pool = thread_pool::fixed(1, 1000);
  std::function<int(int)> dive = [&](int depth) {
    return depth == 0 ? 0 : pool.submit([&, depth] { return dive(depth - 1); }).get() + 1;
  };
  EXPECT_NE(deadlock_of([&] { (void)pool.submit([&] { return dive(100); }).get(); }), "");
  pool.wait_idle();
}

TEST(inside, R14_a_paused_pool_runs_nothing_in_place_until_it_is_resumed) {
  testing::watchdog guard("inside");
  thread_pool pool = thread_pool::fixed(1, 4);
  gate paused;
  gate waits;
  const testing::opens_at_exit opens(paused);
  std::atomic<bool> ran{false};
  gate started;
  auto outer = pool.submit([&] {
    auto inner = pool.submit([&] { ran = true; });
    started.open();
    paused.wait();
    waits.open();
    inner.get();
  });
  started.wait();
  pool.pause();
  paused.open();
  waits.wait();
  EXPECT_FALSE(outer.wait_for(20ms)) << "one-sided: it must not come";
  EXPECT_FALSE(ran);
  pool.resume();
  outer.get();
  EXPECT_TRUE(ran);
}

TEST(inside, D1_a_wait_with_a_limit_runs_nothing_in_place) {
  testing::watchdog guard("inside");
  thread_pool pool = thread_pool::fixed(1, 4);
  pool.submit([&] {
        auto inner = pool.submit([] {});
        EXPECT_FALSE(inner.wait_for(1ms));
        EXPECT_FALSE(inner.wait_for(0ms));
        EXPECT_EQ(inner.state(), task_state::queued);
        inner.get();
      })
      .get();
}

// tck 75.
TEST(inside, R10_a_worker_that_waits_for_room_that_nobody_can_make_is_told_so) {
  testing::watchdog guard("inside");
  pool_options options;
  options.core = options.max = 1;
  options.capacity = 1;
  options.on_saturation = saturation::block;
  thread_pool pool(std::move(options));
  std::string text;
  future<void> queued;
  auto outer = pool.submit(named("producer"), [&] {
    queued = pool.submit([] {});
    text = deadlock_of([&] { (void)pool.submit([] { ADD_FAILURE() << "it was refused"; }); });
  });
  outer.get();
  EXPECT_NE(text.find("(producer) waits for room"), std::string::npos) << text;
  queued.get();
  pool.wait_idle();
  testing::expect_conserved(pool.stats());
}

TEST(inside, R10_with_another_worker_at_work_it_waits_for_room) {
  testing::watchdog guard("inside");
  pool_options options;
  options.core = options.max = 2;
  options.capacity = 1;
  options.on_saturation = saturation::block;
  thread_pool pool(std::move(options));
  held_worker other(pool);
  future<void> queued;
  future<void> blocked;
  auto outer = pool.submit([&] {
    queued = pool.submit([] {});
    blocked = pool.submit([] {});
  });
  EXPECT_TRUE(eventually([&] { return pool.stats().blocked == 1; }));
  other.release();
  outer.get();
  queued.get();
  blocked.get();
}

TEST(inside, R10_a_limit_or_a_stop_ends_the_wait_for_room_by_itself) {
  testing::watchdog guard("inside");
  thread_pool pool = thread_pool::fixed(1, 1);
  pool.submit([&] {
        auto queued = pool.submit([] {});
        EXPECT_EQ(pool.try_submit_for(1ms, [] {}).why(), reject_reason::deadline);
        std::stop_source stop;
        stop.request_stop();
        EXPECT_EQ(pool.try_submit_for(1h, stop.get_token(), [] {}).why(), reject_reason::stopped);
      })
      .get();
}

TEST(inside, B10_while_a_body_blocks_the_pool_may_add_a_worker) {
  testing::watchdog guard("inside");
  pool_options options;
  options.core = 1;
  options.max = 2;
  options.capacity = 10;
  thread_pool pool(std::move(options));
  // Once for a task that waits already, once for one that comes later.
  for (const bool before : {true, false}) {
    gate inside;
    gate queued;
    gate opened;
    auto outer = pool.submit([&] {
      if (before) queued.wait();
      const this_task::blocking on_hold;
      const this_task::blocking scopes_nest;
      inside.open();
      opened.wait();
    });
    if (!before) inside.wait();
    auto opener = pool.submit([&] { opened.open(); });
    queued.open();
    opener.get();
    outer.get();
  }
  EXPECT_EQ(pool.stats().workers_max, 2u);
}

TEST(inside, B10_blocking_never_goes_beyond_max) {
  testing::watchdog guard("inside");
  thread_pool pool = thread_pool::fixed(1, 4);
  pool.submit([&] {
        auto inner = pool.submit([] {});
        { const this_task::blocking on_hold; }
        EXPECT_EQ(pool.size(), 1u);
      })
      .get();
  { const this_task::blocking outside_of_a_body_it_does_nothing; }
}

// tck 205: invoke_all and invoke_any from inside.
TEST(inside, B10_bulk_verbs_work_on_a_worker) {
  testing::watchdog guard("inside");
  thread_pool pool = thread_pool::fixed(1, 10);
  pool.submit([&] {
        std::vector<std::function<int()>> bodies{[]() -> int { throw 1; }, [] { return 2; }};
        auto all = pool.invoke_all(bodies);
        EXPECT_EQ(all[1].get(), 2);
        EXPECT_THROW(all[0].get(), int);
        EXPECT_EQ(pool.invoke_any(bodies), 2);
      })
      .get();
}

// tck 197, 199, 204.
TEST(inside, B5_bulk_verbs_with_a_limit_leave_nothing_behind) {
  testing::watchdog guard("inside");
  thread_pool pool = thread_pool::fixed(1, 10);
  std::vector<std::function<int()>> bodies{[] { return 1; },
                                           [] {
                                             this_task::sleep_for(1h);
                                             return 2;
                                           },
                                           [] { return 3; }};
  auto all = pool.invoke_all_for(50ms, bodies);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_TRUE(is_terminal(all[0].state()));
  EXPECT_THROW(all[1].get(), task_cancelled);
  EXPECT_EQ(all[2].state(), task_state::cancelled);
  bodies.erase(bodies.begin());
  EXPECT_EQ(pool.invoke_any_for(60s, std::vector{bodies[1]}), 3);
  EXPECT_THROW(pool.invoke_any_for(20ms, std::vector{bodies[0]}), timed_out);
  pool.wait_idle();
  testing::expect_conserved(pool.stats());
}

}  // namespace
}  // namespace weir
