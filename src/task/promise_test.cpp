#include "weir/promise.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

namespace {

using namespace weir;

template <class F>
std::future_errc error_of(F&& f) {
  try {
    f();
  } catch (const std::future_error& error) {
    return static_cast<std::future_errc>(error.code().value());
  }
  ADD_FAILURE() << "no std::future_error";
  return {};
}

// tck 159
TEST(promise, its_value_reaches_the_future) {
  promise<std::unique_ptr<int>> brings;
  auto result = brings.get_future();
  EXPECT_EQ(result.state(), task_state::queued);
  EXPECT_TRUE(brings.set_value(std::make_unique<int>(4)));
  EXPECT_EQ(*result.get(), 4);
}

TEST(promise, of_references_and_nothing) {
  int object = 0;
  promise<int&> reference;
  auto result = reference.get_future();
  reference.set_value(object);
  EXPECT_EQ(&result.get(), &object);
  promise<void> nothing;
  auto done = nothing.get_future();
  EXPECT_TRUE(nothing.set_value());
  done.get();
}

// tck 160
TEST(promise, its_exception_is_thrown_as_it_is) {
  const auto thrown = std::make_exception_ptr(std::runtime_error("brought"));
  promise<int> brings;
  auto result = brings.get_future();
  EXPECT_TRUE(brings.set_exception(thrown));
  try {
    result.get();
    FAIL();
  } catch (const std::runtime_error&) {
    EXPECT_EQ(std::current_exception(), thrown);
  }
  EXPECT_THROW(promise<int>().set_exception(nullptr), std::invalid_argument);
}

// tck 161
TEST(promise, the_first_result_stays) {
  promise<int> brings;
  auto result = brings.get_future();
  brings.set_value(1);
  const auto satisfied = std::future_errc::promise_already_satisfied;
  EXPECT_EQ(error_of([&] { brings.set_value(2); }), satisfied);
  EXPECT_EQ(error_of([&] { brings.set_exception(std::make_exception_ptr(3)); }), satisfied);
  EXPECT_EQ(result.cancel(), cancel_result::too_late);  // tck 165
  EXPECT_EQ(result.get(), 1);
}

TEST(promise, gives_its_future_once) {
  promise<int> brings;
  auto result = brings.get_future();
  EXPECT_EQ(error_of([&] { (void)brings.get_future(); }),
            std::future_errc::future_already_retrieved);
  auto moved = std::move(brings);
  EXPECT_EQ(error_of([&] { (void)brings.get_future(); }), std::future_errc::no_state);
  EXPECT_EQ(error_of([&] { brings.set_value(1); }), std::future_errc::no_state);
  EXPECT_TRUE(moved.set_value(2));
}

// tck 164, 173
TEST(promise, is_told_that_its_future_was_cancelled) {
  promise<int> brings;
  auto result = brings.get_future();
  EXPECT_TRUE(brings.wanted());
  EXPECT_EQ(result.cancel(), cancel_result::cancelled);
  EXPECT_FALSE(brings.wanted());
  EXPECT_FALSE(brings.set_value(1));
  EXPECT_FALSE(brings.set_exception(std::make_exception_ptr(1)));
  EXPECT_THROW(result.get(), task_cancelled);
}

TEST(promise, knows_when_nobody_waits_any_more) {
  promise<int> brings;
  EXPECT_TRUE(brings.wanted());
  {
    auto result = brings.get_future();
    EXPECT_TRUE(brings.wanted());
  }
  EXPECT_FALSE(brings.wanted());
  EXPECT_TRUE(brings.set_value(1));
}

TEST(promise, destroyed_unset_it_is_broken) {
  future<int> result;
  {
    promise<int> brings;
    result = brings.get_future();
  }
  EXPECT_EQ(result.state(), task_state::failed);
  EXPECT_EQ(error_of([&] { result.get(); }), std::future_errc::broken_promise);
  promise<int> first;
  auto replaced = first.get_future();
  first = promise<int>();
  EXPECT_EQ(error_of([&] { replaced.get(); }), std::future_errc::broken_promise);
}

TEST(promise, broken_where_nobody_looks_it_is_not_reported) {
  testing::internal::CaptureStderr();
  { const promise<int> never_asked; }
  {
    promise<int> dropped;
    (void)dropped.get_future();
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

struct throws_when_moved {
  throws_when_moved() = default;
  throws_when_moved(throws_when_moved&&) { throw std::logic_error("moved"); }
};

TEST(promise, a_value_that_cannot_be_made_is_a_failure) {
  promise<throws_when_moved> brings;
  auto result = brings.get_future();
  EXPECT_THROW(brings.set_value(throws_when_moved()), std::logic_error);
  EXPECT_EQ(result.state(), task_state::failed);
}

// tck 161, 162: two set, one cancels; one of the three wins and what follows runs once.
TEST(promise, has_one_result_whoever_brings_it) {
  for (int round = 0; round < 1000; ++round) {
    promise<int> brings;
    auto result = brings.get_future();
    const auto handle = result.ref();
    std::atomic<int> followed{0};
    auto after = result.then([&followed](future<int>) { ++followed; });
    const auto set = [&brings](int value) {
      try {
        (void)brings.set_value(value);
      } catch (const std::future_error&) {
      }
    };
    std::thread one(set, 1);
    std::thread other(set, 2);
    handle.cancel();
    one.join();
    other.join();
    ASSERT_TRUE(is_terminal(handle.state()));
    ASSERT_EQ(followed, 1);
  }
}

TEST(promise, ready_and_failed_futures_are_made_at_once) {
  EXPECT_EQ(make_ready_future(std::string("here")).get(), "here");
  EXPECT_EQ(make_ready_future().state(), task_state::succeeded);
  EXPECT_THROW(make_failed_future<int>(std::make_exception_ptr(1)).get(), int);
}

}  // namespace
