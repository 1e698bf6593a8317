// Many who want in, while others end the pool: every accepted task has one end, and every refusal
// is seen.

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "support/conservation.hpp"
#include "support/eventually.hpp"
#include "support/seed.hpp"
#include "support/time_box.hpp"
#include "support/watchdog.hpp"
#include "weir/this_task.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;

/// What one producer has seen; added up when all are done.
struct tally {
  std::uint64_t accepted = 0;
  std::uint64_t refused = 0;
  std::vector<future<void>> futures;

  void add(submission<void> answer) {
    if (!answer) {
      ++refused;
      return;
    }
    ++accepted;
    futures.push_back(*std::move(answer));
  }
};

/// Runs `work(producer, random)` on several threads at once.
template <class Work>
void together(std::uint64_t seed, std::size_t threads, Work work) {
  std::barrier start(static_cast<std::ptrdiff_t>(threads));
  std::vector<std::thread> all;
  for (std::size_t at = 0; at < threads; ++at) {
    all.emplace_back([&, at] {
      std::mt19937_64 random(seed + at);
      start.arrive_and_wait();
      work(at, random);
    });
  }
  for (auto& each : all) each.join();
}

// Case 26: submit against close, with workers that come and go all the time.
// tck 44, 153.
TEST(stress, submit_against_close_and_destruction) {
  const testing::watchdog dog("submit against close and destruction");
  const auto seed = testing::test_seed();
  SCOPED_TRACE(testing::replay(seed));
  std::mt19937_64 random(seed);
  for (testing::time_box box; !box.over();) {
    std::atomic<std::uint64_t> ran{0};
    std::vector<tally> tallies(4);
    pool_stats end;
    {
      thread_pool pool({.core = testing::pick(random, 0, 1),
                        .max = testing::pick(random, 1, 3),
                        .keep_alive = 1us,
                        .capacity = testing::pick(random, 0, 4)});
      const auto kind = testing::pick(random, 0, 3);
      together(random(), 5, [&](std::size_t at, std::mt19937_64& mine) {
        if (at < 4) {
          for (int task = 0; task < 40; ++task) {
            tallies[at].add(mine() % 4 == 0 ? pool.try_submit_for(1ms, [&] { ++ran; })
                                            : pool.try_submit([&] { ++ran; }));
          }
          return;
        }
        for (std::size_t spin = testing::pick(mine, 0, 2'000); spin > 0; --spin)
          (void)pool.closed();
        if (kind == 0) pool.close();
        if (kind == 1) pool.abort();
        if (kind == 2) pool.shutdown_now().clear();
      });
      end = pool.stats();
      if (kind != 3) {
        pool.join();
        testing::expect_conserved(pool.stats());
      }
    }
    std::uint64_t accepted = 0;
    std::uint64_t started = 0;
    for (auto& each : tallies) {
      accepted += each.accepted;
      for (auto& task : each.futures) {
        ASSERT_TRUE(is_terminal(task.state()));
        started += task.cancellation() != cancellation::never_started ? 1 : 0;
      }
    }
    ASSERT_EQ(end.accepted, accepted);
    ASSERT_EQ(ran, started);
  }
}

// Case 4.
TEST(stress, discard_oldest_with_four_producers) {
  const testing::watchdog dog("discard_oldest with four producers");
  constexpr std::uint64_t k_each = 50'000;
  std::atomic<std::uint64_t> ran{0}, discarded{0}, other{0};
  {
    thread_pool pool(
        {.core = 1, .max = 1, .capacity = 1, .on_saturation = saturation::discard_oldest});
    together(0, 4, [&](std::size_t, std::mt19937_64&) {
      std::vector<future<void>> mine;
      mine.reserve(k_each);
      for (std::uint64_t task = 0; task < k_each; ++task)
        mine.push_back(pool.submit([&] { ++ran; }));
      for (auto& each : mine) {
        try {
          each.get();
        } catch (const task_cancelled& end) {
          ++(end.reason() == cancel_reason::discarded ? discarded : other);
        }
      }
    });
    const pool_stats end = pool.stats();
    EXPECT_EQ(end.discarded, discarded);
    testing::expect_conserved(end);
  }
  EXPECT_EQ(ran + discarded, 4 * k_each);
  EXPECT_EQ(other, 0u);
}

TEST(stress, blocked_submitters_against_abort) {
  const testing::watchdog dog("blocked submitters against abort");
  const auto seed = testing::test_seed();
  SCOPED_TRACE(testing::replay(seed));
  std::mt19937_64 random(seed);
  for (testing::time_box box; !box.over();) {
    thread_pool pool({.core = 0,
                      .max = testing::pick(random, 1, 2),
                      .keep_alive = 1us,
                      .capacity = testing::pick(random, 0, 2),
                      .on_saturation = saturation::block});
    std::atomic<std::uint64_t> accepted{0}, refused{0}, ran{0};
    const std::size_t before = testing::pick(random, 0, 150);
    together(random(), 5, [&](std::size_t at, std::mt19937_64&) {
      if (at == 4) {
        (void)testing::eventually([&] { return accepted >= before; });
        pool.abort();
        return;
      }
      for (int task = 0; task < 50; ++task) {
        try {
          pool.execute([&] { ++ran; });
          ++accepted;
        } catch (const rejected& refusal) {
          EXPECT_EQ(refusal.why(), reject_reason::closed);
          ++refused;
        }
      }
    });
    pool.join();
    const pool_stats end = pool.stats();
    ASSERT_EQ(accepted + refused, 200u);
    ASSERT_EQ(end.accepted, accepted);
    ASSERT_EQ(end.blocked, 0u);
    testing::expect_conserved(end);
  }
}

// R10: a destructor may come while submitters are blocked; they hold no part of the pool
// afterwards.
TEST(stress, blocked_submitters_against_destruction) {
  const testing::watchdog dog("blocked submitters against destruction");
  for (testing::time_box box; !box.over();) {
    auto pool = std::make_unique<thread_pool>(
        pool_options{.core = 1, .max = 1, .capacity = 0, .on_saturation = saturation::block});
    // The body ends when it sees the pool close, so that the destructor may be over before those
    // that it has woken come to themselves.
    pool->execute([] {
      while (!this_task::pool()->closed()) std::this_thread::yield();
    });
    std::atomic<int> woken{0};
    std::vector<std::thread> blocked;
    for (int at = 0; at < 3; ++at) {
      blocked.emplace_back([&, from = pool.get()] {
        EXPECT_THROW(from->execute([] { ADD_FAILURE() << "it runs"; }), rejected);
        ++woken;
      });
    }
    ASSERT_TRUE(testing::eventually([&] { return pool->stats().blocked == 3; }));
    pool.reset();
    for (auto& each : blocked) each.join();
    ASSERT_EQ(woken, 3);
  }
}

// tck 55.
TEST(stress, many_producers_lose_nothing) {
  const testing::watchdog dog("many producers");
  constexpr std::uint64_t k_each = 4'000;
  std::atomic<std::uint64_t> sum{0};
  thread_pool pool({.core = 2, .max = 2, .capacity = unbounded});
  together(0, 8, [&](std::size_t, std::mt19937_64&) {
    for (std::uint64_t number = 1; number <= k_each; ++number) {
      pool.execute([&sum, number] { sum += number; });
    }
  });
  pool.wait_idle();
  EXPECT_EQ(sum, 8 * (k_each * (k_each + 1) / 2));
  EXPECT_EQ(pool.stats().succeeded, 8 * k_each);
  testing::expect_conserved(pool.stats());
}

// Case 11: the only worker's keep-alive ends all the time, just when the next task comes.
// tck 39.
TEST(stress, keep_alive_against_submit) {
  const testing::watchdog dog("keep-alive against submit");
  const auto seed = testing::test_seed();
  SCOPED_TRACE(testing::replay(seed));
  std::mt19937_64 random(seed);
  thread_pool pool({.core = 0, .max = 1, .keep_alive = 1us, .capacity = 1'000});
  for (testing::time_box box; !box.over();) {
    ASSERT_EQ(pool.submit([] { return 1; }).get_for(testing::k_patience), 1);
    for (std::size_t spin = testing::pick(random, 0, 300); spin > 0; --spin) (void)pool.closed();
  }
}

// The same with several workers and with delayed tasks that one of them must wait for.
TEST(stress, keep_alive_against_delayed_tasks) {
  const testing::watchdog dog("keep-alive against delayed tasks");
  const auto seed = testing::test_seed();
  SCOPED_TRACE(testing::replay(seed));
  std::mt19937_64 random(seed);
  thread_pool pool({.core = 0, .max = 3, .keep_alive = 30us, .capacity = 4});
  for (testing::time_box box; !box.over();) {
    std::vector<future<void>> all;
    for (int task = 0; task < 4; ++task) {
      const auto delay = std::chrono::microseconds(testing::pick(random, 0, 120));
      if (auto answer = pool.try_submit_after(delay, [] {})) all.push_back(*std::move(answer));
      if (auto answer = pool.try_submit([] {})) all.push_back(*std::move(answer));
    }
    for (auto& each : all) ASSERT_TRUE(each.wait_for(testing::k_patience));
  }
  pool.wait_idle();
  testing::expect_conserved(pool.stats());
}

}  // namespace
}  // namespace weir
