#include "weir/detail/then.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "weir/promise.hpp"

namespace {

using namespace weir;
using detail::make_detached;

/// Takes callables and keeps them; what a test wants of an executor.
struct shelf {
  shelf() = default;
  shelf(const shelf&) = delete;
  shelf& operator=(const shelf&) = delete;

  template <class F>
  void execute(F f) {
    if (refusing) throw std::runtime_error("full");
    kept.push_back(std::make_unique<model<F>>(std::move(f)));
  }
  void run_all() {
    for (auto& each : kept) each->run();
    kept.clear();
  }
  struct callable {
    virtual ~callable() = default;
    virtual void run() = 0;
  };
  template <class F>
  struct model final : callable {
    explicit model(F given) : f(std::move(given)) {}
    void run() override { f(); }
    F f;
  };

  std::vector<std::unique_ptr<callable>> kept;
  bool refusing = false;
};

TEST(then, R24_takes_the_value_and_consumes_the_future) {
  auto [task, first] = make_detached([] { return 20; });
  auto second = first.then([](int value) { return value + 1; });
  EXPECT_FALSE(first.valid());
  EXPECT_EQ(second.state(), task_state::queued);
  task();
  EXPECT_EQ(second.get(), 21);
}

TEST(then, R24_runs_at_once_where_the_future_is_ready) {
  const auto here = std::this_thread::get_id();
  EXPECT_EQ(make_ready_future(1).then([](int) { return std::this_thread::get_id(); }).get(), here);
}

TEST(then, D1_takes_move_only_values_references_and_nothing) {
  auto owned = make_ready_future(std::make_unique<int>(3)).then([](std::unique_ptr<int> value) {
    return value;
  });
  EXPECT_EQ(*owned.get(), 3);
  int object = 0;
  auto [task, reference] = make_detached([&object]() -> int& { return object; });
  task();
  auto same = reference.then([](int& value) -> int& { return value; });
  EXPECT_EQ(&same.get(), &object);
  EXPECT_EQ(make_ready_future().then([] { return 4; }).get(), 4);
}

TEST(then, takes_the_finished_future_itself) {
  auto seen = make_ready_future(5).then([](future<int> done) {
    EXPECT_EQ(done.state(), task_state::succeeded);
    return done.get() + 1;
  });
  EXPECT_EQ(seen.get(), 6);
}

// tck 160: the very same exception, however long the chain.
TEST(then, R24_a_failure_skips_it_and_passes_on_as_the_same_exception) {
  const auto thrown = std::make_exception_ptr(std::runtime_error("first"));
  bool ran = false;
  auto last = make_failed_future<int>(thrown)
                  .then([&ran](int value) { return ran = true, value; })
                  .then([&ran](int) { ran = true; });
  EXPECT_EQ(last.state(), task_state::failed);
  try {
    last.get();
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "first");
    EXPECT_EQ(std::current_exception(), thrown);
  }
  EXPECT_FALSE(ran);
}

TEST(then, R24_a_failure_is_seen_by_what_takes_the_future) {
  auto mended = make_failed_future<int>(std::make_exception_ptr(std::runtime_error("no")))
                    .then([](future<int> failed) {
                      EXPECT_THROW(failed.get(), std::runtime_error);
                      return 7;
                    });
  EXPECT_EQ(mended.get(), 7);
}

TEST(then, D2_its_own_exception_is_its_failure) {
  auto failed = make_ready_future().then([]() -> int { throw std::logic_error("own"); });
  EXPECT_THROW(failed.get(), std::logic_error);
}

// tck 164, 185
TEST(then, D2_a_cancellation_passes_on_with_its_reason) {
  bool ran = false;
  auto [task, first] = make_detached([] { return 1; });
  auto last = first.then([&ran](int) { ran = true; }).then([&ran] { ran = true; });
  task.cancel(cancel_reason::discarded);
  EXPECT_EQ(last.state(), task_state::cancelled);
  EXPECT_EQ(last.cancellation(), cancellation::never_started);
  try {
    last.get();
    FAIL();
  } catch (const task_cancelled& error) {
    EXPECT_EQ(error.reason(), cancel_reason::discarded);
  }
  EXPECT_FALSE(ran);
}

// case 34, tck 164: cancelled before the start it never runs, and what it follows is left alone.
TEST(then, R18_cancelled_before_the_task_ends_it_never_runs) {
  bool ran = false;
  auto [task, first] = make_detached([] { return 1; });
  const auto upstream = first.ref();
  const auto held = std::make_shared<int>(0);
  auto second = first.then([&ran, held](int) { ran = true; });
  EXPECT_EQ(second.cancel(), cancel_result::cancelled);
  EXPECT_EQ(held.use_count(), 1);  // case 38, tck 188
  EXPECT_EQ(upstream.state(), task_state::queued);
  task();
  EXPECT_EQ(upstream.state(), task_state::succeeded);
  EXPECT_FALSE(ran);
}

