// Results: D1 … D3, D5, R23, and how a body gets its arguments.

#include "weir/future.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "support/eventually.hpp"
#include "support/gate.hpp"
#include "support/watchdog.hpp"
#include "weir/this_task.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;
using testing::gate;
using testing::held_worker;

static_assert(!std::is_copy_constructible_v<future<int>>);
static_assert(std::is_nothrow_move_constructible_v<future<int>>);
static_assert(std::is_copy_constructible_v<task_ref>);
static_assert(!std::is_copy_constructible_v<thread_pool>, "R25");
static_assert(!std::is_move_constructible_v<thread_pool>, "R25");
static_assert(!std::is_copy_constructible_v<drained_task>);

struct with_pool : ::testing::Test {
  thread_pool pool = thread_pool::fixed(2, 16);
};
using future_test = with_pool;

// tck 52.
TEST_F(future_test, D1_values_of_every_kind) {
  int object = 1;
  auto reference = pool.submit([&]() -> int& { return object; });
  static_assert(std::is_same_v<decltype(reference), future<int&>>);
  EXPECT_EQ(&reference.get(), &object);
  auto move_only = pool.submit([] { return std::make_unique<int>(2); });
  EXPECT_EQ(*move_only.get(), 2);
  auto nothing = pool.submit([] {});
  static_assert(std::is_same_v<decltype(nothing.get()), void>);
  nothing.get();
  std::string text = "long enough to be on the heap, whatever the library";
  auto moved = pool.submit([&]() -> std::string&& { return std::move(text); });
  static_assert(std::is_same_v<decltype(moved), future<std::string>>);
  EXPECT_EQ(moved.get().size(), 51u);
  struct aligned {
    alignas(128) char bytes[128];
  };
  auto wide = pool.submit([] { return aligned{}; });
  EXPECT_EQ(wide.get().bytes[0], 0);
}

TEST_F(future_test, R23_get_consumes) {
  auto task = pool.submit([] { return 1; });
  EXPECT_TRUE(task.valid());
  EXPECT_EQ(task.get(), 1);
  EXPECT_FALSE(task.valid());
  EXPECT_THROW((void)task.get(), std::future_error);
  EXPECT_THROW(task.wait(), std::future_error);
  EXPECT_THROW((void)task.wait_for(0s), std::future_error);
  EXPECT_THROW((void)task.state(), std::future_error);
  EXPECT_THROW((void)task.cancel(), std::future_error);
  EXPECT_THROW((void)task.id(), std::future_error);
  const future<int> never;
  EXPECT_FALSE(never.valid());
  EXPECT_THROW(never.wait(), std::future_error);
  EXPECT_THROW(task_ref().wait(), std::future_error);
}

TEST_F(future_test, R23_a_get_that_timed_out_consumes_nothing) {
  gate release;
  auto task = pool.submit([&] {
    release.wait();
    return 5;
  });
  EXPECT_THROW((void)task.get_for(0s), timed_out);
  EXPECT_THROW((void)task.get_for(1ms), timed_out);
  EXPECT_TRUE(task.valid());
  release.open();
  EXPECT_EQ(task.get_for(testing::k_patience), 5);
}

TEST_F(future_test, D2_dropping_a_handle_neither_blocks_nor_cancels) {
  gate entered, release, ended;
  {
    auto dropped = pool.submit([&] {
      entered.open();
      release.wait();
      ended.open();
      return std::make_unique<int>(1);
    });
    entered.wait();
  }
  release.open();
  ended.wait();
  pool.wait_idle();
  EXPECT_EQ(pool.stats().succeeded, 1u);
}

struct own_error : std::runtime_error {
  own_error(const char* what, int number) : std::runtime_error(what), code(number) {}
  int code;
};

TEST_F(future_test, D2_get_rethrows_the_body_s_own_exception) {
  auto task = pool.submit([]() -> int { throw own_error("mine", 7); });
  try {
    (void)task.get();
    ADD_FAILURE() << "get returned";
  } catch (const own_error& error) {
    EXPECT_EQ(error.code, 7);
  }
  auto number = pool.submit([]() -> int { throw 3; });
  EXPECT_THROW((void)number.get(), int);
}

TEST_F(future_test, task_ref_is_a_copyable_handle_of_the_same_task) {
  gate release;
  auto task = pool.submit([&] { release.wait(); });
  task_ref one = task.ref();
  const task_ref two = one;
  one = two;
  EXPECT_EQ(two.id(), task.id());
  { const future<void> dropped = std::move(task); }
  EXPECT_FALSE(two.wait_for(0s));
  release.open();
  two.wait();
  EXPECT_EQ(one.state(), task_state::succeeded);
  EXPECT_EQ(one.cancellation(), std::nullopt);
}

