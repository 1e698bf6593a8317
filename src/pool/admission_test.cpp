// Who gets in: B1, B2, B3, B5, B7, B9 and the rulings that touch them.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <functional>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support/conservation.hpp"
#include "support/eventually.hpp"
#include "support/gate.hpp"
#include "support/pool_shape.hpp"
#include "support/thread_famine.hpp"
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

// Case 1, tck 5 and 45: a pool without core workers still runs its tasks.
TEST(admission, B1_core_zero_starts_a_worker_for_what_waits) {
  for (const std::size_t capacity : {std::size_t{0}, std::size_t{10}, unbounded}) {
    thread_pool pool(sized(0, 1, capacity));
    EXPECT_EQ(pool.size(), 0u) << "construction starts no thread";
    EXPECT_EQ(pool.submit([] { return 7; }).get(), 7);
    EXPECT_EQ(pool.stats().workers_max, 1u);
  }
}

// Case 2, tck 41: waiting comes before growing, so that max is out of reach while there is room to
// wait.
TEST(admission, B1_queue_comes_before_growth) {
  thread_pool pool(sized(0, 8, 1'000));
  gate release;
  std::vector<future<void>> all;
  for (int task = 0; task < 8; ++task) all.push_back(pool.submit([&] { release.wait(); }));
  EXPECT_EQ(pool.size(), 1u);
  EXPECT_EQ(pool.stats().workers_max, 1u);
  release.open();
  for (auto& each : all) each.get();
}

// tck 40, 118.
TEST(admission, B1_core_workers_are_started_even_beside_idle_ones) {
  thread_pool pool(sized(3, 3, 1));
  for (std::size_t size = 1; size <= 3; ++size) {
    pool.submit([] {}).get();
    EXPECT_EQ(pool.size(), size);
  }
  pool.submit([] {}).get();
  EXPECT_EQ(pool.size(), 3u);
}

// tck 46 where there is no place.
TEST(admission, B2_accepts_exactly_workers_plus_places) {
  for (const std::size_t workers : {1u, 2u, 5u}) {
    for (const std::size_t places : {0u, 1u, 3u}) {
      for (const std::size_t core : {std::size_t{0}, workers}) {
        thread_pool pool(sized(core, workers, places));
        gate release;
        std::size_t accepted = 0;
        std::vector<future<void>> all;
        while (auto answer = pool.try_submit([&] { release.wait(); })) {
          all.push_back(*std::move(answer));
          ++accepted;
          ASSERT_LE(accepted, workers + places) << "beyond the bound";
        }
        EXPECT_EQ(accepted, workers + places);
        release.open();
        for (auto& each : all) each.get();
      }
    }
  }
}

// B2: "a due task is never refused while a worker is idle", also when that worker has not woken up
// yet.
// tck 46.
TEST(admission, B2_a_free_worker_counts_before_it_has_woken_up) {
  const testing::watchdog dog("a free worker counts");
  thread_pool pool(sized(2, 2, 0));
  for (int round = 0; round < 2'000; ++round) {
    auto one = pool.try_submit([] {});
    auto two = pool.try_submit([] {});
    ASSERT_TRUE(one.accepted());
    ASSERT_TRUE(two.accepted());
    one->get();
    two->get();
  }
}

TEST(admission, B2_delayed_tasks_use_waiting_places_only) {
  manual_clock clock;
  auto options = sized(2, 2, 1);
  options.clock = &clock;
  thread_pool pool(options);
  auto first = pool.try_submit_after(1s, [] {});
  EXPECT_TRUE(first.accepted());
  auto second = pool.try_submit_after(1s, [] {});
  EXPECT_EQ(second.why(), reject_reason::saturated) << "two free workers are no waiting places";
  auto third = pool.try_submit([] {});
  EXPECT_TRUE(third.accepted());
}

TEST(admission, B2_unbounded_must_be_spelled_and_is_without_bound) {
  EXPECT_THROW(thread_pool(pool_options{.max = 1}), std::invalid_argument);
  thread_pool pool(sized(1, 1, unbounded));
  held_worker busy(pool);
  std::vector<future<void>> all;
  for (int task = 0; task < 10'000; ++task) all.push_back(pool.submit([] {}));
  auto later = pool.submit_after(1h, [] {});
  EXPECT_EQ(pool.stats().queued, 10'000u);
  busy.release();
  all.back().get();
}

TEST(admission, R6_whoever_saw_a_task_end_can_submit_in_its_stead) {
  const testing::watchdog dog("submit in its stead");
  thread_pool pool(sized(1, 1, 0));
  for (int round = 0; round < 5'000; ++round) {
    auto answer = pool.try_submit([] {});
    ASSERT_TRUE(answer.accepted()) << "round " << round;
    answer->wait();
  }
}

// R1, where Java starts the newest first (tck 42).
TEST(admission, R1_growth_claims_the_oldest_due_task) {
  thread_pool pool(sized(1, 2, 1));
  held_worker busy(pool);
  std::atomic<int> turn{0};
  auto older = pool.submit([&] { return ++turn; });
  auto newer = pool.submit([&] { return ++turn; });
  EXPECT_EQ(pool.stats().workers_max, 2u);
  EXPECT_EQ(older.get(), 1);
  EXPECT_EQ(newer.get(), 2);
}

TEST(admission, B5_a_refused_move_only_callable_stays_with_the_caller) {
  thread_pool pool(sized(1, 1, 0));
  held_worker busy(pool);
  auto work = [number = std::make_unique<int>(7)] { return *number; };
  EXPECT_FALSE(pool.try_submit(std::move(work)).accepted());
  EXPECT_THROW((void)pool.submit(std::move(work)), rejected);
  EXPECT_THROW(pool.execute(std::move(work)), rejected);
  EXPECT_EQ(pool.try_submit_for(0ms, std::move(work)).why(), reject_reason::deadline);
  EXPECT_EQ(pool.try_submit_after(1s, std::move(work)).why(), reject_reason::saturated);
  busy.release();
  EXPECT_EQ(pool.submit(std::move(work)).get(), 7) << "R11: it was intact after every refusal";
}

TEST(admission, B5_refused_arguments_stay_as_well) {
  thread_pool pool(sized(1, 1, 0));
  held_worker busy(pool);
  auto number = std::make_unique<int>(7);
  const auto read = [](const std::unique_ptr<int>& given) { return *given; };
  EXPECT_FALSE(pool.try_submit(read, std::move(number)).accepted());
  ASSERT_NE(number, nullptr);
  busy.release();
  EXPECT_EQ(pool.try_submit(read, std::move(number))->get(), 7);
  EXPECT_EQ(number, nullptr);
}

TEST(admission, B5_a_refused_named_task_leaves_nothing_behind) {
  thread_pool pool(sized(1, 1, 0));
  pool.close();
  const task_options named{.name = "a name that is too long for the small string"};
  EXPECT_THROW((void)pool.submit(named, [] {}), rejected);
  EXPECT_FALSE(pool.try_submit(named, [] {}).accepted());
}

TEST(admission, B5_timed_verbs_wait_for_room) {
  thread_pool pool(sized(1, 1, 0));
  held_worker busy(pool);
  std::thread helper([&] {
    EXPECT_TRUE(eventually([&] { return pool.stats().blocked == 1; }));
    busy.release();
  });
  auto answer = pool.try_submit_for(testing::k_patience, [] { return 1; });
  ASSERT_TRUE(answer.accepted());
  EXPECT_EQ(answer->get(), 1);
  helper.join();
}

// tck 73, 74.
TEST(admission, B5_timed_verbs_end_at_their_deadline) {
  thread_pool pool(sized(1, 1, 0));
  held_worker busy(pool);
  const auto until = std::chrono::steady_clock::now() + 20ms;
  EXPECT_EQ(pool.try_submit_until(until, [] {}).why(), reject_reason::deadline);
  EXPECT_GE(std::chrono::steady_clock::now(), until);
  EXPECT_EQ(pool.try_submit_for(-1h, [] {}).why(), reject_reason::deadline);
  EXPECT_EQ(pool.try_submit_until(std::chrono::steady_clock::time_point::min(), [] {}).why(),
            reject_reason::deadline);
  EXPECT_EQ(pool.stats().blocked, 0u);
}

// tck 74.
TEST(admission, B5_timed_verbs_end_with_their_stop_token) {
  thread_pool pool(sized(1, 1, 0));
  held_worker busy(pool);
  std::stop_source stop;
  std::thread helper([&] {
    EXPECT_TRUE(eventually([&] { return pool.stats().blocked == 1; }));
    stop.request_stop();
  });
  EXPECT_EQ(pool.try_submit_for(1h, stop.get_token(), [] {}).why(), reject_reason::stopped);
  helper.join();
  EXPECT_EQ(pool.stats().blocked, 0u);
}

TEST(admission, R11_the_longest_wait_is_legal) {
  thread_pool pool(sized(1, 1, 0));
  EXPECT_TRUE(pool.try_submit_for(std::chrono::nanoseconds::max(), [] {}).accepted());
  pool.wait_idle();
  EXPECT_TRUE(pool.try_submit_for(std::chrono::hours::max(), [] {}).accepted());
  pool.wait_idle();
  EXPECT_TRUE(
      pool.try_submit_until(std::chrono::steady_clock::time_point::max(), [] {}).accepted());
}

// tck 69, 152.
TEST(admission, R11_precedence_of_reasons) {
  thread_pool pool(sized(1, 1, 0));
  held_worker busy(pool);
  std::stop_source stop;
  stop.request_stop();
  const std::function<void()> empty;
  EXPECT_THROW((void)pool.try_submit_for(0s, stop.get_token(), empty), std::invalid_argument);
  EXPECT_EQ(pool.try_submit_for(0s, stop.get_token(), [] {}).why(), reject_reason::stopped);
  EXPECT_EQ(pool.try_submit_for(0s, [] {}).why(), reject_reason::deadline);
  EXPECT_EQ(pool.try_submit([] {}).why(), reject_reason::saturated);
  pool.close();
  EXPECT_EQ(pool.try_submit_for(0s, stop.get_token(), [] {}).why(), reject_reason::closed);
  EXPECT_EQ(pool.try_submit_for(0s, [] {}).why(), reject_reason::closed);
  EXPECT_EQ(pool.try_submit([] {}).why(), reject_reason::closed);
  EXPECT_THROW((void)pool.submit(empty), std::invalid_argument);
}

TEST(admission, R11_a_stopped_submitter_is_refused_where_there_is_room) {
  thread_pool pool(sized(1, 1, 4));
  std::stop_source stop;
  stop.request_stop();
  const auto body = [] { ADD_FAILURE() << "it runs"; };
  EXPECT_EQ(pool.try_submit_for(1h, stop.get_token(), body).why(), reject_reason::stopped);
  EXPECT_EQ(pool.stats().accepted, 0u);
  EXPECT_EQ(pool.stats().refused, 1u);
}

// Case 10, tck 2, 3, 4, 6, 18, 19, 23: everything is validated together, in whatever order it was
// set.
// R32: the limit of workers is a constant with a name.
TEST(admission, B7_options_that_contradict_themselves) {
  const auto refuses = [](auto change) {
    pool_options options = sized(1, 2, 3);
    change(options);
    EXPECT_THROW(thread_pool{options}, std::invalid_argument);
  };
  refuses([](pool_options& bad) { bad.max = 0; });
  refuses([](pool_options& bad) { bad.max = thread_pool::max_workers + 1; });
  refuses([](pool_options& bad) { bad.core = 3; });
  refuses([](pool_options& bad) { bad.keep_alive = -1ns; });
  refuses([](pool_options& bad) { bad.capacity.reset(); });
  refuses([](pool_options& bad) { bad.on_saturation = saturation_function(); });
  refuses([](pool_options& bad) {
    bad.keep_alive = 0ns;
    bad.core_may_time_out = true;
  });
  EXPECT_THROW(thread_pool::fixed(0, 1), std::invalid_argument);
  EXPECT_THROW(thread_pool::fixed(1, 0), std::invalid_argument);
  EXPECT_THROW(thread_pool::cached(0, 1s), std::invalid_argument);
  EXPECT_THROW(thread_pool::cached(1, -1s), std::invalid_argument);
}

int plain_function() { return 3; }

// tck 48, 53, 155, 215.
TEST(admission, B7_empty_callables_and_negative_delays_change_nothing) {
  thread_pool pool(sized(1, 1, 1));
  const std::function<void()> empty;
  int (*null)() = nullptr;
  int std::pair<int, int>::*const no_member = nullptr;
  EXPECT_THROW((void)pool.submit(empty), std::invalid_argument);
  EXPECT_THROW((void)pool.submit(null), std::invalid_argument);
  EXPECT_THROW((void)pool.submit(no_member, std::pair(1, 2)), std::invalid_argument);
  EXPECT_THROW(pool.execute(empty), std::invalid_argument);
  EXPECT_THROW((void)pool.try_submit(empty), std::invalid_argument);
  EXPECT_THROW((void)pool.submit_after(1s, empty), std::invalid_argument);
  EXPECT_THROW((void)pool.submit_after(-1ns, [] {}), std::invalid_argument);
  EXPECT_THROW((void)pool.try_submit_after(-1h, [] {}), std::invalid_argument);
  const pool_stats now = pool.stats();
  EXPECT_EQ(now.accepted + now.refused, 0u);
  EXPECT_EQ(now.workers, 0u);
  EXPECT_EQ(pool.submit(&plain_function).get(), 3);
  EXPECT_EQ(pool.submit(plain_function).get(), 3);
}

// B9, tck 30.
TEST(admission, B9_without_a_thread_and_without_a_worker_it_is_refused) {
  thread_pool pool(sized(1, 1, 4));
  auto work = [number = std::make_unique<int>(5)] { return *number; };
  {
    const testing::thread_famine famine;
    auto answer = pool.try_submit(std::move(work));
    ASSERT_FALSE(answer.accepted());
    EXPECT_EQ(answer.why(), reject_reason::no_thread);
    EXPECT_EQ(pool.size(), 0u) << "the count was rolled back";
    EXPECT_EQ(pool.stats().refused, 1u);
    EXPECT_THROW((void)pool.submit_after(1s, [] {}), rejected);
  }
  EXPECT_EQ(pool.submit(std::move(work)).get(), 5) << "the pool stays usable";
}

// tck 29.
TEST(admission, B9_with_a_worker_it_waits_for_that_one) {
  thread_pool pool(sized(2, 3, 1));
  held_worker busy(pool);
  std::vector<future<int>> all;
  {
    const testing::thread_famine famine;
    for (int task = 0; task < 3; ++task) {
      all.push_back(pool.submit([task] { return task; }));
      EXPECT_EQ(pool.size(), 1u);
    }
    EXPECT_EQ(pool.try_submit([] {}).why(), reject_reason::saturated)
        << "inside the bound of workers and places together";
  }
  busy.release();
  for (int task = 0; task < 3; ++task) EXPECT_EQ(all[static_cast<std::size_t>(task)].get(), task);
}

// D4's visibility: what the submitter did before is visible to the body, without any atomic.
// tck 154.
TEST(admission, what_the_submitter_did_is_visible_to_the_body) {
  thread_pool pool(sized(2, 2, 4));
  for (int round = 0; round < 1'000; ++round) {
    auto plain = std::make_unique<int>(0);
    *plain = round;
    auto seen = pool.submit([at = plain.get()] { return (*at)++; });
    EXPECT_EQ(seen.get(), round);
    EXPECT_EQ(*plain, round + 1);
  }
}

// Case 16: parts that are dispatched before the workers' first sleep are not slept through.
TEST(admission, no_part_is_lost_while_workers_start) {
  const testing::watchdog dog("parts lost at the start");
  for (int round = 0; round < 200; ++round) {
    thread_pool pool(sized(8, 8, 8));
    std::atomic<int> parts{0};
    for (int part = 0; part < 8; ++part) pool.execute([&] { ++parts; });
    pool.wait_idle();
    ASSERT_EQ(parts, 8);
  }
}

// Case 14: quiescence is not seen while a task is on its way or about to submit another.
TEST(admission, wait_idle_misses_no_child) {
  const testing::watchdog dog("wait_idle");
  thread_pool pool(sized(4, 4, unbounded));
  for (int round = 0; round < 2'000; ++round) {
    std::atomic<int> finished{0};
    for (int task = 0; task < 8; ++task) {
      pool.execute([&] {
        pool.execute([&] { ++finished; });
        ++finished;
      });
    }
    pool.wait_idle();
    ASSERT_EQ(finished, 16);
    testing::expect_conserved(pool.stats());
  }
}

// B8, exactly so with one worker: across producers the ids are the order.
TEST(admission, B8_one_worker_starts_in_the_order_of_ids) {
  const testing::watchdog dog("order of ids");
  thread_pool pool(sized(1, 1, unbounded));
  held_worker busy(pool);
  std::vector<std::uint64_t> order;
  std::barrier start(4);
  std::vector<std::thread> producers;
  for (int producer = 0; producer < 4; ++producer) {
    producers.emplace_back([&] {
      start.arrive_and_wait();
      for (int task = 0; task < 500; ++task) {
        pool.execute([&order] { order.push_back(this_task::id()); });
      }
    });
  }
  for (auto& each : producers) each.join();
  busy.release();
  pool.wait_idle();
  EXPECT_EQ(order.size(), 2'000u);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

}  // namespace
}  // namespace weir
