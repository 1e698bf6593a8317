// R26 under load: the process forks while its threads are in the middle of everything. In the child
// no lock may be held by a thread that is not there, and nothing half done.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "support/child.hpp"
#include "support/seed.hpp"
#include "support/watchdog.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;

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
  WEIR_NO_FORK_HERE;
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "AddressSanitizer's own allocator is not prepared for a fork under load";
#endif
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

}  // namespace
}  // namespace weir
