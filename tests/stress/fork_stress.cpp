// R26 under load: the process forks while its threads are in the middle of everything. In the child
// no lock may be held by a thread that is not there, and nothing half done.

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <optional>
#include <random>
#include <system_error>
#include <thread>
#include <vector>

#include "support/child.hpp"
#include "support/seed.hpp"
#include "support/watchdog.hpp"
#include "weir/completion_queue.hpp"
#include "weir/keyed_strand.hpp"
#include "weir/limiter.hpp"
#include "weir/manual_executor.hpp"
#include "weir/strand.hpp"
#include "weir/task_group.hpp"
#include "weir/thread_pool.hpp"
#include "weir/when.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;

#if defined(__SANITIZE_ADDRESS__)
#define WEIR_NO_FORK_UNDER_LOAD \
  GTEST_SKIP() << "AddressSanitizer's own allocator is not prepared for a fork under load"
#else
#define WEIR_NO_FORK_UNDER_LOAD WEIR_NO_FORK_HERE
#endif

/// What the threads of the parent do meanwhile, all of it at random.
class commotion {
 public:
  explicit commotion(std::uint64_t seed) : pools_(make_pools()) {
    for (std::uint64_t at = 0; at < 3; ++at) {
      threads_.emplace_back([this, seed, at] { churn(seed + at); });
    }
  }
  ~commotion() {
    over_ = true;
    for (auto& each : threads_) each.join();
  }
  commotion(const commotion&) = delete;
  commotion& operator=(const commotion&) = delete;

  [[nodiscard]] std::vector<std::unique_ptr<thread_pool>>& pools() { return pools_; }
  [[nodiscard]] manual_clock& time() { return time_; }

 private:
  std::vector<std::unique_ptr<thread_pool>> make_pools() {
    std::vector<std::unique_ptr<thread_pool>> made;
    pool_options options{.core = 1, .max = 2, .keep_alive = 100us, .capacity = 64};
    made.push_back(std::make_unique<thread_pool>(options));
    options.on_saturation = saturation::block;
    options.core_may_time_out = true;
    made.push_back(std::make_unique<thread_pool>(options));
    options.clock = &time_;
    made.push_back(std::make_unique<thread_pool>(options));
    return made;
  }

  void churn(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<future<int>> kept;
    while (!over_) {
      thread_pool& pool = *pools_[random() % pools_.size()];
      switch (random() % 8) {
        case 0:
          if (auto made = pool.try_submit_after(std::chrono::microseconds(random() % 200),
                                                [] { return 1; })) {
            kept.push_back(*std::move(made));
          }
          break;
        case 1:
          if (!kept.empty()) kept[random() % kept.size()].cancel();
          break;
        case 2:
          (void)pool.stats();
          break;
        case 3:
          time_.advance(100us);
          break;
        case 4: {
          thread_pool brief = thread_pool::fixed(1, 2);
          brief.execute([] {});
          break;
        }
        case 5:
          kept.clear();
          break;
        default:
          for (int task = 0; task < 20; ++task) (void)pool.try_submit([task] { return task; });
      }
    }
  }

  manual_clock time_;
  std::vector<std::unique_ptr<thread_pool>> pools_;
  std::atomic<bool> over_{false};
  std::vector<std::thread> threads_;
};

void use_everything(commotion& around) {
  for (auto& pool : around.pools()) {
    EXPECT_EQ(pool->try_submit([] {}).why(), reject_reason::forked);
    pool->join();
    pool->wait_idle();
    (void)pool->stats();
    (void)pool->cancel_pending();
    (void)pool->shutdown_now();
    EXPECT_TRUE(pool->closed());
    pool.reset();
  }
  around.time().advance(1s);
  thread_pool own = thread_pool::fixed(2, 200);
  std::vector<future<int>> made;
  for (int task = 0; task < 100; ++task) made.push_back(own.submit([task] { return task; }));
  for (int task = 0; task < 100; ++task)
    EXPECT_EQ(made[static_cast<std::size_t>(task)].get(), task);
}

TEST(fork_stress, R26_children_of_a_busy_process) {
  WEIR_NO_FORK_UNDER_LOAD;
  const testing::watchdog dog("forks under load");
  const auto seed = testing::test_seed();
  SCOPED_TRACE(testing::replay(seed));
  commotion around(seed);
  for (int round = 0; round < 150; ++round) {
    const pid_t child = testing::fork_child();
    ASSERT_GE(child, 0);
    if (child == 0) {
      use_everything(around);
      if (round % 2 == 0) std::exit(::testing::Test::HasFailure() ? 1 : 0);
      testing::leave_child();
    }
    ASSERT_EQ(testing::end_of(child), "exit 0") << "round " << round;
  }
}

/// Threads that do one thing over and over until it is destroyed.
class hammers {
 public:
  hammers() = default;
  ~hammers() {
    over_ = true;
    for (auto& each : threads_) each.join();
  }
  hammers(const hammers&) = delete;
  hammers& operator=(const hammers&) = delete;

