// What the outside hears: D5, A2 for hooks, the observer, and R27 for start hooks.

#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/conservation.hpp"
#include "support/eventually.hpp"
#include "support/gate.hpp"
#include "support/watchdog.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;
using testing::eventually;
using testing::gate;
using testing::held_worker;

/// Keeps what `on_unhandled` was told.
class reports {
 public:
  [[nodiscard]] auto hook() {
    return [this](std::exception_ptr error, const task_info& info) {
      const std::lock_guard lock(mutex_);
      all_.push_back(std::string(info.name) + ":" + text(error));
    };
  }
  [[nodiscard]] std::vector<std::string> all() const {
    const std::lock_guard lock(mutex_);
    return all_;
  }

 private:
  static std::string text(const std::exception_ptr& error) {
    try {
      std::rethrow_exception(error);
    } catch (const std::exception& known) {
      return known.what();
    } catch (int number) {
      return std::to_string(number);
    }
  }

  mutable std::mutex mutex_;
  std::vector<std::string> all_;
};

pool_options one_worker() { return {.core = 1, .max = 1, .capacity = 16}; }

// Case 31.
// tck 95, 99, 100.
TEST(hooks, D5_escaped_exceptions_are_reported_and_cost_that_task_only) {
  reports heard;
  auto options = one_worker();
  options.on_unhandled = heard.hook();
  thread_pool pool(options);
  pool.execute([] { throw 1; });
  pool.execute({.name = "second"}, [] { throw std::runtime_error("two"); });
  EXPECT_EQ(pool.submit([] { return 5; }).get(), 5);
  EXPECT_EQ(pool.size(), 1u);
  EXPECT_EQ(heard.all(), (std::vector<std::string>{":1", "second:two"}));
  EXPECT_EQ(pool.stats().failed, 2u);
}

// tck 96, 97: nothing stays unheard because a future holds it.
TEST(hooks, D5_a_failure_is_reported_when_its_future_is_dropped_unread) {
  reports heard;
  auto options = one_worker();
  options.on_unhandled = heard.hook();
  thread_pool pool(options);
  {
    auto unread = pool.submit([] { throw std::runtime_error("unread"); });
  }
  pool.wait_idle();
  ASSERT_TRUE(eventually([&] { return heard.all().size() == 1; }));
  EXPECT_EQ(heard.all()[0], ":unread");
  auto late = pool.submit({.name = "late"}, [] { throw std::runtime_error("unread too"); });
  late.wait();
  const task_ref ref = late.ref();
  { const auto dropped = std::move(late); }
  EXPECT_EQ(heard.all().size(), 1u) << "a handle is left";
}

TEST(hooks, D5_a_failure_that_was_read_is_not_reported) {
  reports heard;
  auto options = one_worker();
  options.on_unhandled = heard.hook();
  {
    thread_pool pool(options);
    EXPECT_THROW(pool.submit([] { throw std::runtime_error("read"); }).get(), std::runtime_error);
  }
  EXPECT_TRUE(heard.all().empty());
}

TEST(hooks, D5_after_the_pool_s_death_the_hook_is_not_called) {
  std::atomic<bool> alive{true};
  future<void> outlives;
  {
    auto options = one_worker();
    options.on_unhandled = [&](std::exception_ptr, const task_info&) { EXPECT_TRUE(alive); };
    thread_pool pool(options);
    outlives = pool.submit([] { throw std::runtime_error("unread after the pool"); });
    outlives.wait();
  }
  alive = false;
  ::testing::internal::CaptureStderr();
  outlives = {};
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("unread after the pool"),
            std::string::npos);
}

TEST(hooks, D5_without_a_hook_one_line_goes_to_stderr) {
  ::testing::internal::CaptureStderr();
  {
    thread_pool pool(one_worker());
    pool.execute({.name = "named"}, [] { throw std::runtime_error("what it says"); });
  }
  const std::string printed = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(printed.find("named"), std::string::npos) << printed;
  EXPECT_NE(printed.find("what it says"), std::string::npos) << printed;
  EXPECT_EQ(std::count(printed.begin(), printed.end(), '\n'), 1) << printed;
}

