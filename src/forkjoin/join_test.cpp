// join and parallel_invoke on a work_stealing_pool: F1, F2.

#include "weir/join.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "support/eventually.hpp"
#include "support/gate.hpp"
#include "weir/parallel.hpp"
#include "weir/work_stealing_pool.hpp"

namespace weir {
namespace {

using testing::eventually;

long fib(int n) {
  if (n < 2) return n;
  const auto [x, y] = join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return x + y;
}

/// Lets `pool` take the second arm of a guest's join: its threads sleep, so they have asked for
/// work, and one of two may work beside the guest.
void await_sleepers(const work_stealing_pool& pool) {
  ASSERT_TRUE(eventually([&pool] { return pool.stats().sleeping == pool.parallelism(); }));
}

TEST(join, F1_outside_of_every_pool_runs_one_after_the_other) {
  std::string order;
  join([&order] { order += "f"; }, [&order] { order += "g"; });
  EXPECT_EQ(order, "fg");
  EXPECT_EQ(fib(15), 610);
}

TEST(join, F1_counts_right_on_any_number_of_threads) {
  for (const std::size_t threads : {1U, 2U, 3U, 8U}) {
    work_stealing_pool pool(threads);
    EXPECT_EQ(pool.run([] { return fib(22); }), 17711) << threads;
  }
}

TEST(join, F1_gives_what_both_return) {
  work_stealing_pool pool(2);
  int number = 7;
  pool.run([&number] {
    const auto both =
        join([] { return std::make_unique<int>(1); }, [] { return std::string("g"); });
    EXPECT_EQ(*both.first, 1);
    EXPECT_EQ(both.second, "g");
    auto first = join([] { return 5; }, [] {});
    static_assert(std::is_same_v<decltype(first), std::pair<int, std::monostate>>);
    EXPECT_EQ(first.first, 5);
    auto second = join([] {}, [&number]() -> int& { return number; });
    static_assert(std::is_same_v<decltype(second), std::pair<std::monostate, int&>>);
    second.second = 8;
    static_assert(std::is_void_v<decltype(join([] {}, [] {}))>);
  });
  EXPECT_EQ(number, 8);
}

TEST(join, F1_a_taken_arm_gives_its_result_from_there) {
  work_stealing_pool pool(2);
  int number = 7;
  pool.run([&] {
    await_sleepers(pool);
    testing::gate taken;
    std::thread::id there;
    auto both = join([&taken] { taken.wait(); },
                     [&]() -> int& {
                       there = std::this_thread::get_id();
                       taken.open();
                       return number;
                     });
    EXPECT_NE(there, std::this_thread::get_id());
    EXPECT_EQ(&both.second, &number);
    await_sleepers(pool);
    testing::gate again;
    auto owned = join([&again] { again.wait(); },
                      [&again] {
                        again.open();
                        return std::make_unique<int>(3);
                      });
    EXPECT_EQ(*owned.second, 3);
  });
  EXPECT_EQ(pool.stats().steals, 2);
}

TEST(join, F2_an_arm_that_nobody_took_is_not_called_after_the_first_has_thrown) {
  // With one thread, which the guest stands for, nobody takes anything.
  work_stealing_pool pool(1);
  bool called = false;
  const auto fork = [&called] {
    join([]() -> void { throw std::runtime_error("f"); }, [&called] { called = true; });
  };
  EXPECT_THROW(pool.run(fork), std::runtime_error);
  EXPECT_THROW(fork(), std::runtime_error) << "outside";
  EXPECT_FALSE(called);
}

TEST(join, F2_an_exception_waits_for_the_arm_that_was_taken) {
  work_stealing_pool pool(2);
  pool.run([&pool] {
    await_sleepers(pool);
    testing::gate taken;
    testing::gate thrown;
    auto kept = std::make_shared<int>(1);
    bool over = false;
    try {
      join(
          [&]() -> int {
            taken.wait();
            thrown.open();
            throw std::runtime_error("first");
          },
          [&, kept] {
            taken.open();
            thrown.wait();
            over = true;
            return kept;
          });
      FAIL();
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "first");
      EXPECT_TRUE(over);
    }
    EXPECT_EQ(kept.use_count(), 1) << "what it brought was dropped";
  });
}

TEST(join, F2_the_second_arm_s_exception_comes_from_wherever_it_ran) {
  work_stealing_pool pool(2);
  pool.run([&pool] {
    await_sleepers(pool);
    testing::gate taken;
    EXPECT_THROW(join([&taken] { taken.wait(); },
                      [&taken] {
                        taken.open();
                        throw std::out_of_range("there");
                      }),
                 std::out_of_range);
    EXPECT_THROW(join([] {}, [] { throw std::out_of_range("here"); }), std::out_of_range);
    // Both throw: the first one's.
    await_sleepers(pool);
    testing::gate both;
    EXPECT_THROW(join(
                     [&both] {
                       both.wait();
                       throw std::logic_error("first");
                     },
                     [&both] {
                       both.open();
                       throw std::out_of_range("second");
                     }),
                 std::logic_error);
  });
}

// The owner sleeps; what its thief forks then is done by the owner, or by a thread that took its
// seat.
TEST(join, F2_a_thief_of_a_sleeping_owner_is_helped) {
  work_stealing_pool pool(2);
  pool.run([&pool] {
    await_sleepers(pool);
    testing::gate taken;
    testing::gate helped;
    join([&taken] { taken.wait(); },
         [&] {
           taken.open();
           EXPECT_TRUE(eventually([&pool] { return pool.stats().sleeps > 0; }));
           join([&helped] { helped.wait(); }, [&helped] { helped.open(); });
         });
    EXPECT_TRUE(helped.is_open());
  });
}

// A thread that waits for its arm runs nothing strange meanwhile, so what it has set for its thread
// is there afterwards.
TEST(join, F2_case_95_nothing_strange_runs_on_top_of_a_wait) {
  static thread_local int whose = -1;
  work_stealing_pool pool(4);
  std::atomic<int> mismatches{0};
  for (int round = 0; round < 20; ++round) {
    pool.run([&mismatches] {
      parallel_for(0, 200, [&mismatches](int i) {
        whose = i;
        (void)fib(8);
        if (whose != i) ++mismatches;
      });
    });
  }
  EXPECT_EQ(mismatches, 0);
}

TEST(join, F1_parallel_invoke_calls_each_once) {
  work_stealing_pool pool(2);
  std::array<int, 5> calls{};
  pool.run([&calls] {
    parallel_invoke([&] { ++calls[0]; }, [&] { ++calls[1]; }, [&] { ++calls[2]; },
                    [&] { ++calls[3]; }, [&] { return ++calls[4]; });
  });
  EXPECT_EQ(calls, (std::array<int, 5>{1, 1, 1, 1, 1}));
}

void go_down(int left, int& depth) {
  if (left == 0) return;
  ++depth;
  join([left, &depth] { go_down(left - 1, depth); }, [] {});
}

// More open forks than a thread has places for.
TEST(join, F2_forks_deeper_than_the_stack_of_jobs_are_plain_calls) {
  constexpr int deep = static_cast<int>(sync::k_fork_slots) + 100;
  work_stealing_pool pool(2);
  int depth = 0;
  pool.run([&depth] { go_down(deep, depth); });
  EXPECT_EQ(depth, deep);
}

TEST(join, F1_one_pool_s_thread_may_visit_another_pool) {
  work_stealing_pool outer(2);
  work_stealing_pool inner(2);
  const long sum = outer.run([&inner] {
    const auto [x, y] = join([&inner] { return inner.run([] { return fib(15); }); },
                             [&inner] { return inner.run([] { return fib(16); }); });
    return x + y;
  });
  EXPECT_EQ(sum, fib(17));
}

// It comes back to a pool that it works for already, below another one: more often than there are
// places.
TEST(work_stealing_pool, F1_from_pool_to_pool_and_back) {
  work_stealing_pool here(1);
  work_stealing_pool there(1);
  const std::function<long(int)> bounce = [&](int left) -> long {
    if (left == 0) return fib(10);
    work_stealing_pool& next = left % 2 == 0 ? here : there;
    return next.run(
        [&] { return join([&] { return bounce(left - 1); }, [] { return 1L; }).first; });
  };
  EXPECT_EQ(bounce(30), 55);
}

// Two callers without a place, and two sleepers: each gets one, though guests hold all seats.
TEST(work_stealing_pool, F1_nobody_who_waits_outside_is_forgotten) {
  work_stealing_pool pool(2);
  await_sleepers(pool);
  testing::gate leave;
  std::atomic<int> inside{0};
  std::vector<std::thread> callers;
  for (std::size_t i = 0; i < sync::k_fork_guests + pool.parallelism(); ++i) {
    callers.emplace_back([&] {
      pool.run([&] {
        ++inside;
        leave.wait();
      });
    });
  }
  EXPECT_TRUE(eventually([&] { return inside == static_cast<int>(callers.size()); }));
  leave.open();
  for (auto& each : callers) each.join();
}

TEST(work_stealing_pool, F1_results_of_every_kind) {
  work_stealing_pool pool(2);
  EXPECT_EQ(pool.run([]() -> const std::string { return "constant"; }), "constant");
  EXPECT_TRUE(pool.run([] { return true; }));
  struct made {
    explicit made(int from) : number(from) {}
    int number;
  };
  EXPECT_EQ(pool.run([] { return made(7); }).number, 7);
  EXPECT_THROW(work_stealing_pool(-1), std::invalid_argument);
}

TEST(work_stealing_pool, F1_more_callers_than_places_for_guests) {
  work_stealing_pool pool(2);
  std::vector<std::thread> callers;
  std::array<long, 12> sums{};
  for (long& sum : sums) {
    callers.emplace_back([&pool, &sum] {
      for (int round = 0; round < 20; ++round) sum += pool.run([] { return fib(12); });
    });
  }
  for (auto& each : callers) each.join();
  for (const long sum : sums) EXPECT_EQ(sum, 20 * 144);
}

// A guest stands for one of the pool's threads.
TEST(work_stealing_pool, F1_as_many_threads_work_as_were_asked_for) {
  work_stealing_pool pool(1);
  pool.run([&pool] {
    await_sleepers(pool);
    const auto guest = std::this_thread::get_id();
    std::atomic<int> strangers{0};
    parallel_for(0, 100, [&](int) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      strangers += std::this_thread::get_id() == guest ? 0 : 1;
    });
    EXPECT_EQ(strangers, 0);
  });
}

