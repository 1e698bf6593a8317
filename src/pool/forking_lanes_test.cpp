// R26: what the child of a fork finds of its parent's strands, groups and executors for tests.

#include <gtest/gtest.h>
#include <pthread.h>

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "support/child.hpp"
#include "support/eventually.hpp"
#include "support/gate.hpp"
#include "support/lost_stack.hpp"
#include "support/thread_switches.hpp"
#include "support/watchdog.hpp"
#include "weir/keyed_strand.hpp"
#include "weir/limiter.hpp"
#include "weir/manual_executor.hpp"
#include "weir/strand.hpp"
#include "weir/task_group.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;
using testing::end_of;
using testing::fork_child;
using testing::in_child;

std::error_code code_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::system_error& thrown) {
    return thrown.code();
  }
  return {};
}

/// One task of a lane runs, one waits.
template <class Submit>
void expect_lost(Submit submit, const std::function<std::size_t()>& size) {
  const testing::watchdog dog("a lane at a fork");
  testing::gate inside;
  testing::gate go;
  const auto capture = std::make_shared<int>(7);
  future<int> running = submit([&, capture] {
    inside.open();
    go.wait();
    return *capture;
  });
  inside.wait();
  future<int> waiting = submit([capture] { return *capture; });
  in_child([&] {
    try {
      (void)submit([] { return 1; });
      ADD_FAILURE() << "accepted";
    } catch (const rejected& thrown) {
      EXPECT_EQ(thrown.why(), reject_reason::forked) << thrown.what();
    }
    EXPECT_EQ(size(), 2u);
    for (const auto* lost : {&running, &waiting}) {
      EXPECT_EQ(code_of([lost] { lost->wait(); }), std::errc::owner_dead);
      EXPECT_EQ(code_of([lost] { (void)lost->wait_for(1h); }), std::errc::owner_dead);
    }
    EXPECT_EQ(running.cancel(), cancel_result::too_late);
    EXPECT_EQ(waiting.cancel(), cancel_result::cancelled);
    EXPECT_EQ(capture.use_count(), 2) << "the captures of what was cancelled are gone, no others";
    EXPECT_THROW(waiting.get(), task_cancelled);
    EXPECT_EQ(size(), 1u);
  });
  go.open();
  EXPECT_EQ(running.get(), 7);
  EXPECT_EQ(waiting.get(), 7) << "the parent has noticed nothing";
}

TEST(forking_lanes, R26_a_strand_refuses_and_its_tasks_are_lost) {
  WEIR_NO_FORK_HERE;
  thread_pool pool = thread_pool::fixed(2, 8);
  strand lane(pool, unbounded);
  expect_lost([&](auto task) { return lane.submit(std::move(task)); }, [&] { return lane.size(); });
  lane.wait_idle();
  in_child([&] {
    EXPECT_TRUE(lane.closed());
    EXPECT_TRUE(lane.wait_idle_for(1h)) << "all had ended";
  });
}

TEST(forking_lanes, R26_a_limiter_refuses_and_its_tasks_are_lost) {
  WEIR_NO_FORK_HERE;
  thread_pool pool = thread_pool::fixed(1, 8);
  limiter lane(pool, 2, unbounded);
  expect_lost([&](auto task) { return lane.submit(std::move(task)); }, [&] { return lane.size(); });
}

TEST(forking_lanes, R26_a_keyed_strand_refuses_and_its_tasks_are_lost) {
  WEIR_NO_FORK_HERE;
  thread_pool pool = thread_pool::fixed(2, 8);
  keyed_strand<int> lanes(pool, unbounded, unbounded);
  expect_lost([&](auto task) { return lanes.submit(1, std::move(task)); },
              [&] { return lanes.size(); });
  in_child([&] {
    EXPECT_EQ(lanes.try_submit(2, [] {}).why(), reject_reason::forked) << "a key of its own";
    EXPECT_EQ(lanes.size(), 0u);
  });
}