TEST(hooks, D5_a_hook_that_throws_kills_no_worker) {
  auto options = one_worker();
  options.on_unhandled = [](std::exception_ptr, const task_info&) { throw 7; };
  thread_pool pool(options);
  ::testing::internal::CaptureStderr();
  pool.execute([] { throw 1; });
  EXPECT_EQ(pool.submit([] { return 2; }).get(), 2);
  EXPECT_FALSE(::testing::internal::GetCapturedStderr().empty());
}

TEST(hooks, D5_a_drained_execute_body_reports_its_failure) {
  reports heard;
  auto options = one_worker();
  options.on_unhandled = heard.hook();
  thread_pool pool(options);
  held_worker busy(pool);
  pool.execute([] { throw std::runtime_error("drained"); });
  auto drained = pool.shutdown_now();
  drained.at(0)();
  EXPECT_EQ(heard.all(), (std::vector<std::string>{":drained"}));
}

TEST(hooks, start_and_stop_run_on_each_worker_and_see_its_place) {
  std::mutex mutex;
  std::map<std::thread::id, std::size_t> started;
  std::set<std::thread::id> stopped;
  pool_options options{.core = 3, .max = 3, .capacity = 4};
  options.name = "hooked";
  options.on_worker_start = [&](const worker_info& info) {
    const std::lock_guard lock(mutex);
    EXPECT_EQ(info.pool, "hooked");
    started[std::this_thread::get_id()] = info.index;
  };
  options.on_worker_stop = [&](const worker_info& info) {
    const std::lock_guard lock(mutex);
    EXPECT_EQ(started[std::this_thread::get_id()], info.index);
    stopped.insert(std::this_thread::get_id());
  };
  {
    thread_pool pool(options);
    for (int task = 0; task < 3; ++task) pool.submit([] {}).get();
  }
  EXPECT_EQ(started.size(), 3u);
  EXPECT_EQ(stopped.size(), 3u);
  std::set<std::size_t> places;
  for (const auto& [thread, place] : started) places.insert(place);
  EXPECT_EQ(places, (std::set<std::size_t>{0, 1, 2}));
}

// R27, A1: a worker whose start hook throws never serves; what waited for it is not left pending.
// tck 32, 104.
TEST(hooks, R27_a_start_hook_that_throws_strands_no_task) {
  const testing::watchdog dog("a start hook that throws");
  reports heard;
  std::atomic<int> starts{0};
  auto options = one_worker();
  options.on_worker_start = [&](const worker_info&) {
    if (starts++ == 0) throw std::runtime_error("no start");
  };
  options.on_unhandled = heard.hook();
  thread_pool pool(options);
  auto stranded = pool.submit([] {});
  stranded.wait();
  EXPECT_EQ(heard.all(), (std::vector<std::string>{"on_worker_start:no start"}));
  EXPECT_EQ(pool.submit([] { return 3; }).get(), 3) << "the next worker starts";
  testing::expect_accounted(pool.stats());
}

TEST(hooks, R27_a_start_hook_that_always_throws_ends_every_task) {
  const testing::watchdog dog("a start hook that always throws");
  pool_options options{.core = 2, .max = 2, .capacity = 8};
  options.on_worker_start = [](const worker_info&) { throw 1; };
  options.on_unhandled = [](std::exception_ptr, const task_info&) {};
  thread_pool pool(options);
  for (int round = 0; round < 50; ++round) {
    if (auto answer = pool.try_submit([] { ADD_FAILURE() << "it runs"; })) {
      answer->wait();
      EXPECT_EQ(answer->state(), task_state::cancelled);
    }
  }
  pool.close();
  pool.join();
  testing::expect_conserved(pool.stats());
}

