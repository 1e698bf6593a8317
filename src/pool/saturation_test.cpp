// What happens to the rest: B4, R8 … R10, R12, R13, R22.

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support/conservation.hpp"
#include "support/eventually.hpp"
#include "support/gate.hpp"
#include "support/pool_shape.hpp"
#include "support/watchdog.hpp"
#include "weir/this_task.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;
using testing::eventually;
using testing::gate;
using testing::held_worker;
using testing::sized;

using policy = decltype(pool_options::on_saturation);

pool_options with(policy chosen, std::size_t capacity = 1) {
  pool_options options = sized(1, 1, capacity);
  options.on_saturation = std::move(chosen);
  return options;
}

cancel_reason reason(future<void>& task) {
  try {
    task.get();
  } catch (const task_cancelled& end) {
    return end.reason();
  }
  ADD_FAILURE() << "it was not cancelled";
  return cancel_reason::timed_out;
}

// Cases 5 and 7, tck 60, 64, 130: after close every policy refuses, runs nothing and drops nothing.
TEST(saturation, B4_after_close_every_policy_rejects) {
  for (const saturation each : {saturation::reject, saturation::caller_runs, saturation::discard,
                                saturation::discard_oldest, saturation::block}) {
    thread_pool pool(with(each));
    held_worker busy(pool);
    auto queued = pool.submit([] {});
    pool.close();
    try {
      (void)pool.submit([] { ADD_FAILURE() << "a body runs after close"; });
      ADD_FAILURE() << "accepted after close";
    } catch (const rejected& refusal) {
      EXPECT_EQ(refusal.why(), reject_reason::closed);
      EXPECT_NE(std::string(refusal.what()).find(pool.name()), std::string::npos);
    }
    EXPECT_EQ(queued.state(), task_state::queued) << "the queue is left alone";
    busy.release();
    queued.get();
  }
}

// tck 43, 50, 57.
TEST(saturation, B4_reject_says_why_and_keeps_the_rest) {
  thread_pool pool(with(saturation::reject, 2));
  held_worker busy(pool);
  auto one = pool.submit([] { return 1; });
  auto two = pool.submit([] { return 2; });
  EXPECT_THROW((void)pool.submit([] { return 3; }), rejected);
  busy.release();
  EXPECT_EQ(one.get() + two.get(), 3);
  EXPECT_EQ(pool.stats().refused, 1u);
}

// tck 68: it is asked anew each time.
TEST(saturation, B4_a_function_chooses_outside_of_locks) {
  thread_pool* self = nullptr;
  saturation answer = saturation::discard;
  pool_stats seen;
  thread_pool pool(with(saturation_function([&](const pool_stats& now) {
    EXPECT_FALSE(self->closed());  // would deadlock under the pool's lock
    seen = now;
    return answer;
  })));
  self = &pool;
  held_worker busy(pool);
  auto queued = pool.submit([] {});
  auto discarded = pool.submit([] {});
  EXPECT_EQ(reason(discarded), cancel_reason::discarded);
  EXPECT_EQ(seen.running, 1u);
  EXPECT_EQ(seen.queued, 1u);
  answer = saturation::caller_runs;
  EXPECT_EQ(pool.submit([] { return 5; }).state(), task_state::succeeded);
  answer = saturation::reject;
  EXPECT_THROW((void)pool.submit([] {}), rejected);
}

// tck 70, 104.
TEST(saturation, B4_a_function_that_throws_changes_nothing) {
  thread_pool pool(with(saturation_function([](const pool_stats&) -> saturation { throw 5; })));
  held_worker busy(pool);
  auto queued = pool.submit([] {});
  auto work = [number = std::make_unique<int>(1)] { return *number; };
  EXPECT_THROW((void)pool.submit(std::move(work)), int);
  EXPECT_EQ(pool.stats().accepted, 2u);
  busy.release();
  queued.get();
  EXPECT_EQ(pool.submit(std::move(work)).get(), 1);
}

// tck 71, where Java counts nothing.
TEST(saturation, R8_a_caller_run_body_is_counted_and_carries_its_own_failure) {
  thread_pool pool(with(saturation::caller_runs, 0));
  held_worker busy(pool);
  pool_stats inside;
  auto ran = pool.submit([&] { inside = pool.stats(); });
  EXPECT_EQ(ran.state(), task_state::succeeded);
  EXPECT_EQ(inside.running, 2u) << "the worker's and the caller's";
  EXPECT_EQ(inside.workers, 1u) << "outside max";
  auto failed = pool.submit([]() -> int { throw std::runtime_error("mine"); });
  EXPECT_EQ(failed.state(), task_state::failed);
  EXPECT_THROW((void)failed.get(), std::runtime_error);
  busy.release();
  pool.close();
  pool.join();
  testing::expect_conserved(pool.stats());
}

