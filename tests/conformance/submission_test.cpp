// What Java's rules say of submission (rules 40 to 56, 228), beyond what admission_test.cpp holds.

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "support/conservation.hpp"
#include "support/gate.hpp"
#include "weir/this_task.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;
using testing::gate;
using testing::held_worker;

// tck 47: legal, and the maximum is never reached.
TEST(submission, B1_without_a_bound_only_core_workers_are_started) {
  thread_pool pool({.core = 1, .max = 4, .capacity = unbounded});
  held_worker busy(pool);
  for (int task = 0; task < 100; ++task) pool.execute([] {});
  EXPECT_EQ(pool.size(), 1u);
  EXPECT_EQ(pool.stats().queued, 100u);
}

// tck 49: each submission of one object counts by itself, also after it has been refused.
TEST(submission, one_callable_may_be_submitted_often) {
  std::atomic<std::uint64_t> ran{0}, refused{0};
  const auto work = [&ran] { ++ran; };
  thread_pool pool = thread_pool::fixed(1, 30);
  {
    held_worker busy(pool);
    for (int time = 0; time < 100; ++time) refused += pool.try_submit(work).accepted() ? 0 : 1;
  }
  EXPECT_EQ(refused, 70u);
  for (int time = 0; time < 1'000; ++time) {
    while (!pool.try_submit(work).accepted()) ++refused;
  }
  pool.wait_idle();
  EXPECT_EQ(ran, 1'030u);
  EXPECT_EQ(pool.stats().refused, refused);
  testing::expect_conserved(pool.stats());
}

/// Every way to submit one task, each with its answer when it is refused.
struct form {
  std::string name;
  std::function<std::optional<reject_reason>(thread_pool&)> submit;
};

template <class Submit>
form throwing(std::string name, Submit submit) {
  return {std::move(name), [submit](thread_pool& pool) -> std::optional<reject_reason> {
            try {
              submit(pool);
            } catch (const rejected& refusal) {
              return refusal.why();
            }
            return std::nullopt;
          }};
}

template <class Submit>
form telling(std::string name, Submit submit) {
  return {std::move(name), [submit](thread_pool& pool) -> std::optional<reject_reason> {
            auto answer = submit(pool);
            if (answer.accepted()) return std::nullopt;
            return answer.why();
          }};
}

void never() { ADD_FAILURE() << "a refused body runs"; }

std::vector<form> all_forms() {
  const auto later = clock::time_point(std::chrono::steady_clock::now() + 1h);
  const task_options named{.name = "named"};
  return {
      throwing("submit", [](auto& pool) { (void)pool.submit(never); }),
      throwing("submit of a value", [](auto& pool) { (void)pool.submit([] { return 1; }); }),
      throwing("submit with arguments", [](auto& pool) { (void)pool.submit([](int) {}, 1); }),
      throwing("submit with options", [=](auto& pool) { (void)pool.submit(named, never); }),
      throwing("execute", [](auto& pool) { pool.execute(never); }),
      throwing("execute with options", [=](auto& pool) { pool.execute(named, never); }),
      throwing("submit_after", [](auto& pool) { (void)pool.submit_after(1h, never); }),
      throwing("submit_at", [=](auto& pool) { (void)pool.submit_at(later, never); }),
      throwing("submit_after with options",
               [=](auto& pool) { (void)pool.submit_after(named, 1h, never); }),
      throwing("submit_at with options",
               [=](auto& pool) { (void)pool.submit_at(named, later, never); }),
      throwing("submit_all",
               [](auto& pool) { (void)pool.submit_all(std::vector<void (*)()>{never}); }),
      throwing("invoke_all",
               [](auto& pool) { (void)pool.invoke_all(std::vector<void (*)()>{never}); }),
      throwing("invoke_any", [](auto& pool) { pool.invoke_any(std::vector<void (*)()>{never}); }),
      telling("try_submit", [](auto& pool) { return pool.try_submit(never); }),
      telling("try_submit with options", [=](auto& pool) { return pool.try_submit(named, never); }),
      telling("try_submit_after", [](auto& pool) { return pool.try_submit_after(1h, never); }),
  };
}

// tck 51, 228.
TEST(submission, every_form_is_refused_alike) {
  for (const form& each : all_forms()) {
    SCOPED_TRACE(each.name);
    thread_pool pool = thread_pool::fixed(1, 1);
    held_worker busy(pool);
    auto waits = pool.submit([] {});
    EXPECT_EQ(each.submit(pool), reject_reason::saturated);
    pool.close();
    EXPECT_EQ(each.submit(pool), reject_reason::closed);
    const pool_stats now = pool.stats();
    EXPECT_EQ(now.accepted, 2u);
    EXPECT_EQ(now.refused, 2u);
    EXPECT_EQ(now.queued, 1u);
    EXPECT_EQ(now.delayed, 0u);
  }
}

// tck 56: a body that submits to its own pool meets the rules that everybody meets.
TEST(submission, a_body_submits_under_the_same_rules) {
  thread_pool pool = thread_pool::fixed(1, 1);
  auto outer = pool.submit([] {
    thread_pool& mine = *this_task::pool();
    const bool first = mine.try_submit([] {}).accepted();
    const reject_reason second = mine.try_submit([] {}).why();
    return std::pair(first, second);
  });
  EXPECT_EQ(outer.get(), std::pair(true, reject_reason::saturated));
  pool.wait_idle();
  EXPECT_EQ(pool.stats().succeeded, 2u);
}

// tck 109: whatever the form, its handle takes the task out of the queue.
TEST(submission, B3_every_form_gives_a_handle_that_cancels) {
  thread_pool pool = thread_pool::fixed(1, 8);
  held_worker busy(pool);
  const auto later = clock::time_point(std::chrono::steady_clock::now() + 1h);
  std::vector<future<void>> all;
  all.push_back(pool.submit(never));
  all.push_back(pool.submit({.name = "named"}, never));
  all.push_back(pool.submit_after(1h, never));
  all.push_back(pool.submit_at(later, never));
  all.push_back(*pool.try_submit(never));
  all.push_back(*pool.try_submit_after(1h, never));
  all.push_back(*pool.try_submit_for(1h, never));
  all.push_back(std::move(pool.submit_all(std::vector<void (*)()>{never}).front()));
  EXPECT_FALSE(pool.try_submit([] {}).accepted());
  for (const auto& each : all) EXPECT_EQ(each.cancel(), cancel_result::cancelled);
  const pool_stats now = pool.stats();
  EXPECT_EQ(now.queued + now.delayed, 0u);
  EXPECT_EQ(now.cancelled, 8u);
}

}  // namespace
}  // namespace weir
