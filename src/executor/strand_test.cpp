#include "weir/strand.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sync/event.hpp"
#include "sync/thread.hpp"
#include "weir/inline_executor.hpp"
#include "weir/limiter.hpp"
#include "weir/manual_executor.hpp"
#include "weir/this_task.hpp"

namespace {

using namespace weir;
using namespace std::chrono_literals;

TEST(strand, runs_in_order_with_one_carrier_at_a_time) {
  manual_executor threads;
  strand lane(threads, unbounded);
  std::vector<int> order;
  for (int at = 0; at < 3; ++at) lane.execute([&order, at] { order.push_back(at); });
  EXPECT_EQ(threads.pending(), 1u);
  EXPECT_EQ(lane.size(), 3u);
  EXPECT_EQ(threads.run_all(), 1u);
  EXPECT_EQ(order, (std::vector{0, 1, 2}));
  EXPECT_EQ(lane.size(), 0u);
  EXPECT_EQ(threads.pending(), 0u);
}

TEST(strand, results_references_and_move_only_callables_pass_through) {
  manual_executor threads;
  strand lane(threads, unbounded);
  int place = 0;
  auto reference = lane.submit([&place]() -> int& { return place; });
  auto moved = lane.submit([held = std::make_unique<int>(4)](int more) { return *held + more; }, 3);
  auto failed = lane.submit([] { throw std::runtime_error("no"); });
  auto numbered = lane.submit(task_options{.name = "named"}, [] { return this_task::id(); });
  threads.run_all();
  EXPECT_EQ(&reference.get(), &place);
  EXPECT_EQ(moved.get(), 7);
  EXPECT_THROW(failed.get(), std::runtime_error);
  EXPECT_EQ(numbered.get(), 4u);
}

TEST(strand, B2_holds_one_and_what_may_wait) {
  manual_executor threads;
  strand lane(threads, 2);
  for (int at = 0; at < 3; ++at) lane.execute([] {});
  EXPECT_EQ(lane.try_submit([] {}).why(), reject_reason::saturated);
  auto task = [held = std::make_unique<int>(1)] { return *held; };
  EXPECT_THROW(lane.submit(std::move(task)), rejected);
  threads.run_all();
  auto again = lane.submit(std::move(task));
  threads.run_all();
  EXPECT_EQ(again.get(), 1);
}

TEST(strand, B3_a_cancelled_task_gives_its_place_back_at_once) {
  manual_executor threads;
  strand lane(threads, 1);
  const auto held = std::make_shared<int>(0);
  auto first = lane.submit([] {});
  auto second = lane.submit([held] {});
  EXPECT_EQ(second.cancel(), cancel_result::cancelled);
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_EQ(lane.size(), 1u);
  auto third = lane.submit([] { return 3; });
  threads.run_all();
  EXPECT_EQ(third.get(), 3);
  EXPECT_EQ(second.cancellation(), cancellation::never_started);
}

TEST(strand, many_cancelled_tasks_cost_no_memory_while_the_lane_stands_still) {
  manual_executor threads;
  strand lane(threads, unbounded);
  std::vector<int> order;
  for (int at = 0; at < 1000; ++at) {
    auto task = lane.submit([&order, at] { order.push_back(at); });
    if (at % 100 != 0) task.cancel();
  }
  EXPECT_EQ(lane.size(), 10u);
  threads.run_all();
  ASSERT_EQ(order.size(), 10u);
  for (int at = 0; at < 10; ++at) EXPECT_EQ(order[static_cast<std::size_t>(at)], at * 100);
}

TEST(strand, after_a_batch_it_queues_behind_others) {
  manual_executor threads;
  strand lane(threads, unbounded);
  std::string order;
  for (int at = 0; at < 20; ++at) lane.execute([&order] { order += 's'; });
  threads.execute([&order] { order += '|'; });
  threads.run_all();
  EXPECT_EQ(order, std::string(16, 's') + "|" + std::string(4, 's'));
}

TEST(strand, a_full_executor_leaves_the_rest_of_a_long_queue_with_its_thread) {
  manual_executor threads;
  strand lane(threads, unbounded);
  int runs = 0;
  for (int at = 0; at < 40; ++at) lane.execute([&runs] { ++runs; });
  threads.refuse_next(100);
  EXPECT_EQ(threads.run_all(), 1u);
  EXPECT_EQ(runs, 40);
  EXPECT_FALSE(lane.closed());
}

TEST(strand, E1_a_closed_executor_still_runs_what_was_accepted) {
  manual_executor threads;
  strand lane(threads, unbounded);
  int runs = 0;
  for (int at = 0; at < 40; ++at) lane.execute([&runs] { ++runs; });
  threads.close();
  EXPECT_EQ(threads.run_all(), 1u);
  EXPECT_EQ(runs, 40);
  EXPECT_TRUE(lane.closed());
  EXPECT_EQ(lane.try_submit([] {}).why(), reject_reason::closed);
}

TEST(strand, R11_a_refused_carrier_refuses_the_task_that_needed_it) {
  manual_executor threads;
  strand lane(threads, unbounded);
  threads.refuse_next(2, reject_reason::no_thread);
  auto task = [held = std::make_unique<int>(1)] { return *held; };
  EXPECT_EQ(lane.try_submit(std::move(task)).why(), reject_reason::no_thread);
  try {
    lane.submit(std::move(task));
    FAIL();
  } catch (const rejected& refused) {
    EXPECT_EQ(refused.why(), reject_reason::no_thread);
  }
  EXPECT_EQ(lane.size(), 0u);
  auto accepted = lane.submit(std::move(task));
  threads.run_all();
  EXPECT_EQ(accepted.get(), 1);
}

/// Takes nothing, and before it says so it lets somebody else ask as well.
class refusing_executor {
 public:
  explicit refusing_executor(std::function<void()> meanwhile) : meanwhile_(std::move(meanwhile)) {}

