#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "model/kernel_pool.hpp"

/// docs/design/claims.md: tasks that a worker has claimed ahead, and everybody who wants them
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

TEST(kernel_claims, a_claimed_task_is_started_or_cancelled_never_both) {
  expect_holds("claims: cancel × pop", k_few, [] {
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

TEST(kernel_claims, a_handle_may_go_before_the_claim) {
  expect_holds("claims: cancel × pop × last handle", k_few, [] {
    thread_pool pool(options_for({.capacity = 4}));
    sync::atomic<int> ran{0};
    {
      auto tasks = submit(pool, &ran, 3);
      (void)tasks[1].cancel();
    }
    check_end(pool);
  });
}

TEST(kernel_claims, abort_reaches_what_runs_and_what_is_claimed) {
  expect_holds("claims: abort × pop × start", k_few, [] {
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

TEST(kernel_claims, abort_holds_what_nobody_else_does) {
  expect_holds("claims: abort × tasks without handles", k_few, [] {
    thread_pool pool(options_for({.capacity = 4}));
    sync::atomic<int> ran{0};
    submit(pool, &ran, 3).clear();
    (void)pool.abort();
    pool.join();
    check_conservation(pool);
  });
}

TEST(kernel_claims, drained_tasks_come_out_of_claims_too) {
  expect_holds("claims: shutdown_now × pop", k_few, [] {
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

TEST(kernel_claims, an_idle_worker_takes_over_from_a_busy_one) {
  expect_holds("claims: a body waits for a later task", k_many, [] {
    thread_pool pool(options_for({.core = 2, .max = 2, .capacity = 4}));
    sync::event later;
    std::vector<std::function<void()>> bodies{[&] { later.wait(); }, [] {}, [&] { later.set(); }};
    auto tasks = pool.submit_all(std::move(bodies));
    for (auto& task : tasks) task.wait();
    check_end(pool);
  });
}

TEST(kernel_claims, a_place_that_a_start_frees_reaches_the_blocked) {
  expect_holds("claims: blocked submitter × start out of claims", k_few, [] {
    thread_pool pool(options_for({.capacity = 2, .policy = saturation::block}));
    sync::event in;
    // The second body ends only when the fourth task has been let in, for which its own start makes
    // room.
    std::vector<std::function<void()>> bodies{[] {}, [&] { in.wait(); }, [] {}};
    auto tasks = pool.submit_all(std::move(bodies));
    pool.execute([] {});
    in.set();
    check_end(pool);
  });
}

TEST(kernel_claims, whoever_saw_the_end_finds_the_place_free) {
  expect_holds("claims: end × submit in its stead", k_few, [] {
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

// A worker whose body never ends must not hold the older task for as long as younger ones come.
TEST(kernel_claims, what_a_stuck_worker_has_claimed_starts_elsewhere) {
  expect_holds("claims: stuck owner × younger tasks without end", k_many, [] {
    thread_pool pool(options_for({.core = 2, .max = 2, .capacity = 8}));
    sync::event older;
    bool over = false;
    std::function<void()> again = [&] {
      if (!over) (void)pool.try_submit(again);
    };
    std::vector<std::function<void()>> bodies{[&] { older.wait(); },
                                              [&] {
                                                over = true;
                                                older.set();
                                              }};
    auto tasks = pool.submit_all(std::move(bodies));
    (void)pool.try_submit(again);
    for (auto& task : tasks) task.wait();
    pool.wait_idle();
    check_end(pool);
  });
}

// What is claimed and not started ends without having run, whoever ends it.
TEST(kernel_claims, what_is_only_claimed_never_starts_after_abort) {
  expect_holds("claims: abort beside a body that is held", k_few, [] {
    thread_pool pool(options_for({.capacity = 4}));
    sync::event started;
    sync::event go;
    sync::atomic<int> ran{0};
    std::vector<std::function<void()>> bodies{[&] {
                                                started.set();
                                                go.wait();
                                              },
                                              counting{&ran}, counting{&ran}};
    auto tasks = pool.submit_all(std::move(bodies));
    started.wait();
    MODEL_CHECK(pool.abort() == 2);
    MODEL_CHECK(tasks[2].cancellation() == cancellation::never_started);
    go.set();
    pool.join();
    MODEL_CHECK(ran.load() == 0);
    check_conservation(pool);
  });
}

// The thief's claims are claims like any other: a start out of them makes room, and tells.
TEST(kernel_claims, a_place_that_a_thief_frees_reaches_the_blocked) {
  expect_holds("claims: blocked submitter × thief", k_many, [] {
    thread_pool pool(
        options_for({.core = 2, .max = 2, .capacity = 2, .policy = saturation::block}));
    sync::event in;
    sync::atomic<int> started{0};
    // Whichever starts first and whichever starts third hold both workers until the fifth task is
    // in, for which the third start makes room.
    const auto body = [&] {
      if (started.fetch_add(1, sync::relaxed) % 2 == 0) in.wait();
    };
    auto tasks = pool.submit_all(std::vector<std::function<void()>>(4, body));
    pool.execute([] {});
    in.set();
    check_end(pool);
  });
}

TEST(kernel_claims, the_oldest_claimed_task_is_discarded) {
  expect_holds("claims: discard_oldest × start", k_few, [] {
    thread_pool pool(options_for({.capacity = 2, .policy = saturation::discard_oldest}));
    sync::atomic<int> ran{0};
    auto tasks = submit(pool, &ran, 3);
    auto fourth = pool.submit(counting{&ran});
    fourth.wait();
    pool.close();
    pool.join();
    int discarded = 0;
    for (auto& task : tasks) discarded += task.state() == task_state::cancelled;
    MODEL_CHECK(discarded <= 1 && ran.load() == 4 - discarded);
    MODEL_CHECK(tasks[2].state() == task_state::succeeded ||
                tasks[0].state() != task_state::cancelled);
    check_conservation(pool);
  });
}

TEST(kernel_claims, a_count_is_never_behind_a_future) {
  expect_holds("claims: end × stats", k_few, [] {
    thread_pool pool(options_for({.capacity = 4}));
    sync::atomic<int> ran{0};
    auto tasks = submit(pool, &ran, 3);
    tasks[1].wait();
    const pool_stats at = pool.stats();
    MODEL_CHECK(at.succeeded >= 2 && at.queued <= 1);
    MODEL_CHECK(at.accepted == at.succeeded + at.queued + at.running);
    check_end(pool);
  });
}

TEST(kernel_claims, rest_comes_after_the_last_claimed_task) {
  expect_holds("claims: wait_idle × last start", k_few, [] {
    thread_pool pool(options_for({.core = 2, .max = 2, .capacity = 4}));
    sync::atomic<int> ran{0};
    submit(pool, &ran, 3).clear();
    pool.wait_idle();
    MODEL_CHECK(ran.load() == 3);
  });
}

}  // namespace
}  // namespace weir::model
