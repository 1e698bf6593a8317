// Tasks that have ended, as far as the pool is asked to remember them (A6, R29).

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/gate.hpp"
#include "support/watchdog.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;
using testing::held_worker;

pool_options remembering(std::size_t count, weir::clock* clock = nullptr) {
  pool_options options;
  options.core = options.max = 1;
  options.capacity = 100;
  options.history = count;
  options.clock = clock;
  options.timing = timing::all;
  return options;
}

TEST(history, A6_every_kind_of_end_is_remembered) {
  manual_clock clock;
  thread_pool pool(remembering(10, &clock));
  clock.advance(1s);
  auto good = pool.submit({.name = "good"}, [&clock] { clock.advance(2s); });
  good.wait();
  auto bad = pool.submit([]() -> int { throw std::runtime_error("no"); });
  bad.wait();
  held_worker busy(pool);
  auto never = pool.submit([] {});
  never.cancel();
  auto delayed = pool.submit_after(1h, [] {});
  auto stopped = busy.done().ref();
  stopped.cancel();
  busy.release();
  pool.abort();
  const auto first = pool.find(good.id());
  ASSERT_TRUE(first);
  EXPECT_EQ(first->name, "good");
  EXPECT_EQ(first->state, task_state::succeeded);
  EXPECT_EQ(first->worker, 0u);
  EXPECT_EQ(first->started, clock::time_point(1s));
  EXPECT_EQ(first->ended, clock::time_point(3s));
  EXPECT_EQ(first->running_for(clock.now() + 1h), 2s) << "it has ended";
  EXPECT_EQ(pool.find(bad.id())->state, task_state::failed);
  EXPECT_EQ(pool.find(never.id())->state, task_state::cancelled);
  EXPECT_EQ(pool.find(never.id())->cancellation, cancellation::never_started);
  EXPECT_EQ(pool.find(never.id())->worker, std::nullopt);
  EXPECT_EQ(pool.find(never.id())->started, std::nullopt);
  EXPECT_EQ(pool.find(delayed.id())->reason, cancel_reason::aborted);
  EXPECT_EQ(pool.find(delayed.id())->due, delayed.due());
  EXPECT_EQ(pool.find(stopped.id())->cancellation, cancellation::returned);
  EXPECT_FALSE(pool.ref(good.id()).valid()) << "there is nothing to cancel any more";
  EXPECT_THROW((void)bad.get(), std::runtime_error);
}

TEST(history, A6_the_oldest_record_makes_room) {
  thread_pool pool(remembering(3));
  for (int at = 0; at < 10; ++at) pool.submit([] {}).get();
  for (std::uint64_t id = 1; id <= 10; ++id) EXPECT_EQ(pool.find(id).has_value(), id > 7) << id;
}

TEST(history, A6_without_it_nothing_is_kept) {
  thread_pool pool(remembering(0));
  auto done = pool.submit([] {});
  done.wait();
  EXPECT_EQ(pool.find(done.id()), std::nullopt);
}

TEST(history, R29_a_long_name_is_cut_between_characters) {
  thread_pool pool(remembering(4));
  const auto kept = [&pool](const std::string& name) {
    auto done = pool.submit({.name = name}, [] {});
    done.wait();
    return pool.find(done.id())->name;
  };
  EXPECT_EQ(kept(std::string(47, 'x')), std::string(47, 'x'));
  EXPECT_EQ(kept(std::string(48, 'x')), std::string(47, 'x'));
  EXPECT_EQ(kept(std::string(46, 'x') + "é"), std::string(46, 'x'));
  EXPECT_EQ(kept(std::string(45, 'x') + "éé"), std::string(45, 'x') + "é");
}

TEST(history, A6_ends_on_callers_threads_and_by_discarding) {
  pool_options options = remembering(10);
  options.capacity = 1;
  auto policy = saturation::caller_runs;
  options.on_saturation = [&policy](const pool_stats&) { return policy; };
  thread_pool pool(options);
  held_worker busy(pool);
  auto oldest = pool.submit([] {});
  auto here = pool.submit([] {});
  EXPECT_EQ(pool.find(here.id())->worker, worker_info::k_caller);
  policy = saturation::discard_oldest;
  auto younger = pool.submit([] {});
  EXPECT_EQ(pool.find(oldest.id())->reason, cancel_reason::discarded);
}

// What is remembered is there as soon as the future says that the task has ended (R6).
TEST(history, R6_a_finished_task_is_remembered_at_once) {
  const testing::watchdog dog("remembered at once");
  thread_pool pool(remembering(1000));
  for (int round = 0; round < 2000; ++round) {
    auto done = pool.submit([] {});
    done.wait();
    ASSERT_EQ(pool.find(done.id())->state, task_state::succeeded);
  }
}

}  // namespace
}  // namespace weir