TEST(then, A4_its_captures_die_before_its_future_is_ready) {
  const auto held = std::make_shared<int>(0);
  auto [task, first] = make_detached([] { return 1; });
  auto second = first.then([held](int) {});
  auto third = second.then(
      [held_count = std::weak_ptr<int>(held)] { EXPECT_EQ(held_count.use_count(), 1); });
  task();
  third.get();
}

TEST(then, D4_may_take_a_stop_token) {
  future<bool> second;
  auto [task, first] = make_detached([] {});
  second = first.then([&second](std::stop_token stop) {
    EXPECT_EQ(second.cancel(), cancel_result::requested);
    return stop.stop_requested();
  });
  task();
  EXPECT_EQ(second.state(), task_state::cancelled);
  EXPECT_EQ(second.cancellation(), cancellation::returned);
}

TEST(then, R23_without_a_task_throws_no_state) {
  future<int> none;
  EXPECT_THROW(none.then([](int) {}), std::future_error);
  auto ready = make_ready_future(1);
  EXPECT_THROW(ready.then(std::function<void(int)>()), std::invalid_argument);  // tck 155
  EXPECT_TRUE(ready.valid());
}

TEST(then, D5_an_unread_failure_is_reported_once_for_the_whole_chain) {
  testing::internal::CaptureStderr();
  make_failed_future<int>(std::make_exception_ptr(std::runtime_error("lost")))
      .then([](int value) { return value; })
      .then([](int) {});
  const std::string told = testing::internal::GetCapturedStderr();
  const auto first = told.find("lost");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(told.find("lost", first + 1), std::string::npos);
}

constexpr int k_long = 1'000'000;
constexpr int k_deep = 200'000;  // a frame each would be too much

TEST(then, R24_a_chain_of_a_million_needs_no_stack) {
  auto [task, head] = make_detached([] { return 0; });
  future<int> last = std::move(head);
  for (int at = 0; at < k_long; ++at) last = last.then([](int value) { return value + 1; });
  task();
  EXPECT_EQ(last.get(), k_long);
}

TEST(then, R24_a_long_chain_fails_without_stack) {
  auto [task, head] = make_detached([]() -> int { throw std::runtime_error("far"); });
  future<int> last = std::move(head);
  for (int at = 0; at < k_deep; ++at) last = last.then([](int value) { return value + 1; });
  task();
  EXPECT_THROW(last.get(), std::runtime_error);
}

TEST(then, R24_a_long_chain_is_dropped_without_stack) {
  auto [task, head] = make_detached([] { return 0; });
  future<int> last = std::move(head);
  for (int at = 0; at < k_deep; ++at) last = last.then([](int value) { return value + 1; });
  last.cancel();
  task.reset();
  EXPECT_EQ(last.state(), task_state::cancelled);
}

TEST(then, R24_a_continuation_that_continues_itself_needs_no_stack) {
  int left = k_deep;
  std::function<void()> again = [&] {
    if (--left > 0) static_cast<void>(make_ready_future().then([&again] { again(); }));
  };
  make_ready_future().then([&again] { again(); });
  EXPECT_EQ(left, 0);
}

TEST(then, R24_through_an_executor_it_runs_where_that_says) {
  shelf elsewhere;
  auto second = make_ready_future(1).then(elsewhere, [](int value) { return value + 1; });
  EXPECT_EQ(second.state(), task_state::queued);
  ASSERT_EQ(elsewhere.kept.size(), 1U);
  elsewhere.run_all();
  EXPECT_EQ(second.get(), 2);
}

TEST(then, R24_a_refusal_of_the_executor_is_the_result) {
  shelf elsewhere;
  elsewhere.refusing = true;
  bool ran = false;
  auto second = make_ready_future(1).then(elsewhere, [&ran](int) { ran = true; });
  EXPECT_EQ(second.state(), task_state::failed);
  EXPECT_THROW(second.get(), std::runtime_error);
  EXPECT_FALSE(ran);
}

TEST(then, R24_what_the_executor_drops_is_cancelled) {
  shelf elsewhere;
  auto second = make_ready_future(1).then(elsewhere, [](int) {});
  elsewhere.kept.clear();
  EXPECT_EQ(second.state(), task_state::cancelled);
  try {
    second.get();
    FAIL();
  } catch (const task_cancelled& error) {
    EXPECT_EQ(error.reason(), cancel_reason::aborted);
  }
}

TEST(then, R24_a_failure_does_not_trouble_the_executor) {
  shelf elsewhere;
  auto second = make_failed_future<int>(std::make_exception_ptr(std::runtime_error("no")))
                    .then(elsewhere, [](int) {});
  EXPECT_TRUE(elsewhere.kept.empty());
  EXPECT_THROW(second.get(), std::runtime_error);
}

}  // namespace
