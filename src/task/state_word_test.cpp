// The table of docs/design/task-state.md, row by row: which step is legal from which phase, and
// that every other pair is refused without a trace.

#include "task/state_word.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <barrier>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "support/watchdog.hpp"

namespace weir::detail {
namespace {

constexpr task_ops k_no_ops{};

constexpr std::array k_all_phases{
    phase::queued,   phase::detached, phase::cancelling, phase::running, phase::cancel_requested,
    phase::returned, phase::stopped,  phase::succeeded,  phase::failed,  phase::cancelled};

void put(task_base& task, phase at) { task.word = static_cast<std::uint32_t>(at); }
phase phase_now(const task_base& task) { return state_word::phase_of(task.word); }

struct row {
  std::string step;
  std::function<bool(task_base&)> take;
  std::array<std::optional<phase>, k_all_phases.size()> to;  ///< by phase; none = refused
};

std::array<std::optional<phase>, k_all_phases.size()> only(
    std::initializer_list<std::pair<phase, phase>> legal) {
  std::array<std::optional<phase>, k_all_phases.size()> all{};
  for (const auto& [from, to] : legal) all[static_cast<std::size_t>(from)] = to;
  return all;
}

std::vector<row> rows() {
  const auto cancel = [](task_base& task) {
    bool was_detached = false;
    return try_cancel_unstarted(task, cancel_reason::aborted, was_detached);
  };
  const auto stop = [](task_base& task) { return request_stop(task, cancel_reason::cancelled); };
  return {
      {"try_start", try_start, only({{phase::queued, phase::running}})},
      {"try_start_detached", try_start_detached, only({{phase::detached, phase::running}})},
      {"try_detach", try_detach, only({{phase::queued, phase::detached}})},
      {"try_cancel_unstarted", cancel,
       only({{phase::queued, phase::cancelling}, {phase::detached, phase::cancelling}})},
      {"request_stop", stop, only({{phase::running, phase::cancel_requested}})},
  };
}

TEST(state_word, every_pair_of_step_and_phase) {
  for (const row& each : rows()) {
    for (const phase from : k_all_phases) {
      SCOPED_TRACE(each.step + " from " + std::to_string(static_cast<int>(from)));
      task_base task(k_no_ops, 1);
      put(task, from);
      const auto to = each.to[static_cast<std::size_t>(from)];
      EXPECT_EQ(each.take(task), to.has_value());
      EXPECT_EQ(phase_now(task), to.value_or(from));
    }
  }
}

TEST(state_word, the_outcome_is_fixed_when_the_body_is_over) {
  const struct {
    phase from;
    bool threw;
    body_end end;
    phase to;
  } cases[] = {
      {phase::running, false, body_end::succeeded, phase::returned},
      {phase::running, true, body_end::failed, phase::returned},
      {phase::cancel_requested, false, body_end::cancelled, phase::stopped},
      {phase::cancel_requested, true, body_end::cancelled, phase::stopped},
  };
  for (const auto& each : cases) {
    task_base task(k_no_ops, 1);
    put(task, each.from);
    EXPECT_EQ(fix_outcome(task, each.threw), each.end);
    EXPECT_EQ(phase_now(task), each.to);
    EXPECT_EQ(fixed_outcome(task), each.end);
    EXPECT_FALSE(request_stop(task, cancel_reason::cancelled)) << "R18: too late from here on";
    EXPECT_FALSE(is_terminal(state_of(task)));
  }
}

TEST(state_word, fixing_twice_or_too_early_is_a_broken_invariant) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  task_base task(k_no_ops, 1);
  EXPECT_DEATH(fix_outcome(task, false), "assertion failed");
  put(task, phase::succeeded);
  EXPECT_DEATH(fix_outcome(task, false), "assertion failed");
  EXPECT_DEATH((void)publish(task, body_end::failed), "assertion failed");
  EXPECT_DEATH((void)fixed_outcome(task), "assertion failed");
}

TEST(state_word, publishing_keeps_reason_and_kind) {
  task_base task(k_no_ops, 1);
  ASSERT_TRUE(try_start(task));
  ASSERT_TRUE(request_stop(task, cancel_reason::aborted));
  EXPECT_EQ(fix_outcome(task, true), body_end::cancelled);
  EXPECT_EQ(cancellation_of(task), std::nullopt) << "not terminal yet";
  EXPECT_FALSE(publish(task, body_end::cancelled)) << "nobody waits";
  EXPECT_EQ(state_of(task), task_state::cancelled);
  EXPECT_EQ(reason_of(task), cancel_reason::aborted);
  EXPECT_EQ(cancellation_of(task), cancellation::threw);
}

TEST(state_word, publishing_tells_of_a_waiter_once) {
  task_base task(k_no_ops, 2);  // the pool's reference and the waiter's
  ASSERT_TRUE(try_start(task));
  EXPECT_FALSE(wait_terminal(task, std::chrono::steady_clock::time_point{}));
  (void)fix_outcome(task, false);
  EXPECT_TRUE(publish(task, body_end::succeeded));
  EXPECT_TRUE(wait_terminal(task));
}

TEST(state_word, a_drained_task_remembers_that_it_was) {
  task_base task(k_no_ops, 1);
  bool was_detached = true;
  ASSERT_TRUE(try_cancel_unstarted(task, cancel_reason::cancelled, was_detached));
  EXPECT_FALSE(was_detached);
  put(task, phase::detached);
  ASSERT_TRUE(try_cancel_unstarted(task, cancel_reason::cancelled, was_detached));
  EXPECT_TRUE(was_detached);
}

TEST(state_word, public_states_hide_the_phases_in_between) {
  const task_state expected[] = {task_state::queued,           task_state::queued,
                                 task_state::queued,           task_state::running,
                                 task_state::cancel_requested, task_state::running,
                                 task_state::cancel_requested, task_state::succeeded,
                                 task_state::failed,           task_state::cancelled};
  for (const phase at : k_all_phases) {
    task_base task(k_no_ops, 1);
    put(task, at);
    EXPECT_EQ(state_of(task), expected[static_cast<std::size_t>(at)]);
  }
}

// Case 35: whoever starts and whoever cancels race for one word, and exactly one of them wins.
TEST(state_word, start_and_cancel_have_one_winner) {
  const testing::watchdog dog("start against cancel");
  constexpr int k_rounds = 20'000;
  std::barrier meet(2);
  std::optional<task_base> task;
  std::atomic<int> winners{0};
  int wrong = 0;
  std::thread canceller([&] {
    for (int round = 0; round < k_rounds; ++round) {
      meet.arrive_and_wait();
      bool was_detached = false;
      if (try_cancel_unstarted(*task, cancel_reason::cancelled, was_detached)) ++winners;
      meet.arrive_and_wait();
    }
  });
  for (int round = 0; round < k_rounds; ++round) {
    task.emplace(k_no_ops, 2u);  // the pool's reference and the canceller's
    winners = 0;
    meet.arrive_and_wait();
    if (try_start(*task)) ++winners;
    meet.arrive_and_wait();
    if (winners != 1) ++wrong;
  }
  canceller.join();
  EXPECT_EQ(wrong, 0);
}

TEST(task_state, has_words_for_all) {
  EXPECT_STREQ(to_string(task_state::queued), "queued");
  EXPECT_STREQ(to_string(task_state::running), "running");
  EXPECT_STREQ(to_string(task_state::cancel_requested), "cancel_requested");
  EXPECT_STREQ(to_string(task_state::succeeded), "succeeded");
  EXPECT_STREQ(to_string(task_state::failed), "failed");
  EXPECT_STREQ(to_string(task_state::cancelled), "cancelled");
  EXPECT_STREQ(to_string(cancel_reason::cancelled), "cancelled");
  EXPECT_STREQ(to_string(cancel_reason::aborted), "aborted");
  EXPECT_STREQ(to_string(cancel_reason::discarded), "discarded");
  EXPECT_STREQ(to_string(cancel_reason::closed), "closed");
  EXPECT_STREQ(to_string(cancel_reason::timed_out), "timed_out");
  EXPECT_STREQ(to_string(cancellation::never_started), "never_started");
  EXPECT_STREQ(to_string(cancellation::threw), "threw");
  EXPECT_STREQ(to_string(cancellation::returned), "returned");
  EXPECT_NE(std::string(task_cancelled(cancel_reason::discarded).what()).find("discarded"),
            std::string::npos);
}

}  // namespace
}  // namespace weir::detail
