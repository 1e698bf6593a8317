#include "weir/shared_future.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "support/watchdog.hpp"
#include "weir/promise.hpp"

namespace {

using namespace weir;
using namespace std::chrono_literals;
using detail::make_detached;
using weir::testing::watchdog;

// tck 159
TEST(shared_future, R23_is_read_any_number_of_times) {
  auto [task, single] = make_detached([] { return std::vector{1, 2}; });
  const auto shared = single.share();
  EXPECT_FALSE(single.valid());
  EXPECT_THROW(shared.get_for(0s), timed_out);
  const auto copy = shared;
  task();
  EXPECT_EQ(&shared.get(), &copy.get());
  EXPECT_EQ(shared.get(), (std::vector{1, 2}));
  EXPECT_EQ(shared.get_for(0s), (std::vector{1, 2}));
  EXPECT_EQ(shared.ref(), copy.ref());
}

// tck 160
TEST(shared_future, D2_rethrows_the_same_exception_every_time) {
  const auto thrown = std::make_exception_ptr(std::runtime_error("again"));
  const auto shared = make_failed_future<int>(thrown).share();
  for (int look = 0; look < 3; ++look) {
    try {
      shared.get();
      FAIL();
    } catch (const std::runtime_error&) {
      EXPECT_EQ(std::current_exception(), thrown);
    }
  }
}

TEST(shared_future, D1_of_references_and_nothing) {
  int object = 0;
  auto [task, single] = make_detached([&object]() -> int& { return object; });
  task();
  const auto shared = single.share();
  EXPECT_EQ(&shared.get(), &object);
  const shared_future<void> nothing = make_ready_future();
  nothing.get();
  nothing.get();
}

// tck 185
TEST(shared_future, D2_a_cancellation_is_thrown_every_time) {
  auto [task, single] = make_detached([] { return 1; });
  const auto shared = single.share();
  EXPECT_EQ(shared.cancel(), cancel_result::cancelled);
  for (int look = 0; look < 2; ++look) EXPECT_THROW(shared.get(), task_cancelled);
}

TEST(shared_future, R24_many_may_follow_in_order) {
  auto [task, single] = make_detached([] { return 1; });
  const auto shared = single.share();
  std::vector<int> ran;
  auto first = shared.then([&ran](const int& value) { ran.push_back(value); });
  auto second = shared.then([&ran](shared_future<int> done) { ran.push_back(done.get() + 1); });
  auto third = shared.then([&ran](int value) { ran.push_back(value + 2); });
  EXPECT_TRUE(shared.valid());
  task();
  EXPECT_EQ(ran, (std::vector{1, 2, 3}));
  EXPECT_EQ(shared.get(), 1);
}

TEST(shared_future, R24_a_failure_passes_to_all_who_follow) {
  const auto thrown = std::make_exception_ptr(std::runtime_error("all"));
  const auto shared = make_failed_future<int>(thrown).share();
  auto first = shared.then([](int) {});
  auto second = shared.then([](int) {});
  EXPECT_THROW(first.get(), std::runtime_error);
  EXPECT_THROW(second.get(), std::runtime_error);
  EXPECT_THROW(shared.get(), std::runtime_error);
}

// tck 174
TEST(shared_future, D3_many_threads_wait_for_it) {
  auto [task, single] = make_detached([] { return 9; });
  const auto shared = single.share();
  std::vector<std::thread> readers;
  for (int at = 0; at < 4; ++at) {
    readers.emplace_back([shared] { EXPECT_EQ(shared.get(), 9); });
  }
  task();
  for (auto& reader : readers) reader.join();
}

// tck 175, 176: the waiter is stopped, the task is left alone.
TEST(shared_future, a_wait_ends_when_its_waiter_is_stopped) {
  const watchdog limit("shared_future.a_wait_ends_when_its_waiter_is_stopped");
  auto [task, single] = make_detached([] { return 3; });
  const auto shared = single.share();
  std::stop_source stopped;
  stopped.request_stop();
  EXPECT_FALSE(shared.wait(stopped.get_token()));
  EXPECT_THROW(shared.get(stopped.get_token()), timed_out);
  for (int round = 0; round < 300; ++round) {
    std::stop_source during;
    bool ended = true;
    std::thread waiter([&] { ended = shared.wait(during.get_token()); });
    during.request_stop();
    waiter.join();
    ASSERT_FALSE(ended);
  }
  EXPECT_EQ(shared.state(), task_state::queued);
  std::thread runner(std::move(task));
  EXPECT_EQ(shared.get(std::stop_source().get_token()), 3);
  runner.join();
  EXPECT_TRUE(shared.wait(stopped.get_token()));
}

}  // namespace
