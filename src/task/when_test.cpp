#include "weir/when.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace weir;
using detail::make_detached;

TEST(when_all, is_ready_when_the_last_one_is) {
  promise<int> number;
  promise<std::string> text;
  auto both = when_all(number.get_future(), text.get_future(), make_ready_future());
  number.set_value(1);
  EXPECT_EQ(both.state(), task_state::queued);
  text.set_value("one");
  auto [first, second, third] = both.get();
  EXPECT_EQ(first.get(), 1);
  EXPECT_EQ(second.get(), "one");
  third.get();
}

TEST(when_all, keeps_failures_and_cancellations_in_their_futures) {
  auto [task, cancelled] = make_detached([] { return 1; });
  task.reset();
  auto all =
      when_all(make_failed_future<int>(std::make_exception_ptr(1)), std::move(cancelled)).get();
  EXPECT_THROW(std::get<0>(all).get(), int);
  EXPECT_THROW(std::get<1>(all).get(), task_cancelled);
}

TEST(when_all, of_a_range_keeps_its_order) {
  std::vector<promise<int>> brings(5);
  std::vector<future<int>> results;
  for (auto& each : brings) results.push_back(each.get_future());
  auto all = when_all(std::move(results));
  for (int at = 4; at >= 0; --at) {
    EXPECT_EQ(all.state(), task_state::queued);
    brings[static_cast<std::size_t>(at)].set_value(at);
  }
  auto done = all.get();
  for (int at = 0; at < 5; ++at) EXPECT_EQ(done[static_cast<std::size_t>(at)].get(), at);
}

TEST(when_all, of_nothing_is_ready_at_once) {
  EXPECT_TRUE(when_all(std::vector<future<int>>()).get().empty());
  EXPECT_EQ(when_all().state(), task_state::succeeded);
}

TEST(when_all, of_shared_futures_copies_them) {
  promise<int> brings;
  const std::vector handles(2, brings.get_future().share());
  auto all = when_all(handles);
  brings.set_value(2);
  EXPECT_EQ(all.get()[1].get(), handles[0].get());
}

TEST(when_all, cancelled_leaves_the_others_alone) {
  promise<int> brings;
  auto input = brings.get_future();
  const auto handle = input.ref();
  auto all = when_all(std::move(input));
  EXPECT_EQ(all.cancel(), cancel_result::cancelled);
  EXPECT_EQ(handle.state(), task_state::queued);
  EXPECT_TRUE(brings.set_value(1));
  EXPECT_EQ(handle.state(), task_state::succeeded);
}

TEST(when_all, without_a_task_throws_no_state) {
  EXPECT_THROW((void)when_all(make_ready_future(), future<int>()), std::future_error);
}

TEST(when_any, is_ready_when_the_first_one_is) {
  promise<int> first;
  promise<int> second;
  auto any = when_any(first.get_future(), second.get_future());
  EXPECT_EQ(any.state(), task_state::queued);
  second.set_value(2);
  auto [index, futures] = any.get();
  EXPECT_EQ(index, 1U);
  EXPECT_EQ(std::get<1>(futures).get(), 2);
  EXPECT_EQ(std::get<0>(futures).state(), task_state::queued);
  first.set_value(1);
  EXPECT_EQ(std::get<0>(futures).get(), 1);
}

TEST(when_any, names_the_first_of_those_that_are_ready) {
  promise<int> never;
  std::vector<future<int>> inputs;
  inputs.push_back(never.get_future());
  inputs.push_back(make_ready_future(1));
  inputs.push_back(make_ready_future(2));
  auto any = when_any(std::move(inputs)).get();
  EXPECT_EQ(any.index, 1U);
  EXPECT_EQ(any.futures[2].get(), 2);
}

TEST(when_any, of_nothing_is_refused) {
  EXPECT_THROW((void)when_any(std::vector<future<int>>()), std::invalid_argument);
}

TEST(when, R24_chains_with_then) {
  promise<int> left;
  promise<int> right;
  auto sum = when_all(left.get_future(), right.get_future()).then([](auto both) {
    return std::get<0>(both).get() + std::get<1>(both).get();
  });
  left.set_value(1);
  right.set_value(2);
  EXPECT_EQ(sum.get(), 3);
}

TEST(when, any_and_all_while_the_inputs_finish) {
  for (int round = 0; round < 500; ++round) {
    std::vector<std::pair<detail::detached_task, shared_future<int>>> inputs;
    for (int at = 0; at < 3; ++at) {
      auto [task, result] = make_detached([at] { return at; });
      inputs.emplace_back(std::move(task), result.share());
    }
    std::vector<shared_future<int>> handles;
    for (auto& input : inputs) handles.push_back(input.second);
    std::vector<std::thread> threads;
    for (auto& input : inputs) threads.emplace_back(std::move(input.first));
    auto any = when_any(handles);
    auto all = when_all(handles);
    const auto first = any.get();
    ASSERT_LT(first.index, 3U);
    ASSERT_EQ(first.futures[first.index].get(), static_cast<int>(first.index));
    for (auto& each : all.get()) ASSERT_EQ(each.state(), task_state::succeeded);
    for (auto& thread : threads) thread.join();
  }
}

}  // namespace
