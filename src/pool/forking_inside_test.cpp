// R26, E7: fork called on a thread that is inside a pool, and how such a child ends.

#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "support/child.hpp"
#include "support/conservation.hpp"
#include "support/eventually.hpp"
#include "support/gate.hpp"
#include "support/thread_switches.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;
using testing::end_of;
using testing::fork_child;
using testing::held_worker;

constexpr int k_atexit_code = 42;

/// A pool that lives as long as the process, as many programs have one.
thread_pool& static_pool() {
  static thread_pool pool = thread_pool::fixed(2, 16);
  return pool;
}

/// In a child: static destructors and atexit handlers tell by the exit code that they have run.
void tell_at_exit() {
  std::atexit([] { ::_exit(k_atexit_code); });
}

std::string told_at_exit() { return "exit " + std::to_string(k_atexit_code); }

// E7.
TEST(forking_inside, R26_a_child_may_end_by_exit_with_pools_of_every_kind) {
  WEIR_NO_FORK_HERE;
  auto done = static_pool().submit([] { return 1; });
  auto* const leaked = new thread_pool(pool_options{.core = 1, .max = 1, .capacity = 4});
  held_worker busy(*leaked);
  auto waiting = leaked->submit([] {});
  const pid_t child = fork_child();
  if (child == 0) {
    tell_at_exit();
    std::exit(1);
  }
  EXPECT_EQ(end_of(child), told_at_exit());
  const pid_t quick = fork_child();
  if (quick == 0) std::quick_exit(3);
  EXPECT_EQ(end_of(quick), "exit 3");
  EXPECT_EQ(done.get(), 1);
  busy.release();
  delete leaked;
}

// The child's only thread is a copy of the worker: when the body returns it leaves the pool alone
// and ends, and with its last thread the process ends as by exit(0).
TEST(forking_inside, R26_a_body_that_forks_ends_its_thread_in_the_child) {
  WEIR_NO_FORK_HERE;
  for (const bool with_future : {true, false}) {
    const pid_t parent = ::getpid();
    std::atomic<int> after{0};
    thread_pool pool = thread_pool::fixed(1, 64);
    pid_t child = -1;
    const auto body = [&child] {
      child = fork_child();
      if (child == 0) tell_at_exit();
    };
    std::vector<future<void>> rest;
    {
      held_worker busy(pool);
      if (with_future) {
        rest.push_back(pool.submit(body));
      } else {
        pool.execute(body);
      }
      // In the child none of them may start.
      for (int at = 0; at < 40; ++at) {
        rest.push_back(pool.submit([&after, parent] {
          if (::getpid() != parent) ::_exit(9);
          ++after;
        }));
      }
    }
    pool.wait_idle();
    EXPECT_EQ(end_of(child), told_at_exit());
    EXPECT_EQ(after, 40);
    testing::expect_conserved(pool.stats());
  }
}

TEST(forking_inside, R26_what_a_forking_body_has_claimed_ahead_does_not_start_in_the_child) {
  WEIR_NO_FORK_HERE;
  const pid_t parent = ::getpid();
  std::atomic<int> started{0};
  std::vector<pid_t> children;
  thread_pool pool = thread_pool::fixed(1, 1000);
  const auto task = [&](int number) {
    if (::getpid() != parent) ::_exit(9);  // a task of the parent's runs in the child
    // In the middle of a burst of short ones: most of the time the next ones are claimed.
    if (++started % 50 == 20) {
      children.push_back(fork_child());
      if (children.back() == 0) tell_at_exit();
    }
    return number;
  };
  {
    held_worker busy(pool);
    for (int at = 0; at < 600; ++at) pool.execute(task, at);
  }
  pool.wait_idle();
  EXPECT_EQ(children.size(), 12u);
  for (const pid_t child : children) EXPECT_EQ(end_of(child), told_at_exit());
  testing::expect_conserved(pool.stats());
}

TEST(forking_inside, R26_a_body_that_forks_may_leave_by_exit_exec_or_by_force) {
  WEIR_NO_FORK_HERE;
  thread_pool& pool = static_pool();
  const auto ends = [&pool](std::function<void()> leave) {
    pid_t child = -1;
    pool.submit([&] {
          child = fork_child();
          if (child == 0) leave();
        })
        .wait();
    return end_of(child);
  };
  EXPECT_EQ(ends([] { ::_exit(5); }), "exit 5");
  EXPECT_EQ(ends([] { std::exit(6); }), "exit 6");
  EXPECT_EQ(ends([] { ::execl("/bin/sh", "sh", "-c", "exit 7", nullptr); }), "exit 7");
  EXPECT_EQ(ends([] {
              tell_at_exit();
              ::pthread_exit(nullptr);
            }),
            told_at_exit());
  EXPECT_EQ(ends([] {
              tell_at_exit();
              throw 1;
            }),
            told_at_exit());
  EXPECT_EQ(pool.submit([] { return 8; }).get(), 8) << "the parent's pool works on";
}

