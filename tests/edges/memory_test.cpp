// Memory that runs out in the middle of a call: it throws `std::bad_alloc` and nothing has changed,
// or it does not need that memory. Every allocation of every verb fails once.

#include <gtest/gtest.h>
#include <pthread.h>

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "edges/famine.hpp"
#include "support/conservation.hpp"
#include "support/eventually.hpp"
#include "support/gate.hpp"
#include "support/watchdog.hpp"
#include "weir/this_task.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;
using testing::eventually;
using testing::failing_allocation;
using testing::held_worker;

constexpr std::size_t k_places = 4;

/// Too large for the memory of tasks, so that each needs an allocation; moved, never copied.
struct large {
  std::unique_ptr<int> payload = std::make_unique<int>(7);
  std::array<char, 1000> ballast{};

  int operator()() const { return *payload; }
};

class listener final : public observer {};

/// A pool of one worker, held in a body, and four places.
struct world {
  listener heard;
  manual_clock time;
  thread_pool pool;
  std::optional<held_worker> busy;
  large callable;
  std::vector<future<int>> made;

  explicit world(saturation policy) : pool(options(policy)) {}

  pool_options options(saturation policy) {
    pool_options chosen{.core = 1, .max = 1, .capacity = k_places};
    chosen.on_saturation = policy;
    chosen.clock = &time;
    chosen.observer = &heard;
    chosen.name = "a pool whose name needs an allocation of its own";
    return chosen;
  }
  void fill() {
    while (auto more = pool.try_submit([] { return 1; })) made.push_back(*std::move(more));
  }
};

void expect_exact_bound(world& here) {
  testing::expect_accounted(here.pool.stats());
  here.fill();
  const auto now = here.pool.stats();
  if (!here.pool.closed()) {
    EXPECT_EQ(now.running, here.busy ? 1u : now.running);
    EXPECT_EQ(now.queued + now.delayed, k_places) << "a place is lost, or one too many given";
  }
  here.busy.reset();
  (void)here.pool.cancel_pending();
  here.pool.wait_idle();
  testing::expect_conserved(here.pool.stats());
}

struct setting {
  saturation policy = saturation::reject;
  bool full = false;
};

/// Calls `act(world)` with the first allocation failing, then the second, until none does.
template <class Act>
void walk(const char* what, setting how, Act act) {
  const testing::watchdog dog(what);
  SCOPED_TRACE(what);
  for (int n = 1; n < 100; ++n) {
    world here(how.policy);
    here.busy.emplace(here.pool);
    if (how.full) here.fill();
    const auto before = here.pool.stats();
    bool failed = false;
    bool threw = false;
    {
      const failing_allocation one(n);
      try {
        act(here);
      } catch (const std::bad_alloc&) {
        threw = true;
      } catch (const rejected&) {
      }
      failed = one.failed();
    }
    if (threw) {
      EXPECT_TRUE(failed);
      EXPECT_NE(here.callable.payload, nullptr) << "allocation " << n << ": the callable is lost";
      EXPECT_EQ(here.pool.stats().accepted, before.accepted) << "allocation " << n;
    }
    expect_exact_bound(here);
    if (!failed) return;
  }
  FAIL() << "no end of allocations";
}

const task_options k_named{.name = "a task whose name needs an allocation of its own",
                           .key = "a key whose name needs an allocation of its own"};

// A1, tck 254: a delayed task, too, is refused before it is accepted.
TEST(memory, every_submitting_verb_takes_in_all_or_nothing) {
  walk("submit", {}, [](world& on) { on.pool.submit(std::move(on.callable)); });
  walk("submit with options", {},
       [](world& on) { on.pool.submit(k_named, std::move(on.callable)); });
  walk("execute", {}, [](world& on) { on.pool.execute(std::move(on.callable)); });
  walk("execute with options", {},
       [](world& on) { on.pool.execute(k_named, std::move(on.callable)); });
  walk("submit_after", {}, [](world& on) { on.pool.submit_after(1s, std::move(on.callable)); });
  walk("submit_at", {}, [](world& on) {
    on.pool.submit_at(k_named, clock::time_point{} + 1s, std::move(on.callable));
  });
  walk("try_submit", {}, [](world& on) { (void)on.pool.try_submit(std::move(on.callable)); });
  walk("try_submit_after", {},
       [](world& on) { (void)on.pool.try_submit_after(k_named, 1s, std::move(on.callable)); });
  walk("try_submit_for", {},
       [](world& on) { (void)on.pool.try_submit_for(1s, std::move(on.callable)); });
}

