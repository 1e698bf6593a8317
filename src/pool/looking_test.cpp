// What can be seen of a pool: snapshot, find, handles by number (G2, E6).

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "support/conservation.hpp"
#include "support/eventually.hpp"
#include "support/gate.hpp"
#include "support/watchdog.hpp"
#include "weir/this_task.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;
using testing::gate;
using testing::held_worker;

pool_options on(weir::clock& clock, std::size_t workers = 1) {
  pool_options options;
  options.core = options.max = workers;
  options.capacity = 1000;
  options.clock = &clock;
  options.name = "seen";
  options.timing = timing::all;
  return options;
}

/// Counts and lists of one snapshot agree, and no task is in two of them.
void expect_agreement(const pool_snapshot& shot) {
  const auto& at = shot.counts;
  EXPECT_EQ(
      at.queued + at.delayed + at.running,
      shot.running.size() + shot.queued.size() + shot.delayed.size() + shot.left_out + shot.ending);
  testing::expect_accounted(at);
  std::set<std::uint64_t> ids;
  for (const auto* list : {&shot.running, &shot.queued, &shot.delayed}) {
    for (const auto& task : *list) EXPECT_TRUE(ids.insert(task.id).second) << task.id;
  }
}

TEST(looking, G2_a_snapshot_shows_every_live_task) {
  manual_clock clock;
  thread_pool pool(on(clock, 2));
  held_worker first(pool);
  gate entered;
  gate release;
  auto runs = pool.submit({.name = "runs", .weight = 3, .key = "lane"}, [&] {
    entered.open();
    release.wait();
  });
  const testing::opens_at_exit opens(release);
  entered.wait();
  clock.advance(2s);
  auto late = pool.submit_after({.name = "late"}, 3h, [] {});
  auto soon = pool.submit_after({.name = "soon"}, 1h, [] {});
  auto next = pool.submit({.name = "next"}, [] {});
  auto last = pool.submit([] {});
  clock.advance(5s);
  const pool_snapshot shot = pool.snapshot();
  expect_agreement(shot);
  EXPECT_EQ(shot.name, "seen");
  EXPECT_FALSE(shot.closed || shot.paused || shot.terminated);
  EXPECT_EQ(shot.max, 2u);
  EXPECT_EQ(shot.capacity, 1000u);
  ASSERT_EQ(shot.running.size(), 2u);
  const auto& seen = shot.running[0].id == runs.id() ? shot.running[0] : shot.running[1];
  EXPECT_EQ(seen.id, runs.id());
  EXPECT_EQ(seen.name, "runs");
  EXPECT_EQ(seen.key, "lane");
  EXPECT_EQ(seen.weight, 3u);
  EXPECT_EQ(seen.state, task_state::running);
  EXPECT_LT(seen.worker.value(), 2u);
  EXPECT_EQ(seen.running_for(shot.taken), 7s);
  EXPECT_EQ(seen.age(shot.taken), 7s);
  ASSERT_EQ(shot.queued.size(), 2u);
  EXPECT_EQ(shot.queued[0].name, "next");
  EXPECT_EQ(shot.queued[0].age(shot.taken), 5s);
  EXPECT_EQ(shot.queued[0].running_for(shot.taken), std::nullopt);
  EXPECT_EQ(shot.queued[0].worker, std::nullopt);
  EXPECT_EQ(shot.queued[1].id, last.id());
  ASSERT_EQ(shot.delayed.size(), 2u);
  EXPECT_EQ(shot.delayed[0].name, "soon");
  EXPECT_EQ(shot.delayed[0].due, soon.due());
  EXPECT_EQ(shot.delayed[1].name, "late");
}

TEST(looking, G2_states_of_the_pool_and_of_a_task_that_was_asked_to_stop) {
  manual_clock clock;
  thread_pool pool(on(clock));
  held_worker busy(pool);
  pool.pause();
  EXPECT_TRUE(pool.snapshot().paused);
  EXPECT_NE(describe(pool.snapshot()).find("seen: paused"), std::string::npos);
  pool.resume();
  EXPECT_EQ(pool.ref(busy.done().id()).cancel(), cancel_result::requested);
  pool.close();
  const pool_snapshot shot = pool.snapshot();
  EXPECT_TRUE(shot.closed);
  ASSERT_EQ(shot.running.size(), 1u);
  EXPECT_EQ(shot.running[0].state, task_state::cancel_requested);
  EXPECT_EQ(shot.running[0].reason, cancel_reason::cancelled);
  busy.release();
  pool.join();
  EXPECT_TRUE(pool.snapshot().terminated);
}

// tck 126.
TEST(looking, describe_is_one_line_with_state_and_counts) {
  manual_clock clock;
  thread_pool pool(on(clock));
  held_worker busy(pool);
  pool.execute([] {});
  (void)pool.submit_after(1h, [] {});
  EXPECT_EQ(describe(pool.snapshot()),
            "seen: running, 1 workers (0 idle), 1 running, 1 queued, 1 delayed, 0 ended");
  (void)pool.cancel_pending();
  pool.close();
  EXPECT_EQ(describe(pool.snapshot()),
            "seen: closing, 1 workers (0 idle), 1 running, 0 queued, 0 delayed, 2 ended");
  busy.release();
  pool.join();
  EXPECT_EQ(describe(pool.snapshot()),
            "seen: terminated, 0 workers (0 idle), 0 running, 0 queued, 0 delayed, 3 ended");
}