TEST(forking_inside, R26_inside_a_body_the_child_s_pool_is_a_husk_as_well) {
  WEIR_NO_FORK_HERE;
  thread_pool& pool = static_pool();
  pid_t child = -1;
  auto waits = pool.submit_after(1h, [] {});
  pool.submit([&] {
        child = fork_child();
        if (child != 0) return;
        EXPECT_EQ(pool.try_submit([] {}).why(), reject_reason::forked);
        pool.join();  // no deadlock: nobody waits for anybody
        EXPECT_FALSE(pool.wait_idle_for(1h));
        EXPECT_THROW(waits.wait(), std::system_error);
        testing::expect_accounted(pool.stats());
        thread_pool own = thread_pool::fixed(1, 1);
        EXPECT_EQ(own.submit([] { return 2; }).get(), 2);
        testing::leave_child();
      })
      .wait();
  EXPECT_EQ(end_of(child), "exit 0");
  EXPECT_EQ(waits.cancel(), cancel_result::cancelled);
}

TEST(forking_inside, R26_a_body_on_its_caller_goes_back_to_it_in_the_child) {
  WEIR_NO_FORK_HERE;
  pool_options options{.core = 1, .max = 1, .capacity = 1};
  options.on_saturation = saturation::caller_runs;
  thread_pool pool(options);
  held_worker busy(pool);
  pool.execute([] {});
  pid_t child = -1;
  auto ran = pool.submit([&] {
    child = fork_child();
    return 3;
  });
  if (child == 0) {
    EXPECT_EQ(ran.get(), 3) << "the body has ended in this process too";
    testing::expect_accounted(pool.stats());
    EXPECT_EQ(pool.try_submit([] {}).why(), reject_reason::forked);
    testing::leave_child();
  }
  EXPECT_EQ(end_of(child), "exit 0");
  EXPECT_EQ(ran.get(), 3);
}

TEST(forking_inside, R26_hooks_may_fork_and_are_not_called_in_the_child) {
  WEIR_NO_FORK_HERE;
  std::vector<pid_t> children;
  const auto forks = [&children] {
    children.push_back(fork_child());
    if (children.back() == 0) tell_at_exit();
  };
  const auto only_in_parent = [parent = ::getpid()] {
    if (::getpid() != parent) ::_exit(9);
  };
  {
    pool_options options{.core = 1, .max = 1, .capacity = 4};
    options.on_worker_start = [&](const worker_info&) { forks(); };
    options.on_worker_stop = [&](const worker_info&) {
      only_in_parent();
      forks();
    };
    options.on_unhandled = [&](const std::exception_ptr&, const task_info&) {
      only_in_parent();
      forks();
    };
    thread_pool pool(options);
    pool.execute([] { throw 1; });
    pool.submit([] {}).wait();
  }
  EXPECT_EQ(children.size(), 3u);
  for (const pid_t child : children) EXPECT_EQ(end_of(child), told_at_exit());
}

// The destructor of a capture forks while its pool's destructor cancels it. In the child that must
// not join the last thread of the pool: its handle may stand for one that the child has started.
TEST(forking_inside, R26_a_fork_in_the_middle_of_a_destructor) {
  WEIR_NO_FORK_HERE;
  pid_t child = -1;
  struct forker {
    pid_t* child;
    ~forker() {
      if (child == nullptr) return;
      *child = fork_child();
      // On every stack that the parent's threads have left, and so with all their handles.
      for (int at = 0; *child == 0 && at < 16; ++at) std::thread([] { ::pause(); }).detach();
    }
    explicit forker(pid_t* at) : child(at) {}
    forker(forker&& other) noexcept : child(std::exchange(other.child, nullptr)) {}
    void operator()() {}
  };
  {
    pool_options options{.core = 0, .max = 1, .keep_alive = 0s, .capacity = 4};
    options.name = "leaves";
    thread_pool pool(options);
    pool.submit([] {}).get();
    ASSERT_TRUE(testing::eventually([] { return testing::switches_of_threads("leaves").empty(); }))
        << "its thread has ended, and is not joined yet";
    pool.submit_after(1h, forker(&child));
  }
  if (child == 0) testing::leave_child();
  EXPECT_EQ(end_of(child), "exit 0");
}

}  // namespace
}  // namespace weir
