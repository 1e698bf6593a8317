#include <gtest/gtest.h>

#include "model/kernel_pool.hpp"

/// docs/design/admission.md and ending.md: who gets in while the pool ends.
namespace weir::model {
namespace {

using sync::thread;

// tck 44.
TEST(kernel_admission, close_loses_nothing) {
  expect_holds("pool: admission × close × join", k_few, [] {
    thread_pool pool(options_for({}));
    int ran = 0;
    bool accepted = false;
    thread submitter([&] {
      auto tried = pool.try_submit([&] { return ++ran; });
      accepted = tried.accepted();
      if (!accepted) MODEL_CHECK(tried.why() == reject_reason::closed);
      if (accepted) MODEL_CHECK(tried->get() == 1);
    });
    pool.close();
    pool.join();
    submitter.join();
    MODEL_CHECK(ran == (accepted ? 1 : 0));
    check_conservation(pool);
  });
}

TEST(kernel_admission, abort_ends_what_was_accepted) {
  expect_holds("pool: admission × abort", k_few, [] {
    thread_pool pool(options_for({}));
    int ran = 0;
    task_state end = task_state::queued;
    thread submitter([&] {
      auto tried = pool.try_submit([&] { ++ran; });
      if (!tried.accepted()) return;
      tried->wait();
      end = tried->state();
    });
    (void)pool.abort();
    submitter.join();
    pool.join();
    MODEL_CHECK(end == task_state::queued || is_terminal(end));
    MODEL_CHECK(end != task_state::succeeded || ran == 1);
    check_conservation(pool);
  });
}

TEST(kernel_admission, destruction_meets_handles) {
  expect_holds("pool: destruction × cancel × wait", k_few, [] {
    int ran = 0;
    thread_pool* pool = new thread_pool(options_for({}));
    auto task = pool->submit([&] { ++ran; });
    thread canceller([handle = task.ref()] { (void)handle.cancel(); });
    delete pool;
    task.wait();
    MODEL_CHECK(is_terminal(task.state()) && ran <= 1);
    canceller.join();
  });
}

TEST(kernel_admission, the_bound_holds_while_the_oldest_is_discarded) {
  expect_holds("pool: discard_oldest × claim × cancel", k_many, [] {
    thread_pool pool(options_for({.policy = saturation::discard_oldest}));
    int ran[3] = {};
    future<void> tasks[2];
    tasks[0] = pool.submit([&] { ++ran[0]; });
    tasks[1] = pool.submit([&] { ++ran[1]; });
    thread canceller([handle = tasks[1].ref()] { (void)handle.cancel(if_queued); });
    auto last = pool.submit([&] { ++ran[2]; });
    last.wait();
    const bool dropped = last.state() == task_state::cancelled;
    MODEL_CHECK(ran[2] == (dropped ? 0 : 1));
    canceller.join();
    // The new one goes only where a canceller was at work on the one that waited.
    if (dropped) MODEL_CHECK(tasks[1].state() == task_state::cancelled);
    for (int at = 0; at < 2; ++at) {
      tasks[at].wait();
      MODEL_CHECK(ran[at] == (tasks[at].state() == task_state::succeeded ? 1 : 0));
    }
    pool.wait_idle();
    check_conservation(pool);
  });
}

TEST(kernel_admission, a_thread_that_cannot_be_had_loses_no_task) {
  expect_holds("pool: submissions × threads that fail", k_many, [] {
    thread_pool pool(options_for({.core = 2, .max = 2, .capacity = 2}));
    int ran[2] = {};
    bool accepted[2] = {};
    const auto submit = [&](int which) {
      auto tried = pool.try_submit([&ran, which] { ++ran[which]; });
      accepted[which] = tried.accepted();
      if (!accepted[which]) MODEL_CHECK(tried.why() == reject_reason::no_thread);
      if (accepted[which]) tried->get();
    };
    thread other([&] { submit(0); });
    let_threads_fail();
    submit(1);
    other.join();
    for (int at = 0; at < 2; ++at) MODEL_CHECK(ran[at] == (accepted[at] ? 1 : 0));
  });
}

}  // namespace
}  // namespace weir::model
