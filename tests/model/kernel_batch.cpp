#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "model/kernel_pool.hpp"

/// docs/design/claim-ring.md: tasks that a worker has claimed ahead, and everybody who wants them
/// back.
namespace weir::model {
namespace {

using sync::thread;

struct counting {
  sync::atomic<int>* ran;
  void operator()() const { ran->fetch_add(1, sync::relaxed); }
};

// One publication, so that the worker finds all of them and takes what it may ahead.
std::vector<future<void>> submit(thread_pool& pool, sync::atomic<int>* ran, std::size_t count) {
  return pool.submit_all(std::vector<counting>(count, counting{ran}));
}

TEST(kernel_batch, a_task_in_a_ring_is_started_or_cancelled_never_both) {
  expect_holds("batch: cancel × pop", k_few, [] {
    thread_pool pool(options_for({.capacity = 4}));
    sync::atomic<int> ran{0};
    auto tasks = submit(pool, &ran, 3);
    const bool second = tasks[1].cancel() == cancel_result::cancelled;
    const bool third = tasks[2].cancel() == cancel_result::cancelled;
    for (auto& task : tasks) task.wait();
    pool.close();
    pool.join();
    MODEL_CHECK(ran.load() == 3 - second - third);
    check_conservation(pool);
  });
}

TEST(kernel_batch, a_handle_may_go_before_the_ring_gives_its_task_up) {
  expect_holds("batch: cancel × pop × last handle", k_few, [] {
    thread_pool pool(options_for({.capacity = 4}));
    sync::atomic<int> ran{0};
    {
      auto tasks = submit(pool, &ran, 3);
      (void)tasks[1].cancel();
    }
    pool.close();
    pool.join();
    check_conservation(pool);
  });
}

TEST(kernel_batch, abort_reaches_what_runs_and_what_is_claimed) {
  expect_holds("batch: abort × pop × start", k_few, [] {
    thread_pool pool(options_for({.capacity = 4}));
    sync::atomic<int> ran{0};
    auto tasks = submit(pool, &ran, 3);
    (void)pool.abort();
    pool.join();
    int succeeded = 0;
    for (auto& task : tasks) {
      MODEL_CHECK(is_terminal(task.state()));
      succeeded += task.state() == task_state::succeeded;
    }
    MODEL_CHECK(succeeded <= ran.load());
    check_conservation(pool);
  });
}

TEST(kernel_batch, abort_holds_what_nobody_else_does) {
  expect_holds("batch: abort × tasks without handles", k_few, [] {
    thread_pool pool(options_for({.capacity = 4}));
    sync::atomic<int> ran{0};
    submit(pool, &ran, 3).clear();
    (void)pool.abort();
    pool.join();
    check_conservation(pool);
  });
}

TEST(kernel_batch, drained_tasks_come_out_of_rings_too) {
  expect_holds("batch: shutdown_now × pop", k_few, [] {
    thread_pool pool(options_for({.capacity = 4}));
    sync::atomic<int> ran{0};
    auto tasks = submit(pool, &ran, 3);
    auto drained = pool.shutdown_now();
    std::uint64_t last = 0;
    for (auto& task : drained) {
      MODEL_CHECK(task.id() > last);
      last = task.id();
      task();
    }
    pool.join();
    MODEL_CHECK(ran.load() == 3);
    for (auto& task : tasks) MODEL_CHECK(is_terminal(task.state()));
    check_conservation(pool);
  });
}

TEST(kernel_batch, an_idle_worker_opens_the_ring_of_a_busy_one) {
  expect_holds("batch: a body waits for a later task", k_many, [] {
    thread_pool pool(options_for({.core = 2, .max = 2, .capacity = 4}));
    sync::event later;
    std::vector<std::function<void()>> bodies{[&] { later.wait(); }, [] {}, [&] { later.set(); }};
    auto tasks = pool.submit_all(std::move(bodies));
    for (auto& task : tasks) task.wait();
    pool.close();
    pool.join();
    check_conservation(pool);
  });
}

TEST(kernel_batch, a_place_that_a_batch_frees_reaches_the_blocked) {
  expect_holds("batch: blocked submitter × start out of a ring", k_few, [] {
    thread_pool pool(options_for({.capacity = 2, .policy = saturation::block}));
    sync::event in;
    // The second body ends only when the fourth task has been let in, for which its own start makes
    // room.
    std::vector<std::function<void()>> bodies{[] {}, [&] { in.wait(); }, [] {}};
    auto tasks = pool.submit_all(std::move(bodies));
    pool.execute([] {});
    in.set();
    pool.close();
    pool.join();
    check_conservation(pool);
  });
}

TEST(kernel_batch, whoever_saw_the_end_finds_the_place_free) {
  expect_holds("batch: end × submit in its stead", k_few, [] {
    thread_pool pool(options_for({.capacity = 2}));
    sync::atomic<int> ran{0};
    auto tasks = submit(pool, &ran, 3);
    tasks[0].wait();
    auto fourth = pool.try_submit(counting{&ran});
    MODEL_CHECK(fourth.accepted());
    pool.close();
    pool.join();
    MODEL_CHECK(ran.load() == 4);
    check_conservation(pool);
  });
}

}  // namespace
}  // namespace weir::model
