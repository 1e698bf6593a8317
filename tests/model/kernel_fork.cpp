// The split stack and the sleep of its threads: docs/design/split-stack.md, fork-sleep.md.

#include <gtest/gtest.h>

#include <memory>

#include "model/explorer.hpp"
#include "sync/futex.hpp"
#include "sync/parker.hpp"
#include "sync/thread.hpp"
#include "weir/detail/fork_stack.hpp"
#include "weir/work_stealing_pool.hpp"

namespace weir::model {
namespace {

using detail::fork_job;
using detail::fork_stack;
using sync::thread;

struct job final : fork_job {
  job() noexcept : fork_job([](fork_job&) noexcept { return true; }) {}
  int runs = 0;  // plain: two that run it at once are a race
};

void steal_one(fork_stack& stack, bool insist) {
  const auto oldest = stack.oldest();
  if (oldest.job == nullptr) {
    if (insist) stack.want();
  } else if (stack.take(oldest)) {
    ++static_cast<job*>(oldest.job)->runs;
  }
}

void push(fork_stack& stack, job& what, bool& in) {
  in = stack.push(what) || stack.push_slowly(what).in;
}

void join(fork_stack& stack, job& what, std::uint64_t at) {
  if (stack.pop(at)) ++what.runs;
}

// Each job runs once, whoever gets it: owner × two thieves, two jobs.
TEST(kernel_fork, each_job_runs_once) {
  expect_holds("split stack: push, expose, pop × steal × steal", {}, [] {
    const auto lives_on = std::make_unique<fork_stack>();  // a store that waits must find it
    fork_stack& stack = *lives_on;
    job jobs[2];
    std::uint64_t at[2];
    bool in = false;
    stack.want();
    thread first([&] {
      steal_one(stack, true);
      steal_one(stack, true);
    });
    thread second([&] { steal_one(stack, false); });
    for (int i = 0; i < 2; ++i) {
      at[i] = stack.head();
      push(stack, jobs[i], in);
      MODEL_CHECK(in);
    }
    for (int i = 1; i >= 0; --i) join(stack, jobs[i], at[i]);
    first.join();
    second.join();
    for (const job& each : jobs) MODEL_CHECK(each.runs == 1);
  });
}

// Indices go on after the last public job was taken back in a race, and slots are used again.
TEST(kernel_fork, slots_are_used_again) {
  expect_holds("split stack: one job after the other × steal", {}, [] {
    const auto lives_on = std::make_unique<fork_stack>();  // a store that waits must find it
    fork_stack& stack = *lives_on;
    job jobs[4];
    bool in = false;
    thread thief([&] {
      for (int round = 0; round < 2; ++round) steal_one(stack, true);
    });
    for (job& each : jobs) {
      const std::uint64_t at = stack.head();
      push(stack, each, in);
      MODEL_CHECK(in);
      join(stack, each, at);
    }
    thief.join();
    for (const job& each : jobs) MODEL_CHECK(each.runs == 1);
  });
}

TEST(kernel_fork, a_full_stack_takes_no_more) {
  expect_holds("split stack: full × steal", {}, [] {
    const auto lives_on = std::make_unique<fork_stack>();  // a store that waits must find it
    fork_stack& stack = *lives_on;
    job jobs[4];
    std::uint64_t at[4];
    bool in[4];
    thread thief([&] {
      steal_one(stack, true);
      steal_one(stack, true);
    });
    for (int i = 0; i < 4; ++i) {
      at[i] = stack.head();
      push(stack, jobs[i], in[i]);
    }
    for (int i = 3; i >= 0; --i) {
      if (in[i]) join(stack, jobs[i], at[i]);
    }
    thief.join();
    for (int i = 0; i < 4; ++i) MODEL_CHECK(jobs[i].runs == (in[i] ? 1 : 0));
  });
}

// Nothing is lost or run twice, every join ends, and so does the pool.
TEST(kernel_fork, a_join_on_a_pool) {
  expect_holds("pool: join × steal × sleep × destruction", {.bound = 4, .views_bound = 3}, [] {
    work_stealing_pool pool(1);
    int first = 0;
    int second = 0;
    int third = 0;
    pool.run([&] {
      weir::join([&] { weir::join([&] { ++first; }, [&] { ++second; }); }, [&] { ++third; });
    });
    MODEL_CHECK(first == 1 && second == 1 && third == 1);
  });
}

// The second arm must be taken, or the first waits for ever: whoever sleeps has asked for it.
TEST(kernel_fork, a_sleeper_is_woken_by_a_fork) {
  expect_holds("pool: fork × sleeping thread", {.delays = true}, [] {
    work_stealing_pool pool(2);
    int told = 0;
    pool.run([&] {
      weir::join([] {}, [] {});  // may serve a wish of somebody who then falls asleep
      while (pool.stats().sleeping < 2) sync::spin_pause();
      sync::parker taken;
      weir::join([&] { taken.park(); },
                 [&] {
                   told = 1;
                   taken.unpark();
                 });
    });
    MODEL_CHECK(told == 1);
  });
}

// The owner sleeps for its arm, whose thief forks: the owner helps, or the fork would never end.
TEST(kernel_fork, an_owner_that_sleeps_helps_its_thief) {
  expect_holds("pool: fork of a thief × sleeping owner", {.delays = true}, [] {
    work_stealing_pool pool(2);
    while (pool.stats().sleeping < 2) sync::spin_pause();
    pool.run([&] {
      sync::parker taken;
      weir::join([&] { taken.park(); },
                 [&] {
                   taken.unpark();
                   // Asleep, and so hungry.
                   while (pool.stats().sleeps == 0) sync::spin_pause();
                   sync::parker helped;
                   weir::join([&] { helped.park(); }, [&] { helped.unpark(); });
                 });
    });
  });
}

TEST(kernel_fork, more_bringers_than_places) {
  expect_holds("pool: run × run", {}, [] {
    work_stealing_pool pool(1);
    int others[2] = {};
    thread second(
        [&] { pool.run([&] { weir::join([&] { ++others[0]; }, [&] { ++others[1]; }); }); });
    int mine = 0;
    pool.run([&] { ++mine; });
    second.join();
    MODEL_CHECK(mine == 1 && others[0] == 1 && others[1] == 1);
  });
}

}  // namespace
}  // namespace weir::model
