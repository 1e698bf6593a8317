#include <gtest/gtest.h>

#include <memory>

#include "model/kernel_pool.hpp"
#include "support/on_end.hpp"
#include "task/continuations.hpp"
#include "task/run_body.hpp"
#include "task/run_context.hpp"

/// docs/design/continuations.md: what follows a task, while others end it.
namespace weir::model {
namespace {

using namespace detail;
using sync::thread;
using testing::on_end;

struct marked final : continuation {
  marked() noexcept : continuation(&run_one) {}
  static void run_one(continuation& self, task_base& upstream) noexcept {
    MODEL_CHECK(is_terminal(state_of(upstream)));
    ++static_cast<marked&>(self).ran;
  }
  int ran = 0;
};

void add(task_base& task, marked& one) {
  prepare_attach(task);
  attach(task, one);
}

TEST(kernel_continuation, runs_once_whoever_ends_the_task) {
  expect_holds("continuation: attach × complete × cancel", {.bound = 3, .views_bound = 2}, [] {
    int value = 0;
    auto [task, result] = make_detached([&value] { value = 1; });
    marked follows;
    thread runner([&, own = std::move(task)]() mutable { own(); });
    thread canceller([&, ref = result.ref()] { (void)ref.cancel(); });
    add(future_access::task(result), follows);
    runner.join();
    canceller.join();
    MODEL_CHECK(follows.ran == 1);
    if (result.state() == task_state::succeeded) MODEL_CHECK(value == 1);
  });
}

TEST(kernel_continuation, two_attach_while_it_ends) {
  expect_holds("continuation: attach × attach × complete", {.bound = 3, .views_bound = 2}, [] {
    auto [task, result] = make_detached([] {});
    marked first;
    marked second;
    thread runner([&, own = std::move(task)]() mutable { own(); });
    thread other([&] { add(future_access::task(result), second); });
    add(future_access::task(result), first);
    runner.join();
    other.join();
    MODEL_CHECK(first.ran == 1 && second.ran == 1);
  });
}

// Whichever worker ends the first task, the other one must be free to start the second.
TEST(kernel_continuation, may_wait_for_the_next_task) {
  expect_holds("pool: continuation that waits for the next task × wait_idle", k_many, [] {
    thread_pool pool(options_for({.core = 2, .max = 2, .capacity = 2}));
    int ran = 0;
    auto first = pool.submit([] {});
    auto next = pool.submit([] {});
    on_end(first, [&] {
      next.wait();
      ++ran;
    });
    pool.wait_idle();
    MODEL_CHECK(ran == 1);
    check_conservation(pool);
  });
}

TEST(kernel_continuation, what_was_claimed_ahead_starts_after_it) {
  expect_holds("pool: continuation × claims ahead × wait_idle", k_few, [] {
    thread_pool pool(options_for({.capacity = 3}));
    int ran = 0;
    int followed = 0;
    future<void> tasks[3];
    for (auto& task : tasks) task = pool.submit([&ran] { ++ran; });
    on_end(tasks[1], [&followed] { ++followed; });
    pool.wait_idle();
    MODEL_CHECK(ran == 3 && followed == 1);
    check_conservation(pool);
  });
}

TEST(kernel_continuation, every_taker_gets_something_or_hears_that_nothing_is_left) {
  expect_holds("completion queue: take × take × complete × complete",
               {.bound = 2, .views_bound = 1, .delays = true}, [] {
                 completion_queue<void> queue;
                 auto [first, first_result] = make_detached([] {});
                 auto [second, second_result] = make_detached([] {});
                 queue.add(std::move(first_result));
                 queue.add(std::move(second_result));
                 int taken[2] = {};
                 thread other([&] {
                   while (queue.take()) ++taken[1];
                 });
                 thread runner([own = std::move(second)]() mutable { own(); });
                 first();
                 while (queue.take()) ++taken[0];
                 other.join();
                 runner.join();
                 MODEL_CHECK(taken[0] + taken[1] == 2);
               });
}

TEST(kernel_continuation, a_queue_is_gone_before_its_tasks) {
  expect_holds("completion queue: add × complete × close", {.bound = 3, .views_bound = 2}, [] {
    auto [task, result] = make_detached([] {});
    auto queue = std::make_unique<completion_queue<void>>();
    thread runner([own = std::move(task)]() mutable { own(); });
    queue->add(std::move(result));
    queue.reset();
    runner.join();
  });
}

TEST(kernel_continuation, the_first_of_two_is_named) {
  expect_holds("when_any: complete × complete × gather", {.bound = 3, .views_bound = 2}, [] {
    auto [first, first_result] = make_detached([] { return 0U; });
    auto [second, second_result] = make_detached([] { return 1U; });
    thread one([own = std::move(first)]() mutable { own(); });
    thread other([own = std::move(second)]() mutable { own(); });
    auto any = when_any(std::move(first_result), std::move(second_result)).get();
    MODEL_CHECK(any.index <= 1);
    auto& named = any.index == 0 ? std::get<0>(any.futures) : std::get<1>(any.futures);
    MODEL_CHECK(named.get() == any.index);
    one.join();
    other.join();
  });
}

// No pool starts the follower: the worker that waits for it runs what it follows, or another one
// does.
TEST(kernel_continuation, a_worker_that_waits_for_a_follower_runs_what_it_follows) {
  expect_holds("prerequisites: wait × claim", k_many, [] {
    thread_pool pool(options_for({.core = 2, .max = 2, .capacity = 4}));
    int ran = 0;
    auto outer = pool.submit([&] {
      auto follower = pool.submit([&ran] { ++ran; }).then([&ran] { ++ran; });
      follower.wait();
      MODEL_CHECK(ran == 2);
    });
    outer.get();
    check_end(pool);
  });
}

TEST(kernel_continuation, an_input_arrives_while_a_worker_looks_at_it) {
  expect_holds("prerequisites: look × arrive", k_few, [] {
    thread_pool pool(options_for({.capacity = 4}));
    auto [task, result] = make_detached([] {});
    auto outer = pool.submit([&pool, other = std::move(result)]() mutable {
      when_all(std::move(other), pool.submit([] {})).wait();
    });
    task();
    outer.get();
    check_end(pool);
  });
}

}  // namespace
}  // namespace weir::model
