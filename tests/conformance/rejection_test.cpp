// What Java's rules say of rejection (rules 57 to 75), beyond what saturation_test.cpp holds.

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "support/conservation.hpp"
#include "support/gate.hpp"
#include "support/watchdog.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;
using testing::held_worker;

// tck 58: who refused, why, and what the pool was doing.
TEST(rejection, the_message_tells_the_pool_s_state) {
  thread_pool pool({.core = 1, .max = 1, .capacity = 2, .name = "narrow"});
  held_worker busy(pool);
  pool.execute([] {});
  pool.execute([] {});
  try {
    (void)pool.submit([] {});
    ADD_FAILURE() << "accepted";
  } catch (const rejected& refusal) {
    const std::string text = refusal.what();
    for (const char* part : {"narrow", "saturated", "1 running", "1 workers", "2 waiting"}) {
      EXPECT_NE(text.find(part), std::string::npos) << part << " is not in: " << text;
    }
  }
}

// tck 63: making room by discarding comes to an end when the pool closes in between.
TEST(rejection, B4_discard_oldest_ends_with_the_pool) {
  const testing::watchdog dog("discard_oldest against close");
  for (int round = 0; round < 200; ++round) {
    std::atomic<int> handled{0};
    thread_pool pool({.max = 1, .capacity = 1, .on_saturation = saturation::discard_oldest});
    std::vector<std::thread> submitters;
    for (int at = 0; at < 2; ++at) {
      submitters.emplace_back([&] {
        for (int task = 0; task < 100; ++task) {
          try {
            (void)pool.submit([] {});
          } catch (const rejected& refusal) {
            EXPECT_EQ(refusal.why(), reject_reason::closed);
          }
          ++handled;
        }
      });
    }
    while (handled < 20) std::this_thread::yield();
    pool.close();
    for (auto& each : submitters) each.join();
    pool.join();
    ASSERT_EQ(handled, 200);
    testing::expect_conserved(pool.stats());
  }
}

// tck 60, 64, 103: what the policy does itself counts; after close every answer means refusal.
TEST(rejection, B4_a_policy_that_closes_the_pool_is_answered_with_closed) {
  for (const saturation answer : {saturation::reject, saturation::caller_runs, saturation::discard,
                                  saturation::discard_oldest, saturation::block}) {
    thread_pool* self = nullptr;
    pool_options options{.core = 1, .max = 1, .capacity = 1};
    options.on_saturation = [&](const pool_stats&) {
      self->close();
      return answer;
    };
    thread_pool pool(options);
    self = &pool;
    held_worker busy(pool);
    auto waits = pool.submit([] {});
    try {
      (void)pool.submit([] { ADD_FAILURE() << "a body runs after close"; });
      ADD_FAILURE() << "accepted after close";
    } catch (const rejected& refusal) {
      EXPECT_EQ(refusal.why(), reject_reason::closed);
    }
    EXPECT_EQ(waits.state(), task_state::queued);
  }
}

// R7: what runs on its submitter does not wait for its turn, and what was drained has none.
TEST(rejection, R7_caller_run_and_drained_bodies_stand_outside_the_order) {
  thread_pool pool({.core = 1, .max = 1, .capacity = 2, .on_saturation = saturation::caller_runs});
  held_worker busy(pool);
  std::vector<int> order;
  auto one = pool.submit([&] { order.push_back(1); });
  auto two = pool.submit([&] { order.push_back(2); });
  pool.execute([&] { order.push_back(3); });
  auto drained = pool.shutdown_now();
  drained.at(1)();
  drained.at(0)();
  EXPECT_EQ(order, (std::vector{3, 2, 1}));
}

}  // namespace
}  // namespace weir