TEST(saturation, R7_a_caller_run_body_does_not_wait_for_older_tasks) {
  thread_pool pool(with(saturation::caller_runs, 1));
  held_worker busy(pool);
  auto older = pool.submit([] {});
  auto newer = pool.submit([&] { return older.state(); });
  EXPECT_EQ(newer.get(), task_state::queued) << "the newer one has run, the older one waits";
}

TEST(saturation, R8_a_caller_run_body_hears_abort_and_join_waits_for_it) {
  thread_pool pool(with(saturation::caller_runs, 0));
  held_worker busy(pool);
  gate entered, release;
  std::thread caller([&] {
    auto ran = pool.submit([&] {
      entered.open();
      release.wait();
      EXPECT_TRUE(this_task::stop_requested());
    });
    EXPECT_EQ(ran.state(), task_state::cancelled);
    EXPECT_EQ(ran.cancellation(), cancellation::returned);
  });
  entered.wait();
  EXPECT_EQ(pool.abort(), 0u);
  busy.release();
  EXPECT_TRUE(eventually([&] { return pool.size() == 0; }));
  EXPECT_FALSE(pool.join_for(20ms)) << "the workers have gone, the body is still there";
  EXPECT_FALSE(pool.terminated());
  release.open();
  pool.join();
  caller.join();
}

TEST(saturation, R8_delayed_and_try_verbs_never_run_on_the_caller) {
  thread_pool pool(with(saturation::caller_runs, 0));
  held_worker busy(pool);
  const auto body = [] { ADD_FAILURE() << "it runs"; };
  EXPECT_EQ(pool.try_submit(body).why(), reject_reason::saturated);
  EXPECT_EQ(pool.try_submit_for(0s, body).why(), reject_reason::deadline);
  EXPECT_THROW((void)pool.submit_after(1h, body), rejected);
}

// tck 54, where Java leaves the future pending for ever; tck 61.
TEST(saturation, R22_a_discarded_new_task_counts_as_refused) {
  thread_pool pool(with(saturation::discard, 0));
  held_worker busy(pool);
  const auto held = std::make_shared<int>(0);
  auto discarded = pool.submit([held] {});
  EXPECT_EQ(held.use_count(), 1) << "A4: the captures are gone, here";
  EXPECT_EQ(discarded.state(), task_state::cancelled);
  EXPECT_EQ(discarded.cancellation(), cancellation::never_started);
  EXPECT_EQ(discarded.cancel(), cancel_result::too_late);
  EXPECT_EQ(reason(discarded), cancel_reason::discarded);
  pool.execute([] { ADD_FAILURE() << "it runs"; });
  const pool_stats now = pool.stats();
  EXPECT_EQ(now.accepted, 1u);
  EXPECT_EQ(now.refused, 2u);
  EXPECT_EQ(now.discarded, 2u);
  EXPECT_EQ(now.cancelled, 0u);
}

// tck 54, 62.
TEST(saturation, B4_discard_oldest_discards_the_oldest_and_takes_the_new_one) {
  thread_pool pool(with(saturation::discard_oldest, 2));
  held_worker busy(pool);
  auto oldest = pool.submit([] { ADD_FAILURE() << "it runs"; });
  auto middle = pool.submit([] { return 2; });
  auto newest = pool.submit([] { return 3; });
  EXPECT_EQ(reason(oldest), cancel_reason::discarded);
  busy.release();
  EXPECT_EQ(middle.get(), 2);
  EXPECT_EQ(newest.get(), 3);
  const pool_stats now = pool.stats();
  EXPECT_EQ(now.discarded, 1u);
  EXPECT_EQ(now.refused, 0u);
  EXPECT_EQ(now.cancelled, 1u);
}

// tck 65: with no waiting place there is no oldest; the new one goes.
TEST(saturation, B4_discard_oldest_without_a_place_drops_the_new_one) {
  thread_pool pool(with(saturation::discard_oldest, 0));
  held_worker busy(pool);
  auto dropped = pool.submit([] {});
  EXPECT_EQ(reason(dropped), cancel_reason::discarded);
  EXPECT_EQ(busy.done().state(), task_state::running);
}