// B2: what was to be the lost worker's waits beyond the bound now; nothing may be added to it.
TEST(hooks, R27_a_lost_worker_lets_nobody_in_beyond_the_bound) {
  const testing::watchdog dog("a lost worker and the bound");
  std::atomic<int> starts{0};
  pool_options options{.core = 1, .max = 2, .capacity = 1};
  options.on_worker_start = [&](const worker_info&) {
    if (starts++ == 1) throw std::runtime_error("no second one");
  };
  options.on_unhandled = [](std::exception_ptr, const task_info&) {};
  thread_pool pool(options);
  held_worker busy(pool);
  auto waits = pool.submit([] {});
  auto grows = pool.submit([] {});
  ASSERT_TRUE(eventually([&] { return starts == 2 && pool.size() == 1; }));
  ASSERT_EQ(pool.stats().queued, 2u);
  EXPECT_THROW((void)pool.submit_after(1h, [] {}), rejected);
  busy.release();
  waits.get();
  grows.get();
}

TEST(hooks, the_end_has_not_come_while_a_stop_hook_runs) {
  const testing::watchdog dog("a stop hook that takes its time");
  gate entered, release;
  auto options = one_worker();
  options.on_worker_stop = [&](const worker_info&) {
    entered.open();
    release.wait();
  };
  thread_pool pool(options);
  pool.submit([] {}).get();
  pool.close();
  entered.wait();
  pool.close();  // looks once more whether this was all
  EXPECT_EQ(pool.size(), 0u);
  EXPECT_FALSE(pool.terminated());
  release.open();
  pool.join();
}

TEST(hooks, a_stop_hook_that_throws_is_reported) {
  reports heard;
  auto options = one_worker();
  options.on_worker_stop = [](const worker_info&) { throw std::runtime_error("no stop"); };
  options.on_unhandled = heard.hook();
  {
    thread_pool pool(options);
    pool.submit([] {}).get();
  }
  EXPECT_EQ(heard.all(), (std::vector<std::string>{"on_worker_stop:no stop"}));
}

/// Writes every event down, and asks the pool something from inside to prove that no lock is held.
class recorder final : public observer {
 public:
  void task_accepted(const task_info& task) noexcept override { note("accepted", task); }
  void task_started(const task_info& task, const worker_info& where) noexcept override {
    note(where.index == worker_info::k_caller ? "caller" : "started", task);
  }
  void task_finished(const task_info& task, const worker_info&, task_state end) noexcept override {
    note(to_string(end), task);
  }
  void task_cancelled(const task_info& task, cancel_reason why) noexcept override {
    note(to_string(why), task);
  }
  void worker_started(const worker_info&) noexcept override { ++workers; }
  void worker_stopped(const worker_info&) noexcept override { --workers; }

  [[nodiscard]] std::multiset<std::string> of(std::uint64_t id) const {
    const std::lock_guard lock(mutex_);
    const auto found = events_.find(id);
    return found == events_.end() ? std::multiset<std::string>() : found->second;
  }

  thread_pool* pool = nullptr;
  std::atomic<int> workers{0};

 private:
  void note(const std::string& what, const task_info& task) noexcept {
    if (pool != nullptr) (void)pool->stats();
    const std::lock_guard lock(mutex_);
    events_[task.id].insert(what + " " + std::string(task.name));
  }

  mutable std::mutex mutex_;
  std::map<std::uint64_t, std::multiset<std::string>> events_;
};

using events = std::multiset<std::string>;

