#include "weir/keyed_strand.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "sync/event.hpp"
#include "sync/thread.hpp"
#include "weir/manual_executor.hpp"

namespace {

using namespace weir;

static_assert(executor<keyed_strand<std::string>::key_ref>);

TEST(keyed_strand, one_lane_for_each_key_that_has_tasks) {
  manual_executor threads;
  keyed_strand<std::string> lanes(threads, unbounded, unbounded);
  std::string order;
  lanes.execute("a", [&order] { order += 'a'; });
  lanes.execute("b", [&order] { order += 'b'; });
  lanes.execute(task_options{.key = "a"}, [&order] { order += 'A'; });
  EXPECT_EQ(lanes.keys(), 2u);
  EXPECT_EQ(lanes.size(), 3u);
  EXPECT_EQ(threads.pending(), 2u);
  threads.run_all();
  EXPECT_EQ(order, "aAb");
  EXPECT_EQ(lanes.keys(), 0u);
  EXPECT_EQ(lanes.size(), 0u);
}

TEST(keyed_strand, a_million_keys_leave_nothing_behind) {
  manual_executor threads;
  keyed_strand<int> lanes(threads, 4, unbounded);
  long sum = 0;
  for (int key = 0; key < 1'000'000; ++key) {
    lanes.execute(key, [&sum] { ++sum; });
    if (key % 100 == 99) threads.run_all();
  }
  EXPECT_EQ(sum, 1'000'000);
  EXPECT_EQ(lanes.keys(), 0u);
}

TEST(keyed_strand, many_keys_at_once_are_told_apart) {
  manual_executor threads;
  keyed_strand<int> lanes(threads, unbounded, unbounded);
  constexpr int k_keys = 3000;
  std::vector<std::vector<int>> seen(k_keys);
  for (int round = 0; round < 3; ++round) {
    for (int key = 0; key < k_keys; ++key) {
      lanes.execute(key * 4096,
                    [&seen, key, round] { seen[static_cast<std::size_t>(key)].push_back(round); });
    }
  }
  EXPECT_EQ(lanes.keys(), static_cast<std::size_t>(k_keys));
  threads.run_all();
  for (const auto& one : seen) EXPECT_EQ(one, (std::vector{0, 1, 2}));
  EXPECT_EQ(lanes.keys(), 0u);
}

TEST(keyed_strand, B2_bounds_each_key_and_all_of_them) {
  manual_executor threads;
  keyed_strand<int> lanes(threads, 1, 3);
  auto first = lanes.submit(1, [] {});
  lanes.execute(1, [] {});
  EXPECT_EQ(lanes.try_submit(1, [] {}).why(), reject_reason::saturated);
  lanes.execute(2, [] {});
  EXPECT_EQ(lanes.try_submit(3, [] {}).why(), reject_reason::saturated);
  EXPECT_EQ(lanes.keys(), 2u);
  EXPECT_EQ(first.cancel(), cancel_result::cancelled);
  EXPECT_TRUE(lanes.try_submit(3, [] {}).accepted());
  threads.run_all();
  EXPECT_EQ(lanes.size(), 0u);
}

TEST(keyed_strand, R11_a_refusal_leaves_no_lane_and_the_callable_intact) {
  manual_executor threads;
  keyed_strand<std::string> lanes(threads, 1, unbounded);
  threads.refuse_next(1, reject_reason::no_thread);
  auto task = [held = std::make_unique<int>(1)] { return *held; };
  EXPECT_EQ(lanes.try_submit("a", std::move(task)).why(), reject_reason::no_thread);
  EXPECT_EQ(lanes.keys(), 0u);
  EXPECT_EQ(lanes.size(), 0u);
  const std::string key = "a";
  auto accepted = lanes.on(key).submit(std::move(task));
  lanes.close();
  EXPECT_THROW(lanes.submit("b", [] {}), rejected);
  threads.run_all();
  EXPECT_EQ(accepted.get(), 1);
}

TEST(keyed_strand, cancel_pending_reaches_all_lanes) {
  manual_executor threads;
  keyed_strand<int> lanes(threads, unbounded, unbounded);
  std::vector<future<void>> tasks;
  for (int key = 0; key < 10; ++key) tasks.push_back(lanes.submit(key, [] {}));
  EXPECT_EQ(lanes.cancel_pending(), 10u);
  EXPECT_EQ(lanes.keys(), 0u);
  for (const auto& task : tasks) EXPECT_EQ(task.state(), task_state::cancelled);
  threads.run_all();
}

TEST(keyed_strand, destroyed_it_leaves_accepted_tasks_alone) {
  manual_executor threads;
  future<int> task;
  {
    keyed_strand<std::string> lanes(threads, unbounded, unbounded);
    task = lanes.submit("a", [] { return 1; });
  }
  threads.run_all();
  EXPECT_EQ(task.get(), 1);
}

TEST(keyed_strand, lanes_are_reclaimed_while_their_keys_come_back) {
  constexpr int k_rounds = 4000;
  manual_executor threads;
  keyed_strand<int> lanes(threads, unbounded, unbounded);
  int plain[3] = {};  // each touched by the tasks of one key alone
  sync::event over;
  const auto crank = [&] {
    while (!over.is_set()) threads.run_all();
    threads.run_all();
  };
  const auto submit = [&] {
    for (int at = 0; at < k_rounds; ++at) {
      lanes.execute(at % 3, [&plain, at] { ++plain[at % 3]; });
    }
  };
  {
    sync::thread first(crank);
    sync::thread second(crank);
    sync::thread third(submit);
    submit();
    third.join();
    while (lanes.size() > 0) lanes.submit(0, [] {}).wait();
    over.set();
    first.join();
    second.join();
  }
  EXPECT_EQ(plain[0] + plain[1] + plain[2], 2 * k_rounds);
  EXPECT_EQ(lanes.keys(), 0u);
}

}  // namespace