TEST(forking_lanes, R26_whoever_waited_for_a_lane_is_not_woken_in_the_child) {
  WEIR_NO_FORK_HERE;
  const testing::watchdog dog("who waits for a lane at a fork");
  manual_executor threads;
  std::optional<strand> lane(std::in_place, threads, unbounded);
  auto task = lane->submit([] {});
  testing::lost_stack stack;
  std::thread waiter([&] {
    ::pthread_setname_np(::pthread_self(), "waits");
    stack.run([&] { lane->wait_idle(); });
  });
  ASSERT_TRUE(testing::eventually([] { return testing::threads_sleep("waits"); }));
  in_child([&] {
    stack.close();
    EXPECT_FALSE(lane->wait_idle_for(1h));
    EXPECT_EQ(lane->cancel_pending(), 1u);
    EXPECT_TRUE(lane->wait_idle_for(1h));
    lane.reset();
    EXPECT_EQ(threads.run_all(), 1u) << "the carrier finds nothing";
  });
  threads.run_all();
  waiter.join();
  EXPECT_EQ(task.state(), task_state::succeeded);
}

/// In a child: static destructors and atexit handlers tell by the exit code that they have run.
constexpr int k_atexit_code = 42;
void tell_at_exit() {
  std::atexit([] { ::_exit(k_atexit_code); });
}
std::string told_at_exit() { return "exit " + std::to_string(k_atexit_code); }

TEST(forking_lanes, R26_after_a_body_that_forks_nothing_of_its_lane_starts_in_the_child) {
  WEIR_NO_FORK_HERE;
  const pid_t parent = ::getpid();
  const std::function<void()> how_it_ends[] = {[] {}, [] { throw 1; },
                                               [] { ::pthread_exit(nullptr); }};
  for (const auto& leave : how_it_ends) {
    thread_pool pool = thread_pool::fixed(1, 8);
    strand lane(pool, unbounded);
    pid_t child = -1;
    std::vector<future<void>> rest;
    {
      const testing::held_worker busy(pool);
      rest.push_back(lane.submit([&] {
        child = fork_child();
        if (child != 0) return;
        tell_at_exit();
        leave();
      }));
      for (int at = 0; at < 40; ++at) {
        rest.push_back(lane.submit([parent] {
          if (::getpid() != parent) ::_exit(9);
        }));
      }
    }
    for (auto& each : rest) each.get();
    EXPECT_EQ(end_of(child), told_at_exit());
  }
}

// The owner of a group runs the body that forks, and so it is the one who goes on in the child.
TEST(forking_lanes, R26_in_the_child_a_group_with_unfinished_tasks_says_so) {
  WEIR_NO_FORK_HERE;
  const pid_t parent = ::getpid();
  manual_executor threads;
  pid_t child = -1;
  int ran = 0;
  {
    task_group group(threads);
    group.run([&] { child = fork_child(); });
    for (int at = 0; at < 3; ++at) group.run([&ran] { ++ran; });
    const auto code = code_of([&group] { group.wait(); });
    EXPECT_EQ(code == std::errc::owner_dead, ::getpid() != parent);
    EXPECT_EQ(ran, ::getpid() == parent ? 3 : 0);
  }
  if (child == 0) testing::leave_child();
  EXPECT_EQ(end_of(child), "exit 0");
}

TEST(forking_lanes, R26_a_carrier_that_the_child_drops_takes_what_waits_along) {
  WEIR_NO_FORK_HERE;
  thread_pool pool = thread_pool::fixed(1, 8);
  const testing::held_worker busy(pool);
  strand lane(pool, unbounded);
  auto first = lane.submit([] {});
  auto second = lane.submit([] {});
  in_child([&] {
    EXPECT_EQ(pool.cancel_pending(), 1u);
    EXPECT_EQ(first.state(), task_state::cancelled);
    EXPECT_EQ(second.state(), task_state::cancelled);
    EXPECT_EQ(lane.size(), 0u);
  });
  in_child([&] {
    auto drained = pool.shutdown_now();
    ASSERT_EQ(drained.size(), 1u);
    drained[0]();
    EXPECT_EQ(first.state(), task_state::queued) << "it is the parent's";
  });
}

TEST(forking_lanes, R26_a_manual_executor_works_on_in_the_child) {
  WEIR_NO_FORK_HERE;
  manual_executor threads;
  auto task = threads.submit([] { return 3; });
  in_child([&] {
    EXPECT_EQ(threads.run_all(), 1u);
    EXPECT_EQ(task.get(), 3);
    strand own(threads, unbounded);
    auto more = own.submit([] { return 4; });
    threads.run_all();
    EXPECT_EQ(more.get(), 4);
  });
  EXPECT_EQ(threads.run_all(), 1u);
  EXPECT_EQ(task.get(), 3);
}

}  // namespace
}  // namespace weir
