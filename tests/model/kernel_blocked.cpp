#include <gtest/gtest.h>

#include <stop_token>

#include "model/kernel_pool.hpp"
#include "sync/futex.hpp"

/// docs/design/admission.md: who waits for room.
namespace weir::model {
namespace {

using sync::thread;

TEST(kernel_blocked, a_blocked_submitter_gets_the_room) {
  expect_holds("pool: blocked submitter × room × close", k_many, [] {
    thread_pool pool(options_for({.policy = saturation::block}));
    sync::event gate;
    int ran = 0;
    auto first = pool.submit([&] {
      gate.wait();
      ++ran;
    });
    auto second = pool.submit([&] { ++ran; });
    bool accepted = false;
    thread submitter([&] {
      auto tried = pool.try_submit_for(std::chrono::hours(1), [&] { ++ran; });
      accepted = tried.accepted();
      if (!accepted) MODEL_CHECK(tried.why() != reject_reason::saturated);
    });
    gate.set();
    first.wait();
    pool.close();
    pool.join();
    submitter.join();
    MODEL_CHECK(ran == (accepted ? 3 : 2));
    check_conservation(pool);
  });
}

TEST(kernel_blocked, the_end_of_a_body_makes_room) {
  expect_holds("pool: blocked submitter × end of a body", k_few, [] {
    thread_pool pool(options_for({.policy = saturation::block}));
    int ran = 0;
    for (int task = 0; task < 3; ++task) pool.execute([&] { ++ran; });
    pool.wait_idle();
    MODEL_CHECK(ran == 3);
    check_conservation(pool);
  });
}

TEST(kernel_blocked, close_refuses_whoever_waits) {
  expect_holds("pool: blocked submitter × close", k_many, [] {
    thread_pool pool(options_for({.policy = saturation::block}));
    sync::event gate;
    pool.execute([&] { gate.wait(); });
    pool.execute([] {});
    thread submitter([&] {
      try {
        pool.execute([] { fail("runs although the pool was closed before there was room"); });
      } catch (const rejected& refused) {
        MODEL_CHECK(refused.why() == reject_reason::closed);
      }
    });
    while (pool.stats().blocked == 0) sync::spin_pause();
    pool.close();
    submitter.join();
    gate.set();
    pool.join();
    check_conservation(pool);
  });
}

TEST(kernel_blocked, a_blocked_submitter_hears_stop_and_abort) {
  expect_holds("pool: blocked submitter × deadline × stop × abort", k_many, [] {
    thread_pool pool(options_for({.policy = saturation::block}));
    sync::event gate;
    std::stop_source stop;
    int ran = 0;
    auto first = pool.submit([&] {
      gate.wait();
      ++ran;
    });
    auto second = pool.submit([] {});
    thread submitter([&] {
      auto tried = pool.try_submit_for(std::chrono::milliseconds(1), stop.get_token(), [] {});
      if (tried.accepted()) tried->wait();
      if (!tried.accepted()) MODEL_CHECK(tried.why() != reject_reason::saturated);
    });
    {
      const uninterrupted callbacks;
      stop.request_stop();
    }
    (void)pool.abort();
    gate.set();
    pool.join();
    submitter.join();
    MODEL_CHECK(ran == 1 || first.state() == task_state::cancelled);
    check_conservation(pool);
  });
}

TEST(kernel_blocked, destruction_wakes_the_blocked) {
  expect_holds("pool: blocked submitter × destruction", k_many, [] {
    sync::event gate;
    int ran = 0;
    bool accepted = false;
    thread submitter;
    {
      thread_pool pool(options_for({.policy = saturation::block}));
      pool.execute([&] { gate.wait(); });
      pool.execute([&] { ++ran; });
      submitter = thread([&] {
        try {
          pool.execute([&] { ++ran; });
          accepted = true;
        } catch (const rejected& refused) {
          MODEL_CHECK(refused.why() == reject_reason::closed);
        }
      });
      // Members must not race the destructor, but a submitter that sleeps in one may be woken by
      // it.
      while (pool.stats().blocked == 0) sync::spin_pause();
      gate.set();
    }
    submitter.join();
    MODEL_CHECK(ran == (accepted ? 2 : 1));
  });
}

}  // namespace
}  // namespace weir::model