TEST(saturation, B4_discard_oldest_spares_what_is_not_yet_due) {
  manual_clock clock;
  auto options = with(saturation::discard_oldest, 1);
  options.clock = &clock;
  thread_pool pool(options);
  held_worker busy(pool);
  auto later = pool.submit_after(1s, [] { return 1; });
  auto dropped = pool.submit([] {});
  EXPECT_EQ(reason(dropped), cancel_reason::discarded) << "no ready task: the new one goes";
  EXPECT_EQ(later.state(), task_state::queued);
  clock.advance(1s);
  auto taken = pool.submit([] { return 2; });
  EXPECT_EQ(later.state(), task_state::cancelled) << "due by now, so it is the oldest ready task";
  busy.release();
  EXPECT_EQ(taken.get(), 2);
}

// B2, B4: whether the free worker has woken up yet makes no difference to who is discarded.
TEST(saturation, B4_discard_oldest_spares_what_a_free_worker_is_about_to_take) {
  for (int round = 0; round < 50; ++round) {
    gate release;
    thread_pool pool(with(saturation::discard_oldest, 1));
    auto taken = pool.submit([&] { release.wait(); });
    auto waits = pool.submit([] {});
    auto newest = pool.submit([] {});
    EXPECT_EQ(waits.state(), task_state::cancelled);
    release.open();
    taken.wait();
    newest.wait();
    ASSERT_EQ(taken.state(), task_state::succeeded) << "round " << round;
    ASSERT_EQ(newest.state(), task_state::succeeded) << "round " << round;
  }
}

TEST(saturation, R9_a_victim_s_captures_die_on_the_submitter_before_it_is_terminal) {
  thread_pool pool(with(saturation::discard_oldest, 1));
  held_worker busy(pool);
  const auto held = std::make_shared<int>(0);
  auto victim = pool.submit([held] {});
  auto next = pool.submit([] {});
  EXPECT_EQ(victim.state(), task_state::cancelled);
  EXPECT_EQ(held.use_count(), 1);
}

TEST(saturation, R10_blocked_submitters_get_room_in_arrival_order) {
  const testing::watchdog dog("arrival order");
  thread_pool pool(with(saturation::block, 1));
  auto busy = std::make_unique<held_worker>(pool);
  std::vector<int> order;
  pool.execute([&] { order.push_back(0); });
  std::vector<std::thread> blocked;
  for (int at = 1; at <= 5; ++at) {
    blocked.emplace_back([&, at] { pool.execute([&order, at] { order.push_back(at); }); });
    ASSERT_TRUE(eventually([&] { return pool.stats().blocked == static_cast<std::size_t>(at); }));
  }
  EXPECT_FALSE(pool.try_submit([] {}).accepted()) << "nobody overtakes them";
  busy->release();
  for (auto& each : blocked) each.join();
  pool.wait_idle();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4, 5}));
}

TEST(saturation, R10_room_made_by_cancel_pending_goes_to_the_first_in_line) {
  thread_pool pool(with(saturation::block, 1));
  held_worker busy(pool);
  auto queued = pool.submit([] {});
  std::thread blocked([&] { EXPECT_EQ(pool.submit([] { return 4; }).get(), 4); });
  EXPECT_TRUE(eventually([&] { return pool.stats().blocked == 1; }));
  EXPECT_EQ(pool.cancel_pending(), 1u);
  EXPECT_EQ(pool.stats().blocked, 0u);
  EXPECT_EQ(pool.stats().queued, 1u);
  busy.release();
  blocked.join();
}

// C3: an immediate task is due when it is let in, not when its submitter began to wait.
TEST(saturation, R10_what_became_due_meanwhile_comes_before_whoever_was_blocked) {
  manual_clock clock;
  auto options = with(saturation::block, 2);
  options.clock = &clock;
  thread_pool pool(options);
  held_worker busy(pool);
  std::vector<int> order;
  auto later = pool.submit_after(1s, [&] { order.push_back(1); });
  auto filler = pool.submit([] {});
  std::thread submitter([&] { pool.submit([&] { order.push_back(2); }).get(); });
  EXPECT_TRUE(eventually([&] { return pool.stats().blocked == 1; }));
  clock.advance(2s);
  EXPECT_EQ(filler.cancel(), cancel_result::cancelled);
  EXPECT_EQ(pool.stats().blocked, 0u);
  busy.release();
  submitter.join();
  later.get();
  EXPECT_EQ(order, (std::vector{1, 2}));
}

