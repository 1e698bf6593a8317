// Cancellation that tells the truth: A1, A3 … A5, B3, R18 … R20.

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

#include "support/conservation.hpp"
#include "support/eventually.hpp"
#include "support/gate.hpp"
#include "support/thread_switches.hpp"
#include "support/watchdog.hpp"
#include "weir/this_task.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;
using testing::eventually;
using testing::gate;
using testing::held_worker;

cancel_reason reason(future<void>& task) {
  try {
    task.get();
  } catch (const task_cancelled& end) {
    return end.reason();
  }
  ADD_FAILURE() << "it was not cancelled";
  return cancel_reason::timed_out;
}

// Cases 34 and 41, tck 112, 113, 164.
TEST(cancel, B3_a_queued_task_never_starts_and_its_place_is_free) {
  thread_pool pool = thread_pool::fixed(1, 1);
  held_worker busy(pool);
  auto task = pool.submit([] { ADD_FAILURE() << "a cancelled body runs"; });
  EXPECT_FALSE(pool.try_submit([] {}).accepted());
  EXPECT_EQ(task.cancel(), cancel_result::cancelled);
  EXPECT_EQ(task.state(), task_state::cancelled);
  EXPECT_EQ(task.cancellation(), cancellation::never_started);
  auto next = pool.try_submit([] {});
  EXPECT_TRUE(next.accepted()) << "the place was free before cancel returned";
  busy.release();
  next->get();
  EXPECT_EQ(reason(task), cancel_reason::cancelled);
}

TEST(cancel, A4_captures_of_a_queued_task_die_on_the_canceller_before_it_is_terminal) {
  thread_pool pool = thread_pool::fixed(1, 1);
  held_worker busy(pool);
  struct witness {
    explicit witness(std::thread::id* at) : where(at) {}
    witness(witness&& other) noexcept
        : where(std::exchange(other.where, nullptr)), ref(other.ref) {}
    ~witness() {
      if (where == nullptr) return;
      *where = std::this_thread::get_id();
      if (ref != nullptr) {
        EXPECT_FALSE(is_terminal(ref->state()));
      }
    }
    std::thread::id* where;
    const task_ref* ref = nullptr;
  };
  std::thread::id died_on;
  task_ref ref;
  witness capture(&died_on);
  capture.ref = &ref;
  auto task = pool.submit([held = std::move(capture)] {});
  ref = task.ref();
  task.cancel();
  EXPECT_EQ(died_on, std::this_thread::get_id());
}

// Case 38, tck 188.
TEST(cancel, A4_captures_of_a_run_task_are_gone_when_its_future_is_ready) {
  const testing::watchdog dog("captures gone");
  thread_pool pool = thread_pool::fixed(2, 8);
  for (int round = 0; round < 2'000; ++round) {
    const auto buffer = std::make_shared<int>(round);
    pool.submit([buffer] { return *buffer; }).get();
    ASSERT_EQ(buffer.use_count(), 1);
    auto failing = pool.submit([buffer] { throw std::runtime_error("mine"); });
    failing.wait();
    ASSERT_EQ(buffer.use_count(), 1);
    EXPECT_THROW(failing.get(), std::runtime_error);
  }
}

// Case 40, where weir says `cancelled` and `returned`: the value is dropped, and how it ended is
// told.
TEST(cancel, A3_a_value_that_comes_after_the_request_is_dropped) {
  thread_pool pool = thread_pool::fixed(1, 1);
  gate entered, release;
  const auto value = std::make_shared<int>(1);
  auto task = pool.submit([&] {
    entered.open();
    release.wait();
    return value;
  });
  entered.wait();
  EXPECT_EQ(task.cancel(), cancel_result::requested);
  EXPECT_EQ(task.cancel(), cancel_result::requested) << "R18: may be repeated";
  EXPECT_EQ(task.state(), task_state::cancel_requested);
  release.open();
  task.wait();
  EXPECT_EQ(task.cancellation(), cancellation::returned);
  EXPECT_EQ(value.use_count(), 1);
  EXPECT_EQ(task.cancel(), cancel_result::too_late);
  EXPECT_THROW((void)task.get(), task_cancelled);
}

