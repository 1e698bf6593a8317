#include "model/explorer.hpp"

#include <gtest/gtest.h>

#include "sync/futex.hpp"
#include "sync/mutex.hpp"
#include "sync/thread.hpp"

/// The explorer's own tests: kernels that are known to be broken must be caught, and their mended
/// twins must pass.
namespace weir::model {
namespace {

using sync::atomic;
using sync::thread;

constexpr auto k_tso = memory_model::total_store_order;
constexpr auto k_views = memory_model::views;

/// The failure is found, names what is wrong, and comes back when replayed.
void expect_caught(memory_model model, const std::string& what, void (*kernel)(),
                   const options& how = {.timed = false}) {
  const report found = explore(how, model, kernel);
  EXPECT_NE(found.failure.find(what), std::string::npos) << "found instead: " << found.failure;
  if (found.failure.empty()) return;
  const report again = replay(how, found.choices, kernel);
  EXPECT_EQ(found.failure, again.failure) << found.choices;
  EXPECT_TRUE(again.steps == 0 || !again.trace.empty());
}

void expect_holds(memory_model model, void (*kernel)(), const options& how = {.timed = false}) {
  const report found = explore(how, model, kernel);
  EXPECT_EQ(found.failure, "") << found.choices;
  EXPECT_EQ(found.bound_done, static_cast<int>(model == k_views ? how.views_bound : how.bound));
  std::printf("    %llu executions\n", static_cast<unsigned long long>(found.executions));
}

void expect_caught(const std::string& what, void (*kernel)()) {
  expect_caught(k_tso, what, kernel);
  expect_caught(k_views, what, kernel);
}
void expect_holds(void (*kernel)()) {
  expect_holds(k_tso, kernel);
  expect_holds(k_views, kernel);
}

template <class First, class Second>
void run_both(First first, Second second) {
  thread one(first);
  thread two(second);
  one.join();
  two.join();
}

// A sleeper that looks, and sleeps without the kernel looking again.
template <bool Mended>
void check_then_sleep() {
  atomic<std::uint32_t> ready{0};
  atomic<std::uint32_t> bell{0};
  run_both(
      [&] {
        while (ready.load() == 0) sync::futex_wait(Mended ? ready : bell, 0, {});
      },
      [&] {
        ready.store(1);
        sync::futex_wake(Mended ? &ready : &bell, 1);
      });
}

TEST(explorer, catches_a_lost_wake_up) {
  expect_caught("deadlock", check_then_sleep<false>);
  expect_holds(check_then_sleep<true>);
}

// Pop, pop, push of the first again: the head looks untouched to whoever read it before.
template <bool Tagged>
void treiber_stack() {
  static constexpr std::uint64_t k_tag = std::uint64_t{1} << 32;
  sync::atomic<std::uint32_t> next[3] = {1, 2, 0};  // 0 is the bottom
  atomic<std::uint64_t> head{0};
  const auto index = [](std::uint64_t word) { return static_cast<std::uint32_t>(word); };
  const auto pop = [&] {
    std::uint64_t seen = head.load();
    for (;;) {
      if (index(seen) == 3) return 3u;
      const std::uint64_t after = next[index(seen)].load() | ((seen & ~(k_tag - 1)) + k_tag);
      if (head.compare_exchange_strong(seen, Tagged ? after : index(after))) return index(seen);
    }
  };
  const auto push = [&](std::uint32_t which) {
    std::uint64_t seen = head.load();
    for (;;) {
      next[which].store(index(seen));
      const std::uint64_t after = which | ((seen & ~(k_tag - 1)) + k_tag);
      if (head.compare_exchange_strong(seen, Tagged ? after : index(after))) return;
    }
  };
  next[2].store(3);
  bool held[3] = {};
  std::uint32_t kept = 3;
  run_both([&] { kept = pop(); },
           [&] {
             const std::uint32_t first = pop();
             const std::uint32_t second = pop();
             if (second < 3) held[second] = true;
             if (first < 3) push(first);
           });
  // Whatever is in the stack or kept by the first thread is not held by the second.
  if (kept < 3) MODEL_CHECK(!held[kept]);
  for (std::uint32_t at = pop(); at < 3; at = pop()) MODEL_CHECK(!held[at]);
}

TEST(explorer, catches_an_aba_on_a_stack) {
  expect_caught("held[at]", treiber_stack<false>);
  expect_holds(treiber_stack<true>);
}

// Dekker's entry: each says that it comes, then looks for the other.
template <std::memory_order Store, std::memory_order Load>
void store_then_load() {
  atomic<int> first{0};
  atomic<int> second{0};
  int seen_by_first = -1;
  int seen_by_second = -1;
  run_both(
      [&] {
        first.store(1, Store);
        seen_by_first = second.load(Load);
      },
      [&] {
        second.store(1, Store);
        seen_by_second = first.load(Load);
      });
  MODEL_CHECK(seen_by_first == 1 || seen_by_second == 1);
}

TEST(explorer, catches_a_store_that_waits_behind_a_load) {
  expect_caught("seen_by", store_then_load<sync::release, sync::acquire>);
  expect_caught("seen_by", store_then_load<sync::release, sync::seq_cst>);
  expect_holds(store_then_load<sync::seq_cst, sync::seq_cst>);
}

// A word is published: whoever sees the flag reads the word.
template <std::memory_order Store, std::memory_order Load>
void publish() {
  atomic<bool> flag{false};
  int word = 0;
  run_both(
      [&] {
        word = 7;
        flag.store(true, Store);
      },
      [&] {
        if (flag.load(Load)) MODEL_CHECK(word == 7);
      });
}

TEST(explorer, catches_a_missing_release_or_acquire_as_a_data_race) {
  expect_caught("data race", publish<sync::relaxed, sync::acquire>);
  expect_caught("data race", publish<sync::release, sync::relaxed>);
  expect_holds(publish<sync::release, sync::acquire>);
}

// The same with atomics on both sides: no data race, but the old word, which TSO never shows.
template <std::memory_order Order>
void publish_atomically() {
  atomic<bool> flag{false};
  atomic<int> word{0};
  run_both(
      [&] {
        word.store(7, sync::relaxed);
        flag.store(true, Order);
      },
      [&] {
        if (flag.load(sync::acquire)) MODEL_CHECK(word.load(sync::relaxed) == 7);
      });
}

TEST(explorer, catches_under_views_what_tso_never_shows) {
  expect_holds(k_tso, publish_atomically<sync::relaxed>);
  expect_caught(k_views, "word.load", publish_atomically<sync::relaxed>);
  expect_holds(publish_atomically<sync::release>);
}

// Two owners of two things, told in two orders.
template <std::memory_order Order>
void independent_reads() {
  atomic<int> x{0};
  atomic<int> y{0};
  int seen[4] = {};
  thread a([&] { x.store(1, Order); });
  thread b([&] { y.store(1, Order); });
  constexpr auto k_load = Order == sync::seq_cst ? Order : sync::acquire;
  run_both([&] { seen[0] = x.load(k_load), seen[1] = y.load(k_load); },
           [&] { seen[2] = y.load(k_load), seen[3] = x.load(k_load); });
  a.join();
  b.join();
  MODEL_CHECK(!(seen[0] == 1 && seen[1] == 0 && seen[2] == 1 && seen[3] == 0));
}

TEST(explorer, keeps_one_order_of_seq_cst_alone) {
  const options how{.bound = 2, .delays = true, .timed = false};
  expect_holds(k_tso, independent_reads<sync::seq_cst>, how);
  expect_holds(k_views, independent_reads<sync::seq_cst>, how);
  expect_holds(k_tso, independent_reads<sync::release>, how);
  expect_caught(k_views, "seen[0]", independent_reads<sync::release>, how);
}

template <bool Mended>
void two_mutexes() {
  sync::mutex a;
  sync::mutex b;
  const auto take = [](sync::mutex& first, sync::mutex& second) WEIR_NO_THREAD_SAFETY_ANALYSIS {
    first.lock();
    second.lock();
    second.unlock();
    first.unlock();
  };
  run_both([&] { take(a, b); }, [&] { Mended ? take(a, b) : take(b, a); });
}

TEST(explorer, catches_a_deadlock_of_two_mutexes) {
  expect_caught("deadlock", two_mutexes<false>);
  expect_holds(two_mutexes<true>);
}

struct sleeper {
  atomic<std::uint32_t> word{0};
};

// The waiter frees its record as soon as it has been told; the waker must not look at it again.
template <bool Mended>
void waker_after_free() {
  auto* record = new sleeper;
  run_both(
      [record] {
        while (record->word.load() == 0) sync::futex_wait(record->word, 0, {});
        delete record;
      },
      [record] {
        const auto* address = &record->word;
        record->word.store(1);
        if (!Mended && record->word.load() != 1) return;
        sync::futex_wake(address, 1);
      });
}

TEST(explorer, catches_a_use_after_free_by_a_waker) {
  expect_caught("1 frees", waker_after_free<false>);
  expect_holds(waker_after_free<true>);
  expect_caught("use after free", [] {
    auto* record = new sleeper;
    thread other([record] { delete record; });
    other.join();
    record->word.store(1);
  });
}

// A store may still be on its way when its own thread frees the memory.
TEST(explorer, a_late_store_may_meet_the_free_of_its_own_thread) {
  expect_holds([] {
    auto* record = new sleeper;
    record->word.store(1, sync::relaxed);
    delete record;
  });
}

// The last owner frees what the others have written.
template <std::memory_order Order>
void count_owners() {
  struct shared {
    atomic<int> owners{2};
    int written[2] = {};
  };
  auto* object = new shared;
  const auto drop = [object](int who) {
    object->written[who] = 1;
    if (object->owners.fetch_sub(1, Order) == 1) delete object;
  };
  run_both([&] { drop(0); }, [&] { drop(1); });
}

TEST(explorer, catches_a_relaxed_count_of_owners) {
  expect_caught("data race", count_owners<sync::relaxed>);
  expect_caught("data race", count_owners<sync::release>);
  expect_holds(count_owners<sync::acq_rel>);
}

// By the functions, not by expressions, which a compiler may leave out.
void leak() {
  void* volatile kept = ::operator new(8);
  (void)kept;
}
void double_free() {
  void* volatile block = ::operator new(8);
  ::operator delete(block);
  ::operator delete(block);
}
void spin_for_ever() {
  atomic<int> never{0};
  while (never.load() == 0) sync::spin_pause();
}
void unlock_of_another() {
  sync::mutex mine;
  thread other([&]() WEIR_NO_THREAD_SAFETY_ANALYSIS { mine.unlock(); });
  other.join();
}

int grow(int* above) {
  if (*above == 0) return 0;
  int here[64] = {*above};
  return grow(here) + here[63];
}
void run_out_of_stack() {
  thread deep([] {
    int bottom = 1;
    MODEL_CHECK(grow(&bottom) == 0);
  });
  deep.join();
}
void call_nothing() {
  void (*volatile nothing)() = nullptr;
  nothing();
}

TEST(explorer, turns_crashes_into_failures) {
  expect_caught("crash", run_out_of_stack);
  expect_caught("crash", call_nothing);
}

TEST(explorer, catches_leaks_double_frees_livelocks_and_wrong_unlocks) {
  expect_caught("leak", leak);
  expect_caught("freed twice", double_free);
  expect_caught("livelock", spin_for_ever);
  expect_caught("nobody holds", unlock_of_another);
}

TEST(explorer, notices_a_program_that_depends_on_something_else) {
  static int k_runs = 0;
  expect_holds(k_tso, [] {});
  const report found = explore({}, k_tso, [] {
    atomic<int> word{0};
    const bool odd = ++k_runs % 2 == 1;
    run_both(
        [&] {
          word.store(1);
          if (odd) word.store(2);
        },
        [&] { word.store(3); });
  });
  EXPECT_NE(found.failure.find("no choice"), std::string::npos) << found.failure;
}

TEST(explorer, lets_deadlines_pass_early_and_when_nobody_else_runs) {
  expect_holds(k_tso, [] {
    atomic<std::uint32_t> word{0};
    const auto start = sync::real_now();
    const auto until = start + std::chrono::seconds(5);
    MODEL_CHECK(!sync::futex_wait(word, 0, until));
    MODEL_CHECK(sync::real_now() >= until);
  });
  expect_caught(k_tso, "ended by time", [] {
    atomic<std::uint32_t> word{0};
    run_both(
        [&] {
          const auto until = sync::real_now() + std::chrono::seconds(5);
          if (!sync::futex_wait(word, 0, until)) fail("ended by time");
        },
        [&] {
          word.store(1);
          sync::futex_wake(&word, 1);
        });
  });
}

TEST(explorer, lets_weak_swaps_sleeps_and_threads_fail_where_asked_to) {
  const auto swap = [] {
    atomic<int> word{0};
    int expected = 0;
    MODEL_CHECK(word.compare_exchange_weak(expected, 1));
  };
  const auto sleep = [] {
    atomic<std::uint32_t> word{0};
    thread teller([&] {
      word.store(1);
      sync::futex_wake(&word, 1);
    });
    (void)sync::futex_wait(word, 0, {});
    MODEL_CHECK(word.load() == 1);
    teller.join();
  };
  const options spurious{.spurious = true, .timed = false};
  expect_holds(k_tso, swap);
  expect_caught(k_tso, "compare_exchange_weak", swap, spurious);
  expect_holds(k_tso, sleep);
  expect_caught(k_tso, "word.load() == 1", sleep, spurious);
  expect_caught(k_tso, "std::terminate", [] {
    let_threads_fail();
    thread refused([] {});
    refused.join();
  });
}

TEST(explorer, refuses_a_choice_string_that_is_none) {
  EXPECT_THROW((void)replay({}, "tso:1-2", leak), std::invalid_argument);
  EXPECT_THROW((void)replay({}, "1.2", leak), std::invalid_argument);
  EXPECT_NE(replay({}, "tso:900.1", spin_for_ever).failure, "");
}

TEST(explorer, random_executions_find_and_replay) {
  options how;
  how.bound = how.views_bound = 0;
  how.random_executions = 2000;
  const report found = explore(how, k_tso, store_then_load<sync::release, sync::acquire>);
  ASSERT_NE(found.failure, "");
  EXPECT_EQ(replay(how, found.choices, store_then_load<sync::release, sync::acquire>).failure,
            found.failure);
}

}  // namespace
}  // namespace weir::model