TEST(looking, G2_the_limit_is_for_waiting_tasks_and_says_how_many_are_left_out) {
  manual_clock clock;
  thread_pool pool(on(clock));
  held_worker busy(pool);
  for (int at = 0; at < 100; ++at) pool.execute([] {});
  for (int at = 0; at < 50; ++at) (void)pool.submit_after(1h * (50 - at), [] {});
  for (const std::size_t limit : {0, 1, 7, 101, 120, 151, 1000}) {
    const pool_snapshot shot = pool.snapshot(limit);
    expect_agreement(shot);
    const std::size_t listed = shot.running.size() + shot.queued.size() + shot.delayed.size();
    EXPECT_EQ(listed, 1 + std::min<std::size_t>(limit, 150));
    EXPECT_EQ(shot.left_out, 151 - listed);
    EXPECT_EQ(shot.running.size(), 1u);
    if (shot.queued.size() > 1) {
      EXPECT_EQ(shot.queued[0].id + 1, shot.queued[1].id);
    }
    if (!shot.delayed.empty()) {
      EXPECT_EQ(shot.delayed.front().due.value(), clock.now() + 1h) << "the earliest is there";
    }
  }
}

TEST(looking, G2_bodies_on_callers_threads_are_seen) {
  pool_options options;
  options.core = options.max = 1;
  options.capacity = 1;
  options.on_saturation = saturation::caller_runs;
  options.timing = timing::off;
  thread_pool pool(options);
  held_worker busy(pool);
  auto waits = pool.submit([] {});
  pool_snapshot shot;
  pool.execute([&] { shot = pool.snapshot(); });
  ASSERT_EQ(shot.running.size(), 2u);
  EXPECT_EQ(shot.running.back().worker, worker_info::k_caller);
  EXPECT_EQ(shot.running.back().started, std::nullopt) << "not measured";
  expect_agreement(shot);
}

// A body may look at its own pool.
TEST(looking, G2_from_inside_a_body) {
  thread_pool pool = thread_pool::fixed(1, 4);
  pool.submit([&pool] {
        const auto shot = pool.snapshot();
        ASSERT_EQ(shot.running.size(), 1u);
        EXPECT_EQ(shot.running[0].id, this_task::id());
        EXPECT_EQ(pool.find(this_task::id())->state, task_state::running);
      })
      .get();
}

TEST(looking, E6_find_tells_the_state_of_live_tasks) {
  manual_clock clock;
  thread_pool pool(on(clock));
  held_worker busy(pool);
  auto queued = pool.submit({.name = "queued"}, [] {});
  auto delayed = pool.submit_after({.name = "delayed"}, 1h, [] {});
  EXPECT_EQ(pool.find(busy.done().id())->state, task_state::running);
  EXPECT_EQ(pool.find(queued.id())->name, "queued");
  EXPECT_EQ(pool.find(queued.id())->state, task_state::queued);
  EXPECT_EQ(pool.find(delayed.id())->due, delayed.due());
  EXPECT_EQ(pool.find(0), std::nullopt);
  EXPECT_EQ(pool.find(4711), std::nullopt);
  queued.cancel();
  EXPECT_EQ(pool.find(queued.id()), std::nullopt) << "A6: the pool keeps no record of it";
}

TEST(looking, E6_a_tool_cancels_by_number) {
  manual_clock clock;
  thread_pool pool(on(clock));
  held_worker busy(pool);
  auto queued = pool.submit([] {});
  auto delayed = pool.submit_after(1h, [] {});
  EXPECT_EQ(pool.ref(queued.id()).cancel(), cancel_result::cancelled);
  EXPECT_EQ(pool.ref(delayed.id()).cancel(), cancel_result::cancelled);
  EXPECT_EQ(queued.state(), task_state::cancelled);
  EXPECT_EQ(delayed.state(), task_state::cancelled);
  EXPECT_FALSE(pool.ref(queued.id()).valid());
  EXPECT_FALSE(pool.ref(0).valid());
  busy.release();
  pool.wait_idle();
  testing::expect_conserved(pool.stats());
}

// While short tasks are claimed ahead, by two workers, and end all the time.
TEST(looking, G2_counts_and_lists_agree_while_claims_are_ahead) {
  const testing::watchdog dog("snapshot under load");
  thread_pool pool = thread_pool::fixed(2, 5000);
  std::atomic<bool> stop{false};
  std::thread producer([&] {
    while (!stop) {
      for (int at = 0; at < 100; ++at) {
        (void)pool.try_submit({.name = "short"}, [] {});
        (void)pool.try_submit([] {});
      }
    }
  });
  std::size_t seen = 0;
  for (int round = 0; round < 300 || seen < 20'000; ++round) {
    const pool_snapshot shot = pool.snapshot(round % 2 == 0 ? 10000 : 20);
    expect_agreement(shot);
    for (std::size_t at = 1; at < shot.queued.size(); ++at) {
      ASSERT_LT(shot.queued[at - 1].id, shot.queued[at].id);
    }
    seen += shot.queued.size();
    if (!shot.queued.empty()) (void)pool.find(shot.queued.back().id);
  }
  stop = true;
  producer.join();
  pool.wait_idle();
  testing::expect_conserved(pool.stats());
}

}  // namespace
}  // namespace weir