// While there were two guests nobody was to be woken; the one that is left gets a thread.
TEST(work_stealing_pool, F1_a_guest_that_goes_leaves_its_seat_to_a_sleeper) {
  work_stealing_pool pool(2);
  testing::gate inside;
  testing::gate leave;
  std::thread second([&] {
    pool.run([&] {
      inside.open();
      leave.wait();
    });
  });
  pool.run([&] {
    inside.wait();
    await_sleepers(pool);
    join([] {}, [] {});  // serves the sleepers' wish, in vain
    leave.open();
    second.join();
    testing::gate taken;
    join([&taken] { taken.wait(); }, [&taken] { taken.open(); });
  });
}

// Each that finds work leaves another one searching, as long as there is somebody.
TEST(work_stealing_pool, F1_one_after_the_other_is_woken) {
  work_stealing_pool pool(3);
  pool.run([&pool] {
    await_sleepers(pool);
    testing::gate second;
    join(
        [&second] {
          join(
              [&second] {
                while (!second.is_open()) join([] {}, [] {});
              },
              [&second] { second.open(); });
        },
        [&second] { second.wait(); });
  });
  EXPECT_GE(pool.stats().steals, 2U);
}

TEST(work_stealing_pool, F1_run_hands_through_what_f_returns_and_throws) {
  work_stealing_pool pool(1);
  int number = 1;
  int& same = pool.run([&number]() -> int& { return number; });
  EXPECT_EQ(&same, &number);
  EXPECT_THROW(pool.run([]() -> int { throw std::logic_error("f"); }), std::logic_error);
  EXPECT_FALSE(pool.is_inside());
  pool.run([&pool] {
    EXPECT_TRUE(pool.is_inside());
    EXPECT_EQ(pool.run([] { return 3; }), 3) << "inside it is a plain call";
  });
}

TEST(work_stealing_pool, F1_refuses_a_parallelism_that_makes_no_sense) {
  EXPECT_THROW(work_stealing_pool(0), std::invalid_argument);
  EXPECT_THROW(work_stealing_pool(1001), std::invalid_argument);
}

TEST(work_stealing_pool, F2_threads_without_work_sleep) {
  work_stealing_pool pool(3);
  EXPECT_EQ(pool.run([] { return fib(18); }), 2584);
  await_sleepers(pool);
}

}  // namespace
}  // namespace weir
