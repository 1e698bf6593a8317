#include "weir/completion_queue.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "support/watchdog.hpp"
#include "weir/promise.hpp"

namespace {

using namespace weir;
using namespace std::chrono_literals;
using weir::testing::watchdog;

// tck 206, 207
TEST(completion_queue, yields_in_the_order_of_completion) {
  completion_queue<int> queue;
  std::vector<promise<int>> brings(3);
  for (auto& each : brings) queue.add(each.get_future());
  EXPECT_EQ(queue.size(), 3U);
  EXPECT_EQ(queue.pending(), 3U);
  EXPECT_FALSE(queue.try_take());
  EXPECT_FALSE(queue.take_for(0s));
  for (const std::size_t at : {2U, 0U, 1U}) brings[at].set_value(static_cast<int>(at));
  EXPECT_EQ(queue.pending(), 0U);
  for (const int expected : {2, 0, 1}) {
    auto done = queue.take();
    ASSERT_TRUE(done);
    EXPECT_TRUE(is_terminal(done->state()));
    EXPECT_EQ(done->get(), expected);
  }
  EXPECT_EQ(queue.size(), 0U);
}

// A take that would wait for nothing says so.
TEST(completion_queue, with_nothing_in_it_take_returns_nothing) {
  const watchdog limit("completion_queue.with_nothing_in_it_take_returns_nothing");
  completion_queue<int> queue;
  EXPECT_FALSE(queue.take());
  queue.add(make_ready_future(1));
  EXPECT_TRUE(queue.take());
  EXPECT_FALSE(queue.take());
}

TEST(completion_queue, yields_failures_and_cancellations_as_well) {
  completion_queue<int> queue;
  queue.add(make_failed_future<int>(std::make_exception_ptr(1)));
  promise<int> brings;
  auto result = brings.get_future();
  const auto handle = result.ref();
  queue.add(std::move(result));
  handle.cancel();
  EXPECT_THROW(queue.take()->get(), int);
  auto cancelled = queue.take();
  EXPECT_EQ(cancelled->ref(), handle);  // tck 189
  EXPECT_THROW(cancelled->get(), task_cancelled);
}

// Whoever waits for what another one takes must not wait for ever.
TEST(completion_queue, several_takers_share_what_there_is) {
  const watchdog limit("completion_queue.several_takers_share_what_there_is");
  for (int round = 0; round < 300; ++round) {
    completion_queue<int> queue;
    std::vector<promise<int>> brings(4);
    for (auto& each : brings) queue.add(each.get_future());
    std::atomic<int> taken{0};
    std::vector<std::thread> takers;
    for (int at = 0; at < 3; ++at) {
      takers.emplace_back([&] {
        while (auto done = queue.take()) ++taken;
      });
    }
    for (auto& each : brings) each.set_value(1);
    for (auto& taker : takers) taker.join();
    ASSERT_EQ(taken, 4);
  }
}

TEST(completion_queue, a_taker_may_be_stopped) {
  completion_queue<int> queue;
  promise<int> brings;
  queue.add(brings.get_future());
  std::stop_source stop;
  bool got = true;
  std::thread taker([&] { got = queue.take(stop.get_token()).has_value(); });
  stop.request_stop();
  taker.join();
  EXPECT_FALSE(got);
  EXPECT_EQ(queue.size(), 1U);
}

TEST(completion_queue, destroyed_it_neither_blocks_nor_cancels) {
  promise<int> brings;
  {
    completion_queue<int> queue;
    queue.add(brings.get_future());
    queue.add(make_ready_future(1));
  }
  EXPECT_TRUE(brings.wanted());
  EXPECT_TRUE(brings.set_value(1));
}

TEST(completion_queue, refuses_a_future_without_a_task) {
  completion_queue<int> queue;
  EXPECT_THROW(queue.add(future<int>()), std::future_error);
  EXPECT_EQ(queue.size(), 0U);
}

}  // namespace
