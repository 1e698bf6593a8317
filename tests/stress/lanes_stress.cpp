// Strands, limiters and groups on a pool that refuses, closes and aborts under them: what was
// accepted ends, in order, never twice at once.

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support/conservation.hpp"
#include "support/seed.hpp"
#include "support/time_box.hpp"
#include "support/watchdog.hpp"
#include "weir/keyed_strand.hpp"
#include "weir/limiter.hpp"
#include "weir/strand.hpp"
#include "weir/task_group.hpp"
#include "weir/this_task.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

/// What only one task of a strand may touch at a time.
struct serial_witness {
  int inside = 0;
  std::uint64_t last = 0;
  std::atomic<bool> broken{false};

  void enter() {
    if (inside++ != 0 || this_task::id() <= last) broken = true;
    last = this_task::id();
    --inside;
  }
};

struct round_shape {
  std::size_t workers;
  std::size_t capacity;
  saturation policy;
  int end;  ///< 0 close, 1 abort, 2 shutdown_now, 3 nothing
};

void submit_until_told(strand& lane, serial_witness& seen, std::uint64_t seed,
                       std::vector<future<void>>& accepted) {
  std::mt19937_64 random(seed);
  for (int at = 0; at < 200; ++at) {
    auto answer = lane.try_submit([&seen] { seen.enter(); });
    if (!answer.accepted()) {
      if (answer.why() == reject_reason::closed) return;
      continue;
    }
    accepted.push_back(std::move(*answer));
    if (random() % 8 == 0) accepted.back().cancel();
  }
}

void end_as(thread_pool& pool, int how) {
  if (how == 0) pool.close();
  if (how == 1) pool.abort();
  if (how == 2) pool.shutdown_now().clear();
}

void strand_round(const round_shape& shape, std::mt19937_64& random) {
  pool_options options{.core = shape.workers, .max = shape.workers, .capacity = shape.capacity};
  options.on_saturation = shape.policy;
  auto pool = std::make_unique<thread_pool>(std::move(options));
  serial_witness seen;
  std::vector<future<void>> accepted[2];
  strand lane(*pool, testing::pick(random, 0, 40));
  const std::uint64_t seeds[2] = {random(), random()};
  std::thread one([&] { submit_until_told(lane, seen, seeds[0], accepted[0]); });
  std::thread two([&] { submit_until_told(lane, seen, seeds[1], accepted[1]); });
  for (std::size_t spin = testing::pick(random, 0, 2000); spin > 0; --spin) (void)lane.size();
  end_as(*pool, shape.end);
  one.join();
  two.join();
  pool->close();
  pool->join();
  testing::expect_conserved(pool->stats());
  pool.reset();
  ASSERT_EQ(lane.size(), 0u);
  for (const auto& some : accepted) {
    for (const auto& task : some) ASSERT_TRUE(is_terminal(task.state()));
  }
  ASSERT_FALSE(seen.broken);
}

TEST(stress, a_strand_on_a_pool_that_refuses_and_ends) {
  const testing::watchdog dog("a strand on a pool that refuses and ends");
  const auto seed = testing::test_seed();
  SCOPED_TRACE(testing::replay(seed));
  std::mt19937_64 random(seed);
  constexpr saturation k_policies[] = {saturation::reject, saturation::discard_oldest};
  for (testing::time_box box; !box.over();) {
    strand_round({.workers = testing::pick(random, 1, 3),
                  .capacity = testing::pick(random, 1, 4),
                  .policy = k_policies[testing::pick(random, 0, 1)],
                  .end = static_cast<int>(testing::pick(random, 0, 3))},
                 random);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(stress, a_limiter_never_runs_more_than_its_width) {
  const testing::watchdog dog("a limiter");
  thread_pool pool = thread_pool::fixed(4, 64);
  limiter lane(pool, 2, unbounded);
  std::atomic<int> running{0};
  std::atomic<bool> broken{false};
  std::uint64_t accepted = 0;
  std::atomic<std::uint64_t> ran{0};
  for (testing::time_box box; !box.over();) {
    for (int at = 0; at < 100; ++at, ++accepted) {
      lane.execute([&] {
        if (++running > 2) broken = true;
        ++ran;
        --running;
      });
    }
    lane.wait_idle();
    ASSERT_EQ(ran, accepted);
  }
  ASSERT_FALSE(broken);
}

TEST(stress, lanes_by_key_come_and_go) {
  const testing::watchdog dog("lanes by key");
  thread_pool pool = thread_pool::fixed(3, 64);
  constexpr std::size_t k_keys = 5;
  keyed_strand<std::size_t> lanes(pool, unbounded, unbounded);
  int plain[k_keys] = {};
  std::atomic<int> expected{0};
  const auto submit = [&] {
    for (testing::time_box box; !box.over();) {
      for (std::size_t at = 0; at < 50; ++at) {
        const std::size_t key = at % k_keys;
        if (lanes.try_submit(key, [&plain, key] { ++plain[key]; }).accepted()) ++expected;
      }
    }
  };
  std::thread one(submit);
  submit();
  one.join();
  pool.close();
  pool.join();
  int sum = 0;
  for (const int each : plain) sum += each;
  ASSERT_EQ(sum, expected);
  ASSERT_EQ(lanes.keys(), 0u);
}

TEST(stress, groups_in_groups_on_few_workers) {
  const testing::watchdog dog("groups in groups");
  const auto seed = testing::test_seed();
  SCOPED_TRACE(testing::replay(seed));
  std::mt19937_64 random(seed);
  for (testing::time_box box; !box.over();) {
    thread_pool pool = thread_pool::fixed(testing::pick(random, 1, 3), testing::pick(random, 1, 4));
    const bool fails = random() % 2 == 0;
    const std::size_t limit = testing::pick(random, 1, 4);
    const auto tree = [&](auto& self, int depth) -> int {
      if (depth == 0) {
        if (fails) throw std::runtime_error("leaf");
        return 1;
      }
      int parts[3] = {};
      task_group group(pool, limit);
      for (int& part : parts) group.run([&self, &part, depth] { part = self(self, depth - 1); });
      group.wait();
      return parts[0] + parts[1] + parts[2];
    };
    auto answer = pool.submit([&tree] { return tree(tree, 4); });
    if (fails) {
      ASSERT_THROW(answer.get(), std::runtime_error);
    } else {
      ASSERT_EQ(answer.get(), 81);
    }
  }
}

}  // namespace
}  // namespace weir
