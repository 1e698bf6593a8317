#include "task/continuations.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "support/child.hpp"
#include "support/on_end.hpp"
#include "weir/detail/prerequisites.hpp"
#include "weir/future.hpp"

namespace {

using namespace weir;
using detail::make_detached;
using weir::testing::on_end;

// tck 162, 163
TEST(continuations, R24_run_once_in_order_and_find_the_task_terminal) {
  auto [task, result] = make_detached([] { return 7; });
  std::vector<int> ran;
  for (int at = 0; at < 3; ++at) {
    on_end(result, [&ran, at, ref = result.ref()] {
      EXPECT_EQ(ref.state(), task_state::succeeded);
      ran.push_back(at);
    });
  }
  task();
  EXPECT_EQ(ran, (std::vector{0, 1, 2}));
  EXPECT_EQ(result.get(), 7);
}

TEST(continuations, R24_run_at_once_where_the_task_has_ended) {
  auto [task, result] = make_detached([] {});
  task();
  bool ran = false;
  on_end(result, [&ran] { ran = true; });
  EXPECT_TRUE(ran);
}

TEST(continuations, R24_run_on_the_thread_that_ends_the_task) {
  auto [task, result] = make_detached([] {});
  std::thread::id where;
  on_end(result, [&where] { where = std::this_thread::get_id(); });
  std::thread ender(std::move(task));
  const auto expected = ender.get_id();
  ender.join();
  EXPECT_EQ(where, expected);
}

TEST(continuations, run_where_the_task_is_cancelled) {
  auto [task, result] = make_detached([] {});
  int ran = 0;
  on_end(result, [&ran] { ++ran; });
  result.cancel();
  EXPECT_EQ(ran, 1);
  task();
  EXPECT_EQ(ran, 1);
}

TEST(continuations, may_be_attached_by_the_body_itself) {
  std::optional<future<void>> own;
  bool ran = false;
  auto [task, result] = make_detached([&] { on_end(*own, [&ran] { ran = true; }); });
  own = std::move(result);
  task();
  EXPECT_TRUE(ran);
}

// The outcome is fixed, and the thread that will publish it is this one.
TEST(continuations, R18_the_destructor_of_a_capture_cannot_attach_to_its_own_task) {
  std::optional<future<void>> own;
  bool refused = false;
  const auto attacher = [&](int*) {
    try {
      on_end(*own, [] {});
    } catch (const std::system_error& error) {
      refused = error.code() == std::errc::resource_deadlock_would_occur;
    }
  };
  int held = 0;
  auto [task, result] = make_detached([capture = std::shared_ptr<int>(&held, attacher)] {});
  own = std::move(result);
  task();
  EXPECT_TRUE(refused);
}

TEST(continuations, R24_what_becomes_due_in_a_continuation_runs_after_it) {
  auto [first, first_result] = make_detached([] {});
  auto [second, second_result] = make_detached([] {});
  std::vector<int> ran;
  on_end(second_result, [&ran] { ran.push_back(2); });
  on_end(first_result, [&ran, task = &second] {
    (*task)();
    ran.push_back(1);
  });
  first();
  EXPECT_EQ(ran, (std::vector{1, 2}));
}

TEST(continuations, R24_a_continuation_that_waits_lets_the_next_ones_run) {
  auto [first, first_result] = make_detached([] {});
  auto [second, second_result] = make_detached([] {});
  on_end(first_result, [&] { second_result.wait(); });
  on_end(first_result, [task = &second] { (*task)(); });
  first();
  EXPECT_EQ(second_result.state(), task_state::succeeded);
}

TEST(continuations, attached_while_the_task_ends_run_once_each) {
  for (int round = 0; round < 2000; ++round) {
    auto [task, result] = make_detached([] {});
    std::atomic<int> ran{0};
    std::thread ender(std::move(task));
    std::thread other([&, &of = result] {
      for (int at = 0; at < 3; ++at) on_end(of, [&ran] { ++ran; });
    });
    for (int at = 0; at < 3; ++at) on_end(result, [&ran] { ++ran; });
    ender.join();
    other.join();
    ASSERT_EQ(ran, 6);
  }
}

// Two threads, each at the lock of a follower of its own most of the time.
TEST(continuations, R26_no_lock_of_a_follower_is_held_in_a_child) {
  WEIR_NO_FORK_HERE;
  std::vector<std::pair<detail::detached_task, future<void>>> followers;
  for (int at = 0; at < 2; ++at) followers.push_back(make_detached([] {}));
  std::atomic<bool> over{false};
  const auto forget = [](future<void>& follower) {
    detail::task_base* input = nullptr;
    detail::forget_input(detail::future_access::task(follower), input);
  };
  std::vector<std::thread> threads;
  for (auto& follower : followers) {
    threads.emplace_back([&over, &forget, &mine = follower.second] {
      while (!over) forget(mine);
    });
  }
  for (int round = 0; round < 30 && !::testing::Test::HasFailure(); ++round) {
    weir::testing::in_child([&] {
      for (auto& follower : followers) forget(follower.second);
    });
  }
  over = true;
  for (auto& each : threads) each.join();
}

}  // namespace