  template <class Blow>
  void add(Blow blow) {
    threads_.emplace_back([this, blow]() mutable {
      while (!over_) blow();
    });
  }

 private:
  std::atomic<bool> over_{false};
  std::vector<std::thread> threads_;
};

constexpr int k_children = 100;

/// Forks again and again; each child has `check` to pass.
template <class Check>
void fork_often(Check check) {
  for (int round = 0; round < k_children && !::testing::Test::HasFailure(); ++round) {
    testing::in_child(check);
  }
}

/// A result of the parent's can be read in the child, or the wait for it says that it is lost.
void expect_ended_or_lost(const future<int>& task) {
  try {
    task.wait();
    EXPECT_TRUE(is_terminal(task.state()));
  } catch (const std::system_error& lost) {
    EXPECT_EQ(lost.code(), std::errc::owner_dead);
  }
}

TEST(fork_stress, R26_children_of_a_process_whose_tasks_follow_each_other) {
  WEIR_NO_FORK_UNDER_LOAD;
  const testing::watchdog dog("forks among followers");
  thread_pool pool = thread_pool::fixed(2, 64);
  completion_queue<int> queue;
  std::array<future<int>, 2> shared{pool.submit([] { return 1; }), pool.submit([] { return 2; })};
  future<int> unended = pool.submit_after(1h, [] { return 3; });
  {
    hammers threads;
    threads.add([&pool] {  // a worker waits for what follows others
      const auto body = [&pool] {
        return pool.submit([] { return 1; }).then([](int one) { return one + 1; }).get();
      };
      EXPECT_EQ(pool.submit(body).get(), 2);
    });
    threads.add(
        [&pool] { when_all(pool.submit([] { return 1; }), pool.submit([] { return 2; })).get(); });
    threads.add([&pool, &queue] {
      queue.submit(pool, [] { return 4; });
      (void)queue.take();
    });
    fork_often([&] {
      for (const auto& task : shared) expect_ended_or_lost(task);
      expect_ended_or_lost(unended);
      EXPECT_EQ(unended.cancel(), cancel_result::cancelled);
      (void)queue.try_take();
      queue.add(std::move(unended));
      thread_pool own = thread_pool::fixed(2, 64);
      const auto body = [&own] {
        return own.submit([] { return 1; }).then([](int one) { return one + 1; }).get();
      };
      EXPECT_EQ(own.submit(body).get(), 2);
      when_all(own.submit(body), own.submit(body)).get();
    });
  }
  EXPECT_EQ(unended.cancel(), cancel_result::cancelled);
}

// Looked into and nothing else, so that at most forks one of the threads holds the table's lock.
TEST(fork_stress, R26_children_of_a_process_with_a_busy_table_of_lanes) {
  WEIR_NO_FORK_UNDER_LOAD;
  const testing::watchdog dog("forks among looks into a table");
  thread_pool pool = thread_pool::fixed(1, 64);
  keyed_strand<int> keyed(pool, 10, 100);
  hammers threads;
  for (int thread = 0; thread < 2; ++thread) threads.add([&] { (void)keyed.size(); });
  fork_often([&] {
    (void)keyed.size();
    EXPECT_EQ(keyed.try_submit(1, [] {}).why(), reject_reason::forked);
  });
}

TEST(fork_stress, R26_children_of_a_process_with_busy_lanes) {
  WEIR_NO_FORK_UNDER_LOAD;
  const testing::watchdog dog("forks among lanes");
  thread_pool pool = thread_pool::fixed(1, 64);
  manual_executor manual;
  std::optional<strand> lane(std::in_place, pool, 100);
  std::optional<limiter> quota(std::in_place, pool, 2, 100);
  std::optional<keyed_strand<int>> keyed(std::in_place, pool, 10, 100);
  std::optional<task_group> group(std::in_place, pool);
  {
    hammers threads;
    threads.add([&] {
      (void)lane->try_submit([] {});
      (void)lane->size();
      (void)quota->try_submit([] {});
      (void)quota->size();
    });
    threads.add([&, key = 0]() mutable {
      (void)keyed->try_submit(++key % 7, [] {});
      (void)keyed->size();
      (void)group->stopped();
    });
    threads.add([&] {
      (void)manual.try_submit([] {});
      (void)manual.run_one();
      (void)manual.pending();
    });
    fork_often([&] {
      EXPECT_EQ(lane->try_submit([] {}).why(), reject_reason::forked);
      EXPECT_EQ(quota->try_submit([] {}).why(), reject_reason::forked);
      EXPECT_EQ(keyed->try_submit(1, [] {}).why(), reject_reason::forked);
      EXPECT_FALSE(group->run([] {}));
      lane->wait_idle();
      quota->wait_idle();
      (void)lane->cancel_pending();
      (void)keyed->cancel_pending();
      (void)manual.run_all();
      lane.reset();
      quota.reset();
      keyed.reset();
      group.reset();
      EXPECT_EQ(manual.pending(), 0u);
    });
  }
  manual.run_all();
}

}  // namespace
}  // namespace weir