// tck 170.
TEST(cancel, A3_an_exception_after_the_request_is_a_cancellation_too) {
  std::atomic<int> reported{0};
  pool_options options{.core = 1, .max = 1, .capacity = 1};
  options.on_unhandled = [&](std::exception_ptr, const task_info&) { ++reported; };
  thread_pool pool(options);
  gate entered, release;
  auto task = pool.submit([&] {
    entered.open();
    release.wait();
    throw std::runtime_error("stopped");
  });
  entered.wait();
  task.cancel();
  release.open();
  EXPECT_EQ(reason(task), cancel_reason::cancelled);
  gate again, go_on;
  pool.execute([&](std::stop_token stop) {
    again.open();
    go_on.wait();
    EXPECT_TRUE(stop.stop_requested());
    throw std::runtime_error("stopped");
  });
  again.wait();
  pool.abort();
  go_on.open();
  pool.join();
  EXPECT_EQ(pool.stats().cancelled, 2u);
  EXPECT_EQ(reported, 0) << "nobody needs to hear of what was asked for";
}

// tck 88, 172.
TEST(cancel, A5_a_stop_request_never_reaches_the_next_task) {
  const testing::watchdog dog("no leak of stop requests");
  thread_pool pool = thread_pool::fixed(1, 4);
  for (int round = 0; round < 2'000; ++round) {
    auto first = pool.submit([] {});
    auto second = pool.submit(
        [](std::stop_token stop) { return this_task::stop_requested() || stop.stop_requested(); });
    first.cancel();
    ASSERT_FALSE(second.get());
  }
}

// tck 108.
TEST(cancel, R18_if_queued_never_stops_a_running_body) {
  thread_pool pool = thread_pool::fixed(1, 1);
  gate entered, release;
  auto task = pool.submit([&] {
    entered.open();
    release.wait();
    return this_task::stop_requested();
  });
  auto queued = pool.submit([] {});
  entered.wait();
  EXPECT_EQ(queued.cancel(if_queued), cancel_result::cancelled);
  EXPECT_EQ(task.cancel(if_queued), cancel_result::too_late);
  EXPECT_EQ(task.state(), task_state::running);
  release.open();
  EXPECT_FALSE(task.get());
}

TEST(cancel, R18_if_queued_claims_no_request_of_others) {
  thread_pool pool = thread_pool::fixed(1, 1);
  held_worker busy(pool);
  EXPECT_EQ(busy.done().cancel(), cancel_result::requested);
  EXPECT_EQ(busy.done().cancel(if_queued), cancel_result::too_late);
  EXPECT_EQ(busy.done().cancel(), cancel_result::requested);
}

TEST(cancel, R18_a_request_that_won_says_so_even_if_the_body_is_over_by_then) {
  thread_pool pool = thread_pool::fixed(1, 1);
  gate have_token, release;
  std::stop_token token;
  auto task = pool.submit([&] {
    token = this_task::stop_token();
    have_token.open();
    release.wait();
  });
  have_token.wait();
  const std::stop_callback ends_it(token, [&] {
    release.open();
    task.wait();
  });
  EXPECT_EQ(task.cancel(), cancel_result::requested);
  EXPECT_EQ(task.state(), task_state::cancelled);
}

TEST(cancel, R18_a_second_canceller_hears_that_the_first_is_at_work) {
  const testing::watchdog dog("two cancellers");
  thread_pool pool = thread_pool::fixed(1, 1);
  held_worker busy(pool);
  task_ref ref;
  cancel_result second{};
  struct on_destruction {
    explicit on_destruction(std::function<void()> run) : act(std::move(run)) {}
    on_destruction(on_destruction&&) = default;
    ~on_destruction() {
      if (act) act();
    }
    std::function<void()> act;
  };
  auto task = pool.submit([capture = on_destruction([&] {
                             if (ref.valid()) second = ref.cancel();
                           })] {});
  ref = task.ref();
  EXPECT_EQ(task.cancel(), cancel_result::cancelled);
  EXPECT_EQ(second, cancel_result::requested) << "asked while the captures were destroyed";
}

TEST(cancel, R18_waiting_for_oneself_throws) {
  thread_pool pool = thread_pool::fixed(1, 1);
  gate have_ref;
  task_ref self;
  auto task = pool.submit([&] {
    have_ref.wait();
    try {
      self.wait();
      return 0;
    } catch (const std::system_error& error) {
      return error.code() == std::errc::resource_deadlock_would_occur ? 1 : 2;
    }
  });
  self = task.ref();
  have_ref.open();
  EXPECT_EQ(task.get(), 1);
}

TEST(cancel, R18_a_body_may_cancel_itself) {
  thread_pool pool = thread_pool::fixed(1, 1);
  gate have_ref;
  task_ref self;
  auto task = pool.submit([&] {
    have_ref.wait();
    EXPECT_EQ(self.cancel(), cancel_result::requested);
    EXPECT_TRUE(this_task::stop_requested());
  });
  self = task.ref();
  have_ref.open();
  EXPECT_EQ(reason(task), cancel_reason::cancelled);
}