TEST(memory, every_policy_keeps_its_promise_or_throws) {
  for (const auto policy : {saturation::reject, saturation::discard, saturation::discard_oldest}) {
    walk("submit, full", {policy, true},
         [](world& on) { on.pool.submit(k_named, std::move(on.callable)); });
    walk("submit_after, full", {policy, true},
         [](world& on) { on.pool.submit_after(1s, std::move(on.callable)); });
  }
  walk("try_submit_for, full", {saturation::reject, true},
       [](world& on) { (void)on.pool.try_submit_for(0s, std::move(on.callable)); });
}

// The body has run by then, so what it was moved into is gone with it.
TEST(memory, a_body_on_its_caller_runs_or_its_submission_throws) {
  walk("submit, full, caller runs", {saturation::caller_runs, true}, [](world& on) {
    const auto before = on.pool.stats().caller_ran;
    EXPECT_EQ(on.pool.submit(k_named, std::move(on.callable)).get(), 7);
    EXPECT_EQ(on.pool.stats().caller_ran, before + 1);
  });
}

TEST(memory, a_range_is_taken_in_whole_or_not_at_all) {
  for (const auto policy : {saturation::reject, saturation::discard}) {
    walk("submit_all", {policy, false}, [](world& on) {
      std::vector<std::function<int()>> range(3, [] { return 1; });
      const auto before = on.pool.stats().accepted;
      try {
        EXPECT_EQ(on.pool.submit_all(range).size(), 3u);
      } catch (const std::bad_alloc&) {
        EXPECT_EQ(on.pool.stats().accepted, before);
        throw;
      }
    });
  }
}

TEST(memory, ending_needs_no_memory_or_has_it_first) {
  walk("cancel", {saturation::reject, true}, [](world& on) {
    EXPECT_EQ(on.made.back().cancel(), cancel_result::cancelled);
    EXPECT_EQ(on.busy->done().cancel(), cancel_result::requested);
  });
  walk("cancel_pending", {saturation::reject, true},
       [](world& on) { EXPECT_EQ(on.pool.cancel_pending(), k_places); });
  walk("abort", {saturation::reject, true},
       [](world& on) { EXPECT_EQ(on.pool.abort(), k_places); });
  walk("shutdown_now", {saturation::reject, true}, [](world& on) {
    try {
      EXPECT_EQ(on.pool.shutdown_now().size(), k_places);
    } catch (const std::bad_alloc&) {
      EXPECT_FALSE(on.pool.closed()) << "nothing has changed";
      EXPECT_EQ(on.pool.stats().queued, k_places);
      EXPECT_EQ(on.busy->done().state(), task_state::running);
      throw;
    }
  });
  walk("asking", {saturation::reject, true}, [](world& on) {
    (void)on.pool.stats();
    (void)on.pool.stop_token();
    EXPECT_FALSE(on.pool.wait_idle_for(0s));
    on.pool.close();
  });
}

TEST(memory, a_first_worker_that_cannot_be_had_for_want_of_memory_is_no_thread_or_throws) {
  for (int n = 1; n < 100; ++n) {
    thread_pool pool = thread_pool::fixed(2, 2);
    large callable;
    bool failed = false;
    {
      const failing_allocation one(n);
      try {
        pool.execute(std::move(callable));
      } catch (const std::bad_alloc&) {
        EXPECT_NE(callable.payload, nullptr);
      } catch (const rejected& refused) {
        EXPECT_EQ(refused.why(), reject_reason::no_thread);
        EXPECT_NE(callable.payload, nullptr);
      }
      failed = one.failed();
    }
    EXPECT_EQ(pool.submit([] { return 1; }).get(), 1);
    pool.wait_idle();
    testing::expect_conserved(pool.stats());
    if (!failed) return;
  }
  FAIL() << "no end of allocations";
}

TEST(memory, a_pool_is_made_whole_or_not_at_all) {
  for (int n = 1; n < 100; ++n) {
    bool failed = false;
    {
      const failing_allocation one(n);
      try {
        manual_clock time;
        pool_options options{.core = 1, .max = 1, .capacity = 1};
        options.clock = &time;
        options.name = "a pool whose name needs an allocation of its own";
        const thread_pool pool(options);
      } catch (const std::bad_alloc&) {
      }
      failed = one.failed();
    }
    if (!failed) return;
  }
  FAIL() << "no end of allocations";
}