TEST(saturation, R10_room_made_by_cancel_goes_to_the_first_in_line) {
  thread_pool pool(with(saturation::block, 1));
  held_worker busy(pool);
  auto queued = pool.submit([] {});
  future<int> mine;
  std::thread blocked([&] { mine = pool.submit([] { return 4; }); });
  ASSERT_TRUE(eventually([&] { return pool.stats().blocked == 1; }));
  EXPECT_EQ(queued.cancel(), cancel_result::cancelled);
  blocked.join();
  EXPECT_EQ(pool.stats().queued, 1u);
  busy.release();
  EXPECT_EQ(mine.get(), 4);
}

template <class End>
void expect_blocked_are_woken_with_closed(End end) {
  auto pool = std::make_unique<thread_pool>(with(saturation::block, 1));
  gate entered, release;
  pool->execute([&] {
    entered.open();
    release.wait();
  });
  entered.wait();
  pool->execute([] {});
  std::atomic<int> woken{0};
  std::vector<std::thread> blocked;
  for (int at = 0; at < 3; ++at) {
    blocked.emplace_back([&, from = pool.get()] {
      auto work = [number = std::make_unique<int>(1)] { return *number; };
      try {
        (void)from->submit(std::move(work));
      } catch (const rejected& refusal) {
        EXPECT_EQ(refusal.why(), reject_reason::closed);
        EXPECT_EQ(work(), 1) << "R11: the callable is back";
        ++woken;
      }
    });
  }
  ASSERT_TRUE(eventually([&] { return pool->stats().blocked == 3; }));
  std::thread opener([&] {
    EXPECT_TRUE(eventually([&] { return woken == 3; }));
    release.open();
  });
  end(pool);
  for (auto& each : blocked) each.join();
  opener.join();
}

// tck 74.
TEST(saturation, R10_close_wakes_blocked_submitters) {
  expect_blocked_are_woken_with_closed([](auto& pool) { pool->close(); });
}
TEST(saturation, R10_abort_wakes_blocked_submitters) {
  expect_blocked_are_woken_with_closed([](auto& pool) { pool->abort(); });
}
TEST(saturation, R10_destruction_wakes_blocked_submitters) {
  expect_blocked_are_woken_with_closed([](auto& pool) { pool.reset(); });
}

TEST(saturation, R10_an_immediate_task_for_a_free_worker_is_not_held_up_by_a_delayed_one) {
  manual_clock clock;
  auto options = with(saturation::block, 1);
  options.clock = &clock;
  thread_pool pool(options);
  gate release;
  auto first = pool.submit_after(1s, [&] { release.wait(); });
  std::thread blocked([&] { (void)pool.submit_after(2s, [] {}); });
  ASSERT_TRUE(eventually([&] { return pool.stats().blocked == 1; }));
  EXPECT_EQ(pool.submit([] { return 1; }).get(), 1);
  clock.advance(1s);
  blocked.join();  // the first one has started, so its waiting place is free
  EXPECT_EQ(first.state(), task_state::running);
  release.open();
  first.get();
  pool.cancel_pending();
}

TEST(saturation, R13_without_a_waiting_place_nothing_can_be_delayed) {
  manual_clock clock;
  for (const saturation each : {saturation::reject, saturation::caller_runs}) {
    auto options = with(each, 0);
    options.clock = &clock;
    thread_pool pool(options);
    EXPECT_THROW((void)pool.submit_after(1s, [] {}), rejected);
    EXPECT_EQ(pool.try_submit_after(1s, [] {}).why(), reject_reason::saturated);
    EXPECT_EQ(pool.submit_after(0s, [] { return 2; }).get(), 2) << "not delayed at all";
  }
  auto options = with(saturation::block, 0);
  options.clock = &clock;
  thread_pool pool(options);
  EXPECT_THROW((void)pool.submit_after(1s, [] {}), std::invalid_argument) << "waiting is no help";
}

// Case 25 in a pool that blocks: a worker that is lost makes room, too.
TEST(saturation, R10_the_end_of_a_lost_worker_makes_room) {
  const testing::watchdog dog("room after a lost worker");
  thread_pool pool([] {
    auto options = with(saturation::block, 0);
    options.core = 0;
    return options;
  }());
  gate entered, release;
  auto lost = pool.submit([&] {
    entered.open();
    release.wait();
    pthread_exit(nullptr);
  });
  entered.wait();
  future<int> mine;
  std::thread blocked([&] { mine = pool.submit([] { return 4; }); });
  ASSERT_TRUE(eventually([&] { return pool.stats().blocked == 1; }));
  release.open();
  blocked.join();
  EXPECT_EQ(mine.get(), 4);
  EXPECT_EQ(lost.state(), task_state::failed);
}

}  // namespace
}  // namespace weir