// tck 93.
// G3.
TEST(observer, hears_of_every_step_with_the_task_s_name) {
  recorder seen;
  auto options = one_worker();
  options.observer = &seen;
  {
    thread_pool pool(options);
    seen.pool = &pool;
    auto good = pool.submit({.name = "good"}, [] {});
    good.wait();
    auto bad = pool.submit({.name = "bad"}, [] { throw 1; });
    EXPECT_THROW(bad.get(), int);
    held_worker busy(pool);
    auto gone = pool.submit({.name = "gone"}, [] {});
    gone.cancel();
    auto aborted = pool.submit({.name = "last"}, [] {});
    pool.abort();
    EXPECT_EQ(seen.of(good.id()), (events{"accepted good", "started good", "succeeded good"}));
    EXPECT_EQ(seen.of(2), (events{"accepted bad", "started bad", "failed bad"}));
    EXPECT_EQ(seen.of(gone.id()), (events{"accepted gone", "cancelled gone"}));
    EXPECT_EQ(seen.of(aborted.id()), (events{"accepted last", "aborted last"}));
    EXPECT_EQ(seen.workers, 1);
    busy.release();
    pool.join();
    EXPECT_EQ(seen.of(busy.done().id()), (events{"accepted ", "started ", "cancelled "}));
    seen.pool = nullptr;
  }
  EXPECT_EQ(seen.workers, 0);
}

TEST(observer, hears_of_saturation) {
  recorder seen;
  pool_options options{.core = 1, .max = 1, .capacity = 1};
  options.observer = &seen;
  saturation answer = saturation::discard_oldest;
  options.on_saturation = [&](const pool_stats&) { return answer; };
  thread_pool pool(options);
  held_worker busy(pool);
  auto victim = pool.submit({.name = "victim"}, [] {});
  auto taken = pool.submit({.name = "taken"}, [] {});
  EXPECT_EQ(seen.of(victim.id()), (events{"accepted victim", "discarded victim"}));
  answer = saturation::caller_runs;
  auto here = pool.submit({.name = "here"}, [] {});
  EXPECT_EQ(seen.of(here.id()), (events{"accepted here", "caller here", "succeeded here"}));
  answer = saturation::block;
  std::thread blocked([&] { pool.execute({.name = "blocked"}, [] {}); });
  ASSERT_TRUE(eventually([&] { return pool.stats().blocked == 1; }));
  busy.release();
  blocked.join();
  pool.wait_idle();
  EXPECT_EQ(seen.of(taken.id()), (events{"accepted taken", "started taken", "succeeded taken"}));
  EXPECT_EQ(seen.of(here.id() + 1),
            (events{"accepted blocked", "started blocked", "succeeded blocked"}));
}

TEST(observer, hears_the_end_of_a_body_that_was_unwound_by_force) {
  recorder seen;
  reports heard;
  auto options = one_worker();
  options.observer = &seen;
  options.on_unhandled = heard.hook();
  {
    thread_pool pool(options);
    pool.execute({.name = "lost"}, [] { pthread_exit(nullptr); });
    pool.wait_idle();
    ASSERT_TRUE(eventually([&] { return heard.all().size() == 1; }));
  }
  EXPECT_EQ(seen.of(1), (events{"accepted lost", "started lost", "failed lost"}));
  EXPECT_EQ(seen.workers, 0);
}

TEST(hooks, R27_a_body_may_end_the_thread_of_its_caller) {
  auto options = one_worker();
  options.capacity = 1;
  options.on_saturation = saturation::caller_runs;
  reports heard;
  options.on_unhandled = heard.hook();
  thread_pool pool(options);
  testing::held_worker busy(pool);
  pool.execute([] {});
  auto captured = std::make_shared<int>(0);
  std::thread([&pool, &captured] { pool.execute([captured] { pthread_exit(nullptr); }); }).join();
  std::thread([&pool, &captured] {
    (void)pool.submit([captured] { pthread_exit(nullptr); });
  }).join();
  std::thread([&pool, &captured] {
    std::vector<std::function<void()>> one{[captured] { pthread_exit(nullptr); }};
    (void)pool.submit_all(std::move(one));
  }).join();
  EXPECT_EQ(captured.use_count(), 1) << "A4: destroyed once, with the end";
  const pool_stats seen = pool.stats();
  EXPECT_EQ(seen.caller_ran, 3u);
  EXPECT_EQ(seen.failed, 3u);
  EXPECT_EQ(seen.running, 1u) << "the held worker";
  busy.release();
  pool.wait_idle();
}

}  // namespace
}  // namespace weir