// A worker is started with what the submitter has allocated: it starts, works, waits and leaves
// without asking for more.
TEST(memory, a_worker_needs_no_memory) {
  const testing::watchdog dog("a worker without memory");
  pool_options options{.core = 0, .max = 2, .keep_alive = 0s, .capacity = 8};
  options.name = "a pool whose name needs an allocation of its own";
  std::atomic<int> unhandled{0};
  options.on_unhandled = [&](const std::exception_ptr&, const task_info&) { ++unhandled; };
  thread_pool pool(options);
  {
    const testing::famine_elsewhere famine;
    for (int round = 0; round < 20; ++round) {
      auto first = pool.submit([] { return 1; });
      auto second = pool.submit_after(1us, [] { return 2; });
      pool.execute([] { throw 3; });
      EXPECT_EQ(first.get(), 1);
      EXPECT_EQ(second.get(), 2);
      EXPECT_TRUE(eventually([&] { return unhandled == round + 1; }));
      // Nothing waits any more: a lost worker cannot be replaced without memory.
      auto unwound = pool.submit([] { ::pthread_exit(nullptr); });
      unwound.wait();
      EXPECT_EQ(unwound.state(), task_state::failed);
      EXPECT_ANY_THROW(unwound.get());
    }
    EXPECT_TRUE(eventually([&] { return pool.size() == 0; }));
  }
  EXPECT_EQ(unhandled, 20);
  testing::expect_conserved(pool.stats());
}

TEST(memory, a_body_that_gets_no_stop_token_fails_with_bad_alloc) {
  const testing::watchdog dog("no stop token");
  thread_pool pool = thread_pool::fixed(1, 4);
  pool.submit([] {}).get();
  const testing::famine_elsewhere famine;
  auto wants = pool.submit([](const std::stop_token& stop) { return stop.stop_requested(); });
  EXPECT_THROW(wants.get(), std::bad_alloc);
  EXPECT_EQ(pool.submit([] { return 2; }).get(), 2);
}

// There is room and no memory to admit whoever waits for it: it must hear of that, for there may be
// no further end of a task at which to try again.
TEST(memory, a_blocked_submitter_hears_that_there_is_no_memory) {
  const testing::watchdog dog("blocked without memory");
  pool_options options{.core = 1, .max = 1, .capacity = 1};
  options.on_saturation = saturation::block;
  thread_pool pool(options);
  std::optional<held_worker> busy(std::in_place, pool);
  auto waits = pool.submit([] {});
  large callable;
  std::atomic<bool> heard{false};
  // Blocked with a delayed task, for which the queue needs memory of the worker that makes room.
  std::thread blocked([&] {
    try {
      pool.submit_after(1h, std::move(callable));
      ADD_FAILURE() << "admitted without memory";
    } catch (const std::bad_alloc&) {
      heard = true;
    }
  });
  ASSERT_TRUE(eventually([&] { return pool.stats().blocked == 1; }));
  {
    const testing::famine_elsewhere famine;
    busy->release();
    waits.wait();
    EXPECT_TRUE(eventually([&] { return heard.load(); }));
  }
  blocked.join();
  EXPECT_NE(callable.payload, nullptr);
  EXPECT_EQ(pool.stats().blocked, 0u);
  EXPECT_EQ(pool.stats().accepted, 2u);
  EXPECT_EQ(pool.submit_after(1us, std::move(callable)).get(), 7);
}

// The queue's own memory comes from the same pages: it is there for all of a range, or for none.
TEST(memory, a_long_range_without_pages_is_refused_whole) {
  if (!testing::pages_can_fail()) GTEST_SKIP() << "no pages in this build";
  const testing::watchdog dog("a long range without pages");
  constexpr std::size_t k_length = 20'000;
  thread_pool pool = thread_pool::fixed(1, unbounded);
  std::optional<held_worker> busy(std::in_place, pool);
  std::vector<large> range(k_length);
  {
    const testing::page_famine famine;
    EXPECT_THROW((void)pool.submit_all(std::move(range)), std::bad_alloc);
  }
  EXPECT_EQ(pool.stats().accepted, 1u);
  for (const large& each : range) EXPECT_NE(each.payload, nullptr);
  auto futures = pool.submit_all(std::move(range));
  EXPECT_EQ(futures.size(), k_length);
  busy->release();
  pool.wait_idle();
  testing::expect_conserved(pool.stats());
}

// Small tasks come from pages. When those are over, a submission throws; what has been accepted
// runs.
TEST(memory, pages_that_are_over) {
  if (!testing::pages_can_fail()) GTEST_SKIP() << "no pages in this build";
  const testing::watchdog dog("no more pages");
  thread_pool pool = thread_pool::fixed(1, unbounded);
  std::optional<held_worker> busy(std::in_place, pool);
  std::uint64_t accepted = 1;
  auto callable = [payload = std::make_unique<int>(1)] { return *payload; };
  try {
    const testing::page_famine famine;
    for (; accepted < 10'000'000; ++accepted) pool.execute([] {});
    ADD_FAILURE() << "no end of pages";
  } catch (const std::bad_alloc&) {
  }
  EXPECT_EQ(pool.stats().accepted, accepted);
  testing::expect_accounted(pool.stats());
  auto after = pool.submit(std::move(callable));
  busy->release();
  EXPECT_EQ(after.get(), 1);
  pool.wait_idle();
  EXPECT_EQ(pool.stats().succeeded, accepted + 1);
}

}  // namespace
}  // namespace weir
