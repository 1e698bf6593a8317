// The oracle and the comparison must be trustworthy themselves: the oracle keeps the worked
// examples, and a pool with a flaw is told from it.

#include "oracle/oracle_pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <set>
#include <vector>

#include "oracle/differential.hpp"
#include "support/eventually.hpp"
#include "support/seed.hpp"
#include "support/watchdog.hpp"

namespace weir::testing {
namespace {

using namespace std::chrono_literals;
using verb = oracle_pool::verb;

class oracle : public ::testing::Test {
 protected:
  oracle() { stage_.stop_requested = &oracle_pool::stop_requested; }

  trail& gated() { return trails_.emplace_back(stage_, trails_.size(), body_kind{true, false}); }
  trail& quick() { return trails_.emplace_back(stage_, trails_.size(), body_kind{false, false}); }
  static oracle_pool::answer submit(oracle_pool& pool, trail& of,
                                    std::chrono::nanoseconds in = 0s) {
    body work(of);
    return pool.offer(verb::submit, in, work);
  }

  stage stage_;
  std::deque<trail> trails_;
  const watchdog dog_{"the oracle"};
};

TEST_F(oracle, B2_accepts_workers_and_places_and_no_more) {
  oracle_pool pool({.core = 2, .max = 2, .capacity = 3}, stage_.reports);
  for (int task = 0; task < 5; ++task) EXPECT_FALSE(submit(pool, gated()).refused);
  EXPECT_EQ(submit(pool, gated()).refused, reject_reason::saturated);
  for (trail& each : trails_) each.leave.open();
  pool.wait_idle();
  EXPECT_EQ(pool.stats().succeeded, 5u);
  EXPECT_EQ(pool.stats().refused, 1u);
}

TEST_F(oracle, B8_starts_by_due_time_then_by_id) {
  oracle_pool pool({.core = 1, .max = 1, .capacity = 8}, stage_.reports);
  trail& held = gated();
  (void)submit(pool, held);
  for (const auto in : {3ms, 1ms, 2ms, 1ms}) (void)submit(pool, quick(), in);
  pool.advance(2ms);
  (void)submit(pool, quick());
  pool.advance(1ms);
  held.leave.open();
  pool.wait_idle();
  EXPECT_EQ(stage_.started(), (std::vector<std::size_t>{0, 2, 4, 3, 5, 1}));
}

TEST_F(oracle, A3_a_value_after_a_stop_request_is_dropped) {
  oracle_pool pool({.core = 1, .max = 1, .capacity = 1}, stage_.reports);
  trail& deaf = gated();
  auto task = submit(pool, deaf).accepted;
  ASSERT_TRUE(eventually([&] { return deaf.entered.load(); }));
  EXPECT_EQ(task.cancel(true), cancel_result::too_late);
  EXPECT_EQ(task.cancel(false), cancel_result::requested);
  EXPECT_EQ(task.state(), task_state::cancel_requested);
  deaf.leave.open();
  task.wait();
  EXPECT_EQ(task.cancellation(), cancellation::returned);
  EXPECT_TRUE(deaf.saw_stop);
  EXPECT_THROW((void)task.get(), task_cancelled);
}

/// The bound is one place too wide.
struct generous : oracle_subject {
  static constexpr const char* k_name = "generous";
  generous(const program& of, stage& on) : oracle_subject(wider(of), on) {}
  static program wider(program of) {
    ++of.capacity;
    return of;
  }
};

/// A clock that runs ahead starts tasks early.
struct hasty : oracle_subject {
  static constexpr const char* k_name = "hasty";
  using oracle_subject::oracle_subject;
  void advance(std::chrono::nanoseconds step) { oracle_subject::advance(step + 1ms); }
};

/// What is drained comes back in the wrong order.
struct backward : oracle_subject {
  static constexpr const char* k_name = "backward";
  using oracle_subject::oracle_subject;
  std::vector<drained> shutdown_now() {
    std::vector<drained> all = oracle_subject::shutdown_now();
    std::vector<drained> turned;
    while (!all.empty()) {
      turned.push_back(std::move(all.back()));
      all.pop_back();
    }
    return turned;
  }
};

using op = step::what;

TEST(flaw, a_bound_that_is_too_wide_is_found) {
  const program of{.core = 1, .max = 1, .capacity = 1, .steps = {}};
  EXPECT_EQ((first_difference<oracle_subject, oracle_subject>(of)), std::nullopt);
  EXPECT_NE((first_difference<generous, oracle_subject>(of)), std::nullopt);
}

TEST(flaw, a_task_that_starts_early_is_found) {
  const program of{
      .core = 1,
      .max = 1,
      .capacity = 1,
      .steps = {{op::submit, 1}, {op::submit_after, 2 << 3}, {op::advance, 1}, {op::release, 0}}};
  EXPECT_EQ((first_difference<oracle_subject, oracle_subject>(of)), std::nullopt);
  EXPECT_NE((first_difference<hasty, oracle_subject>(of)), std::nullopt);
}

TEST(flaw, a_drain_in_the_wrong_order_is_found) {
  const program of{.core = 1,
                   .max = 1,
                   .capacity = 2,
                   .steps = {{op::submit, 1},
                             {op::submit, 0},
                             {op::submit, 0},
                             {op::shutdown_now, 0},
                             {op::run_drained, 0},
                             {op::release, 0}}};
  EXPECT_EQ((first_difference<oracle_subject, oracle_subject>(of)), std::nullopt);
  EXPECT_NE((first_difference<backward, oracle_subject>(of)), std::nullopt);
}

// Bytes that nobody can mistake for another program than the one that is printed.
TEST(program_text, every_sequence_of_bytes_is_a_program) {
  std::mt19937_64 random(7);
  std::set<op> seen;
  for (int round = 0; round < 2'000; ++round) {
    std::vector<std::uint8_t> bytes(pick(random, 0, 120));
    std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<std::uint8_t>(random()); });
    const program made = decode(bytes);
    EXPECT_LE(made.core, made.max);
    EXPECT_LE(made.steps.size(), k_steps_max);
    for (const step& each : made.steps) seen.insert(each.op);
    EXPECT_FALSE(describe(made).empty());
  }
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(op::shutdown_now) + 1);
}

}  // namespace
}  // namespace weir::testing
