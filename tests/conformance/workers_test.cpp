// What Java's rules say of worker threads (rules 24 to 39), beyond what admission_test.cpp and
// keep_alive_test.cpp hold.

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <string>

#include "support/eventually.hpp"
#include "support/gate.hpp"
#include "support/thread_famine.hpp"
#include "support/thread_switches.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;
using testing::gate;
using testing::held_worker;

// tck 24.
TEST(workers, none_exists_before_the_first_task) {
  thread_pool pool({.core = 4, .max = 8, .capacity = 1, .name = "unborn"});
  EXPECT_EQ(pool.size(), 0u);
  EXPECT_TRUE(testing::switches_of_threads("unborn").empty());
  pool.submit([] {}).get();
  EXPECT_EQ(pool.size(), 1u);
  EXPECT_EQ(testing::switches_of_threads("unborn").size(), 1u);
}

std::string name_of_this_thread() {
  std::string name;
  std::ifstream("/proc/thread-self/comm") >> name;
  return name;
}

unsigned long number_of(const thread_pool& pool) {
  EXPECT_EQ(pool.name().rfind("pool-", 0), 0u) << pool.name();
  return std::stoul(pool.name().substr(5));
}

// tck 33, 34: "pool-N" with N ascending over the process, and its workers "pool-N-0" and so on.
TEST(workers, default_names_count_upwards) {
  thread_pool one = thread_pool::fixed(2, 1), two = thread_pool::fixed(1, 1);
  EXPECT_GT(number_of(two), number_of(one));
  EXPECT_EQ(one.submit(name_of_this_thread).get(), one.name() + "-0");
  held_worker first(one);
  EXPECT_EQ(one.submit(name_of_this_thread).get().rfind(one.name() + "-", 0), 0u);
  EXPECT_EQ(two.submit(name_of_this_thread).get(), two.name() + "-0");
}

/// Counts the threads that have ended entirely: their thread-local objects are gone.
struct counts_at_thread_end {
  static std::atomic<int> ended;
  ~counts_at_thread_end() { ++ended; }
};
std::atomic<int> counts_at_thread_end::ended{0};

// tck 35: workers are joined, never left to themselves.
TEST(workers, E4_no_thread_outlives_its_pool) {
  counts_at_thread_end::ended = 0;
  pool_options options{.core = 3, .max = 3, .capacity = 1};
  options.on_worker_start = [](const worker_info&) {
    thread_local const counts_at_thread_end counter;
    (void)counter;
  };
  {
    thread_pool pool(options);
    for (int task = 0; task < 3; ++task) pool.submit([] {}).get();
  }
  EXPECT_EQ(counts_at_thread_end::ended, 3);
}

// tck 32: a thread that could not be had is asked for again by the next submission.
TEST(workers, B9_the_next_submission_asks_for_a_thread_again) {
  thread_pool pool({.core = 2, .max = 2, .capacity = 4});
  held_worker busy(pool);
  future<int> waits;
  {
    const testing::thread_famine famine;
    waits = pool.submit([] { return 1; });
    ASSERT_EQ(pool.size(), 1u);
    ASSERT_EQ(waits.state(), task_state::queued);
  }
  EXPECT_EQ(pool.submit([] { return 2; }).get(), 2) << "while the first worker is still busy";
  EXPECT_EQ(waits.get(), 1);
  EXPECT_EQ(pool.size(), 2u);
}

// tck 36, 121: what a worker has counted stays when it leaves.
TEST(workers, G1_totals_never_fall_when_workers_leave) {
  thread_pool pool({.core = 0, .max = 2, .keep_alive = 0ns, .capacity = 0});
  for (std::uint64_t task = 1; task <= 200; ++task) {
    pool.submit([] {}).get();
    ASSERT_EQ(pool.stats().succeeded, task);
  }
  ASSERT_TRUE(testing::eventually([&] { return pool.size() == 0; }));
  EXPECT_EQ(pool.stats().succeeded, 200u);
  EXPECT_EQ(pool.stats().accepted, 200u);
}

}  // namespace
}  // namespace weir