TEST_F(future_test, ids_ascend_from_one) {
  auto one = pool.submit([] { return this_task::id(); });
  auto two = pool.submit([] { return this_task::id(); });
  EXPECT_EQ(one.id(), 1u);
  EXPECT_EQ(two.id(), 2u);
  EXPECT_EQ(one.get(), 1u);
  EXPECT_EQ(two.get(), 2u);
}

// D3, D4: what the body did is visible to every waiter, without any atomic.
// tck 174.
TEST_F(future_test, what_the_body_did_is_visible_to_all_waiters) {
  const testing::watchdog dog("visible to all waiters");
  for (int round = 0; round < 300; ++round) {
    int plain = 0;
    auto task = pool.submit([&plain, round] { plain = round + 1; });
    std::vector<std::thread> waiters;
    for (int at = 0; at < 3; ++at) {
      waiters.emplace_back([ref = task.ref(), &plain, round] {
        ref.wait();
        EXPECT_EQ(plain, round + 1);
      });
    }
    for (auto& each : waiters) each.join();
  }
}

int add(int left, int right) { return left + right; }

TEST_F(future_test, B5_arguments_are_copied_moved_and_passed_on) {
  EXPECT_EQ(pool.submit(add, 1, 2).get(), 3);
  const auto take = [](std::unique_ptr<int> owned) { return *owned; };
  EXPECT_EQ(pool.submit(take, std::make_unique<int>(4)).get(), 4);
  int target = 0;
  pool.submit([](int& out) { out = 5; }, std::ref(target)).get();
  EXPECT_EQ(target, 5);
  const auto shared = std::make_shared<int>(6);
  pool.submit([](const std::shared_ptr<int>&) {}, shared).get();
  EXPECT_EQ(shared.use_count(), 1) << "the copy went with the task";
  pool.submit([](int& copy) { copy = 9; }, target).get();
  EXPECT_EQ(target, 5) << "lvalues are copied, so a body changes its own";
  struct counter {
    int operator()() && { return 1; }
  };
  EXPECT_EQ(pool.submit(counter()).get(), 1);
  EXPECT_EQ(pool.submit(&std::string::size, std::string("four")).get(), 4u);
}

TEST_F(future_test, D4_a_body_that_asks_for_a_stop_token_gets_its_own) {
  EXPECT_TRUE(pool.submit([](std::stop_token stop) { return stop.stop_possible(); }).get());
  auto both = pool.submit(
      [](std::stop_token stop, int number) { return stop.stop_requested() ? 0 : number; }, 8);
  EXPECT_EQ(both.get(), 8);
}

TEST_F(future_test, B5_execute_takes_the_same_without_a_future) {
  std::promise<int> heard;
  pool.execute([](std::promise<int>& to, int left, int right) { to.set_value(left + right); },
               std::ref(heard), 3, 4);
  EXPECT_EQ(heard.get_future().get(), 7);
}

TEST_F(future_test, A6_a_finished_task_lives_as_long_as_its_handles) {
  auto result = std::make_shared<int>(7);
  const std::weak_ptr<int> alive = result;
  auto task = pool.submit([kept = std::move(result)] { return kept; });
  task.wait();
  task_ref handle = task.ref();
  { const auto dropped = std::move(task); }
  EXPECT_FALSE(alive.expired());
  handle = {};
  // The worker lets go of it as well, a moment after its end.
  EXPECT_TRUE(testing::eventually([&] { return alive.expired(); }));
}

TEST(this_task, is_empty_outside_of_a_body) {
  EXPECT_FALSE(this_task::stop_requested());
  EXPECT_FALSE(this_task::stop_token().stop_possible());
  EXPECT_EQ(this_task::id(), 0u);
  EXPECT_EQ(this_task::pool(), nullptr);
  const auto before = std::chrono::steady_clock::now();
  EXPECT_TRUE(this_task::sleep_for(2ms));
  EXPECT_GE(std::chrono::steady_clock::now() - before, 2ms);
}

TEST(this_task, bodies_nest) {
  thread_pool outer = thread_pool::fixed(1, 1);
  pool_options options{.core = 1, .max = 1, .capacity = 0};
  options.on_saturation = saturation::caller_runs;
  thread_pool inner(options);
  held_worker busy(inner);
  auto task = outer.submit([&] {
    const auto mine = this_task::id();
    auto nested = inner.submit([&] { EXPECT_EQ(this_task::pool(), &inner); });
    EXPECT_EQ(nested.state(), task_state::succeeded);
    EXPECT_EQ(this_task::pool(), &outer);
    EXPECT_EQ(this_task::id(), mine);
  });
  task.get();
}

}  // namespace
}  // namespace weir