  template <class F>
  auto submit(F&& f) {
    return *try_submit(std::forward<F>(f));
  }
  template <class F>
  auto submit(const task_options&, F&& f) {
    return submit(std::forward<F>(f));
  }
  template <class F>
  void execute(F&&) {
    if (const auto ask = std::exchange(meanwhile_, {})) ask();
    throw rejected(reject_reason::saturated, "refuses");
  }
  template <class F>
  void execute(const task_options&, F&& f) {
    execute(std::forward<F>(f));
  }
  template <class F>
  auto try_submit(F&&) {
    if (const auto ask = std::exchange(meanwhile_, {})) ask();
    return submission<detail::body_result<F>>(reject_reason::saturated);
  }
  template <class F>
  auto try_submit(const task_options&, F&& f) {
    return try_submit(std::forward<F>(f));
  }

 private:
  std::function<void()> meanwhile_;
};
static_assert(executor<refusing_executor>);

TEST(strand, R11_two_refused_carriers_refuse_both_tasks) {
  strand* lane = nullptr;
  std::optional<reject_reason> inner;
  refusing_executor nobody([&] { inner = lane->try_submit([] {}).why(); });
  strand refused(nobody, unbounded);
  lane = &refused;
  EXPECT_EQ(refused.try_submit([] {}).why(), reject_reason::saturated);
  EXPECT_EQ(inner, reject_reason::saturated);
  EXPECT_EQ(refused.size(), 0u);
}

TEST(strand, A1_a_dropped_carrier_cancels_what_waits) {
  manual_executor threads;
  strand lane(threads, unbounded);
  auto first = lane.submit([] {});
  auto second = lane.submit([] {});
  EXPECT_EQ(threads.cancel_pending(), 1u);
  EXPECT_EQ(first.state(), task_state::cancelled);
  EXPECT_THROW(second.get(), task_cancelled);
  auto third = lane.submit([] { return 3; });
  threads.run_all();
  EXPECT_EQ(third.get(), 3);
}

TEST(strand, destroyed_it_leaves_accepted_tasks_alone) {
  manual_executor threads;
  future<int> task;
  future<void> cancelled;
  {
    strand lane(threads, unbounded);
    task = lane.submit([] { return 1; });
    cancelled = lane.submit([] {});
  }
  EXPECT_EQ(cancelled.cancel(), cancel_result::cancelled);
  threads.run_all();
  EXPECT_EQ(task.get(), 1);
}

TEST(strand, E1_closed_it_refuses_and_runs_what_it_has) {
  manual_executor threads;
  strand lane(threads, unbounded);
  auto task = lane.submit([] {});
  lane.close();
  EXPECT_EQ(lane.try_submit([] {}).why(), reject_reason::closed);
  threads.run_all();
  EXPECT_EQ(task.state(), task_state::succeeded);
}

TEST(strand, R20_cancel_pending_leaves_the_running_task_alone) {
  manual_executor threads;
  strand lane(threads, unbounded);
  auto running = lane.submit([&lane] {
    EXPECT_EQ(lane.cancel_pending(), 2u);
    EXPECT_FALSE(this_task::stop_requested());
  });
  auto first = lane.submit([] {});
  auto second = lane.submit([] {});
  threads.run_all();
  EXPECT_EQ(running.state(), task_state::succeeded);
  EXPECT_EQ(first.state(), task_state::cancelled);
  EXPECT_EQ(second.state(), task_state::cancelled);
  EXPECT_EQ(lane.size(), 0u);
}

TEST(strand, knows_its_own_thread) {
  manual_executor threads;
  strand lane(threads, unbounded);
  strand other(threads, unbounded);
  auto inside =
      lane.submit([&] { return lane.running_in_this_thread() && !other.running_in_this_thread(); });
  EXPECT_FALSE(lane.running_in_this_thread());
  threads.run_all();
  EXPECT_TRUE(inside.get());
  EXPECT_FALSE(lane.running_in_this_thread());
}

TEST(strand, E3_a_task_of_its_own_may_not_wait_for_all_of_them) {
  manual_executor threads;
  strand lane(threads, unbounded);
  auto waits = lane.submit([&lane] { lane.wait_idle(); });
  threads.run_all();
  EXPECT_THROW(waits.get(), std::system_error);
}

TEST(strand, wait_idle_comes_after_the_last_task) {
  manual_executor threads;
  strand lane(threads, unbounded);
  EXPECT_TRUE(lane.wait_idle_for(0ns));
  auto last = lane.submit([] {});
  EXPECT_FALSE(lane.wait_idle_for(0ns));
  EXPECT_FALSE(lane.wait_idle_for(1ms));
  sync::thread cranks([&threads] { threads.run_all(); });
  lane.wait_idle();
  EXPECT_EQ(last.state(), task_state::succeeded);
  cranks.join();
}

TEST(strand, A4_a_place_is_free_before_the_future_is_terminal) {
  manual_executor threads;
  strand lane(threads, 0);
  sync::event over;
  sync::thread cranks([&] {
    while (!over.is_set()) threads.run_all();
  });
  for (int at = 0; at < 500; ++at) {
    auto task = lane.submit([] {});
    task.wait();
  }
  over.set();
  cranks.join();
}

TEST(strand, B7_has_no_clock_and_no_bound_of_weights) {
  manual_executor threads;
  strand lane(threads, unbounded);
  EXPECT_THROW(lane.submit(task_options{.timeout = 1s}, [] {}), std::invalid_argument);
  EXPECT_THROW(lane.submit(task_options{.weight = 1}, [] {}), std::invalid_argument);
  EXPECT_EQ(lane.size(), 0u);
}

TEST(strand, on_an_inline_executor_an_inner_task_comes_after_the_outer_one) {
  const inline_executor here;
  strand lane(here, unbounded);
  std::string order;
  lane.execute([&] {
    lane.execute([&] { order += 'b'; });
    order += 'a';
  });
  EXPECT_EQ(order, "ab");
}

TEST(strand, stands_on_a_limiter) {
  manual_executor threads;
  limiter quota(threads, 1, unbounded);
  strand lane(quota, unbounded);
  int runs = 0;
  for (int at = 0; at < 20; ++at) lane.execute([&runs] { ++runs; });
  threads.run_all();
  EXPECT_EQ(runs, 20);
  EXPECT_EQ(quota.size(), 0u);
}

TEST(strand, each_task_sees_the_one_before_and_none_is_lost) {
  constexpr int k_rounds = 3000;
  manual_executor threads;
  strand lane(threads, unbounded);
  int plain = 0;  // what only tasks of the strand touch
  int expected = 0;
  sync::event over;
  const auto crank = [&] {
    while (!over.is_set()) threads.run_all();
  };
  sync::thread first(crank);
  sync::thread second(crank);
  std::size_t cancelled = 0;
  for (int at = 0; at < k_rounds; ++at) {
    auto task = lane.submit([&plain] { ++plain; });
    if (at % 5 == 0 && task.cancel(if_queued) == cancel_result::cancelled) ++cancelled;
    ++expected;
  }
  lane.wait_idle();
  over.set();
  first.join();
  second.join();
  EXPECT_EQ(plain + static_cast<int>(cancelled), expected);
}

TEST(limiter, runs_as_many_at_once_as_it_may) {
  manual_executor threads;
  limiter lane(threads, 2, 1);
  for (int at = 0; at < 3; ++at) lane.execute([] {});
  EXPECT_EQ(threads.pending(), 2u);
  EXPECT_EQ(lane.try_submit([] {}).why(), reject_reason::saturated);
  EXPECT_EQ(threads.run_all(), 2u);
  EXPECT_EQ(lane.size(), 0u);
}

TEST(limiter, two_run_side_by_side_and_a_third_waits) {
  manual_executor threads;
  limiter lane(threads, 2, unbounded);
  sync::event met[2];
  auto first = lane.submit([&] {
    met[0].set();
    met[1].wait();
  });
  auto second = lane.submit([&] {
    met[1].set();
    met[0].wait();
  });
  auto third = lane.submit([] {});
  sync::thread other([&threads] { threads.run_all(); });
  threads.run_all();
  other.join();
  EXPECT_EQ(first.state(), task_state::succeeded);
  EXPECT_EQ(second.state(), task_state::succeeded);
  EXPECT_EQ(third.state(), task_state::succeeded);
}

TEST(limiter, with_room_for_one_carrier_one_does_the_work_and_asks_again) {
  manual_executor threads(1);
  limiter lane(threads, 3, unbounded);
  int runs = 0;
  for (int at = 0; at < 5; ++at) {
    lane.execute([&, at] {
      ++runs;
      if (at > 0) return;
      EXPECT_EQ(threads.pending(), 1u);  // the second carrier, now that there is room
    });
  }
  EXPECT_EQ(threads.pending(), 1u);
  EXPECT_TRUE(threads.run_one());
  EXPECT_EQ(runs, 5);
  threads.run_all();
  EXPECT_EQ(lane.size(), 0u);
}

TEST(limiter, B7_a_width_of_nothing_is_refused) {
  manual_executor threads;
  EXPECT_THROW(limiter(threads, 0, 1), std::invalid_argument);
}

}  // namespace