TEST(cancel, R19_stop_callbacks_run_on_the_requesting_thread_outside_of_locks) {
  thread_pool pool = thread_pool::fixed(1, 1);
  gate entered, release;
  std::thread::id ran_on;
  auto task = pool.submit([&](std::stop_token stop) {
    const std::stop_callback heard(stop, [&] {
      ran_on = std::this_thread::get_id();
      EXPECT_EQ(pool.stats().running, 1u);  // would deadlock under the pool's lock
    });
    entered.open();
    release.wait();
  });
  entered.wait();
  task.cancel();
  EXPECT_EQ(ran_on, std::this_thread::get_id());
  release.open();
  task.wait();
}

TEST(cancel, R19_a_token_asked_for_after_the_request_is_already_set) {
  thread_pool pool = thread_pool::fixed(1, 1);
  gate entered, release;
  auto task = pool.submit([&] {
    entered.open();
    release.wait();
    EXPECT_TRUE(this_task::stop_token().stop_requested());
    EXPECT_TRUE(this_task::stop_token().stop_requested());
  });
  entered.wait();
  task.cancel();
  release.open();
  EXPECT_EQ(reason(task), cancel_reason::cancelled);
}

TEST(cancel, a_sleeping_body_wakes_for_its_stop_request) {
  const testing::watchdog dog("a sleeping body");
  thread_pool pool = thread_pool::fixed(1, 1);
  gate entered;
  std::atomic<bool> slept{true};
  auto task = pool.submit([&] {
    entered.open();
    slept = this_task::sleep_for(std::chrono::nanoseconds::max());
  });
  entered.wait();
  EXPECT_EQ(task.cancel(), cancel_result::requested);
  task.wait();
  EXPECT_FALSE(slept);
  EXPECT_TRUE(pool.submit([] { return this_task::sleep_for(1us); }).get());
  EXPECT_TRUE(pool.submit([] { return this_task::sleep_for(-1h); }).get());
}

TEST(cancel, R20_cancel_pending_leaves_running_bodies_alone) {
  manual_clock clock;
  pool_options options{.core = 1, .max = 1, .capacity = 4};
  options.clock = &clock;
  thread_pool pool(options);
  gate entered, release;
  auto running = pool.submit([&] {
    entered.open();
    release.wait();
    return this_task::stop_requested();
  });
  entered.wait();
  auto queued = pool.submit([] {});
  auto delayed = pool.submit_after(1s, [] {});
  EXPECT_EQ(pool.cancel_pending(), 2u);
  EXPECT_EQ(pool.cancel_pending(), 0u);
  EXPECT_EQ(reason(queued), cancel_reason::cancelled);
  EXPECT_EQ(reason(delayed), cancel_reason::cancelled);
  EXPECT_FALSE(pool.closed());
  release.open();
  EXPECT_FALSE(running.get());
  EXPECT_EQ(pool.submit([] { return 1; }).get(), 1);
}

// tck 110: the last queued task of a closed pool may be cancelled, and that ends the pool.
TEST(cancel, E1_cancelling_the_last_task_of_a_closed_pool_ends_it) {
  manual_clock clock;
  pool_options options{.core = 1, .max = 1, .capacity = 4};
  options.clock = &clock;
  options.name = "closing";
  thread_pool pool(options);
  auto last = pool.submit_after(1h, [] {});
  pool.close();
  EXPECT_FALSE(pool.join_for(0s));
  ASSERT_TRUE(eventually([] { return testing::threads_sleep("closing-"); }));
  EXPECT_EQ(last.cancel(), cancel_result::cancelled);
  pool.join();
  EXPECT_TRUE(pool.terminated());
}

// A1 where user code of the canceller calls back into the pool.
TEST(cancel, A4_a_dying_capture_may_submit) {
  thread_pool pool = thread_pool::fixed(1, 1);
  held_worker busy(pool);
  auto on_death = std::shared_ptr<int>(new int(0), [&](int* at) {
    delete at;
    // The place is still held while the captures die.
    EXPECT_EQ(pool.try_submit([] {}).why(), reject_reason::saturated);
  });
  auto task = pool.submit([held = std::move(on_death)] {});
  EXPECT_EQ(task.cancel(), cancel_result::cancelled);
  EXPECT_TRUE(pool.try_submit([] {}).accepted());
}

}  // namespace
}  // namespace weir
