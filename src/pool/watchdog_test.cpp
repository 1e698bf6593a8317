// G2's watchdog: bodies that run long are reported.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/conservation.hpp"
#include "support/eventually.hpp"
#include "support/gate.hpp"
#include "support/thread_switches.hpp"
#include "support/watchdog.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using testing::eventually;
using testing::gate;

struct report {
  std::uint64_t id;
  std::string name;
  std::string pool;
  std::size_t worker;
  nanoseconds running_for;
};

/// Keeps what the watchdog says.
class reports {
 public:
  [[nodiscard]] auto hook() {
    return [this](const task_info& task, const worker_info& worker, nanoseconds running_for) {
      const std::lock_guard lock(mutex_);
      all_.push_back(
          {task.id, std::string(task.name), std::string(worker.pool), worker.index, running_for});
    };
  }
  [[nodiscard]] std::vector<report> all() const {
    const std::lock_guard lock(mutex_);
    return all_;
  }
  [[nodiscard]] bool reach(std::size_t count) const {
    return eventually([&] { return all().size() >= count; });
  }

 private:
  mutable std::mutex mutex_;
  std::vector<report> all_;
};

pool_options watched(reports& told, clock& source, nanoseconds limit = 10s) {
  pool_options options{.core = 1, .max = 1, .capacity = 16, .clock = &source, .name = "yard"};
  options.watchdog = {.limit = limit, .report = told.hook()};
  return options;
}

/// A body that runs until it is released.
class long_body {
 public:
  explicit long_body(thread_pool& pool, std::string name = "long")
      : task_(pool.submit({.name = std::move(name)}, [this] {
          started_.open();
          release_.wait();
        })) {
    started_.wait();
  }
  ~long_body() { end(); }
  void end() {
    release_.open();
    task_.wait();
  }
  [[nodiscard]] std::uint64_t id() const { return task_.id(); }

 private:
  gate started_;
  gate release_;
  future<void> task_;
};

TEST(watchdog, G2_names_a_body_that_runs_longer_than_the_limit) {
  const testing::watchdog dog("watchdog");
  manual_clock clock;
  reports told;
  thread_pool pool(watched(told, clock));
  long_body body(pool);
  clock.advance(10s);
  ASSERT_TRUE(told.reach(1));
  const report first = told.all()[0];
  EXPECT_EQ(first.id, body.id());
  EXPECT_EQ(first.name, "long");
  EXPECT_EQ(first.pool, "yard");
  EXPECT_EQ(first.worker, 0u);
  EXPECT_EQ(first.running_for, 10s);
}

TEST(watchdog, G2_reports_again_when_the_time_has_doubled) {
  const testing::watchdog dog("watchdog, doubling");
  manual_clock clock;
  reports told;
  thread_pool pool(watched(told, clock));
  long_body body(pool);
  std::size_t heard = 0;
  // The last step skips two doublings: one report.
  for (const nanoseconds step : {10s, 10s, 20s, 460s}) {
    clock.advance(step);
    ASSERT_TRUE(told.reach(++heard));
    EXPECT_EQ(told.all().back().running_for, clock.now().time_since_epoch());
  }
  clock.advance(139s);
  EXPECT_EQ(told.all().size(), heard) << "the next one is due at 640 s";
}

TEST(watchdog, G2_each_body_counts_from_its_own_start) {
  const testing::watchdog dog("watchdog, several bodies");
  manual_clock clock;
  reports told;
  thread_pool pool(watched(told, clock));
  for (int round = 0; round < 5; ++round) {
    long_body body(pool, "short");
    clock.advance(9s);
  }
  long_body body(pool, "long");
  clock.advance(10s);
  ASSERT_TRUE(told.reach(1));
  EXPECT_EQ(told.all().size(), 1u);
  EXPECT_EQ(told.all()[0].name, "long");
  EXPECT_EQ(told.all()[0].running_for, 10s);
}

TEST(watchdog, G2_every_body_is_reported_for_itself) {
  const testing::watchdog dog("watchdog, one after the other");
  manual_clock clock;
  reports told;
  thread_pool pool(watched(told, clock));
  {
    long_body first(pool);
    clock.advance(10s);
    ASSERT_TRUE(told.reach(1));
  }
  {
    long_body second(pool);
    clock.advance(10s);
    ASSERT_TRUE(told.reach(2));
    EXPECT_EQ(told.all()[1].id, second.id());
    EXPECT_EQ(told.all()[1].running_for, 10s);
  }
}

TEST(watchdog, G2_sees_a_body_on_its_caller) {
  const testing::watchdog dog("watchdog, caller runs");
  manual_clock clock;
  reports told;
  auto options = watched(told, clock);
  options.capacity = 0;
  options.on_saturation = saturation::caller_runs;
  thread_pool pool(options);
  long_body held(pool, "held");
  pool.submit({.name = "on its caller"},
              [&] {
                clock.advance(10s);
                ASSERT_TRUE(told.reach(2));
              })
      .get();
  std::size_t callers = 0;
  for (const report& each : told.all()) {
    EXPECT_EQ(each.worker == worker_info::k_caller, each.name == "on its caller");
    callers += each.worker == worker_info::k_caller ? 1 : 0;
  }
  EXPECT_EQ(callers, 1u);
}

TEST(watchdog, G2_what_a_report_throws_goes_to_on_unhandled) {
  const testing::watchdog dog("watchdog, throwing report");
  manual_clock clock;
  gate heard;
  pool_options options{.core = 1, .max = 1, .capacity = 16, .clock = &clock};
  options.watchdog.limit = 1s;
  options.watchdog.report = [](const auto&...) { throw std::runtime_error("no pager"); };
  options.on_unhandled = [&](const std::exception_ptr& error, const task_info& task) {
    EXPECT_EQ(task.name, "long");
    EXPECT_THROW(std::rethrow_exception(error), std::runtime_error);
    heard.open();
  };
  thread_pool pool(options);
  long_body body(pool);
  clock.advance(1s);
  heard.wait();
}

// The report belongs to the pool object: its destructor waits for it.
TEST(watchdog, E4_destruction_waits_for_a_report) {
  const testing::watchdog dog("watchdog × destruction");
  manual_clock clock;
  gate entered;
  std::atomic<bool> destroyed{false};
  std::atomic<bool> over{false};
  {
    pool_options options{.core = 1, .max = 1, .capacity = 16, .clock = &clock};
    options.watchdog.limit = 1s;
    options.watchdog.report = [&](const auto&...) {
      entered.open();
      EXPECT_FALSE(eventually([&] { return destroyed.load(); }, 100ms));
      over = true;
    };
    thread_pool pool(options);
    long_body body(pool);
    clock.advance(1s);
    entered.wait();
    body.end();
    EXPECT_TRUE(pool.wait_idle_for(0s)) << "a report is no work";
  }
  const bool waited = over;
  destroyed = true;
  EXPECT_TRUE(waited);
}

TEST(watchdog, real_time_is_never_early) {
  const testing::watchdog dog("watchdog, real time");
  reports told;
  thread_pool pool(watched(told, steady_clock::instance(), 20ms));
  const auto start = std::chrono::steady_clock::now();
  {
    long_body body(pool);
    ASSERT_TRUE(told.reach(2));
    EXPECT_GE(std::chrono::steady_clock::now() - start, 40ms);
  }
  EXPECT_GE(told.all()[0].running_for, 20ms);
  EXPECT_GE(told.all()[1].running_for, 40ms);
}

/// Real time, as a clock of somebody else's.
class foreign_clock final : public clock {
 public:
  time_point now() const noexcept override { return std::chrono::steady_clock::now() + 1000h; }
  std::optional<std::chrono::steady_clock::time_point> real_time_of(
      time_point due) const noexcept override {
    return due - 1000h;
  }
};

TEST(watchdog, C4_works_on_a_clock_that_only_knows_when_to_look_again) {
  const testing::watchdog dog("watchdog, foreign clock");
  foreign_clock clock;
  reports told;
  auto options = watched(told, clock, 5ms);
  options.core = options.max = 2;
  thread_pool pool(options);
  pool.submit([] {}).get();  // its worker's watch may rest before the other one's rings
  long_body body(pool);
  ASSERT_TRUE(told.reach(3));
}

TEST(watchdog, C2_nobody_polls_while_the_pool_is_idle) {
  const testing::watchdog dog("watchdog, idle");
  reports told;
  thread_pool pool(watched(told, steady_clock::instance(), 1ms));
  for (int round = 0; round < 100; ++round) pool.submit({.timeout = 5ms}, [] {}).get();
  const auto asleep = [](std::chrono::milliseconds time) {
    const auto before = testing::switches_of_threads("weir-guard");
    std::this_thread::sleep_for(time);
    return !before.empty() && before == testing::switches_of_threads("weir-guard");
  };
  ASSERT_TRUE(eventually([&] { return asleep(20ms); })) << "the guard does not come to rest";
  EXPECT_TRUE(asleep(200ms)) << "C2: the guard was switched to";
}

TEST(watchdog, says_a_line_on_stderr_where_nobody_else_listens) {
  const testing::watchdog dog("watchdog, stderr");
  ::testing::internal::CaptureStderr();
  {
    manual_clock clock;
    pool_options options{.core = 1, .max = 1, .capacity = 16, .clock = &clock, .name = "yard"};
    options.watchdog.limit = 10s;
    thread_pool quiet(options);
    long_body crane(quiet, "crane");
    reports told;
    thread_pool pool(watched(told, clock, 16s));
    long_body body(pool);
    clock.advance(15s);
    clock.advance(1s);
    EXPECT_TRUE(told.reach(1));  // the guard reports in turn: the line came before
  }
  EXPECT_THAT(
      ::testing::internal::GetCapturedStderr(),
      ::testing::MatchesRegex("weir: task 1 crane has run for (15|16) s on yard, worker 0\n"));
}

TEST(watchdog, a_negative_limit_is_a_bad_argument) {
  pool_options options{.core = 1, .max = 1, .capacity = 16};
  options.watchdog.limit = -1ns;
  EXPECT_THROW(thread_pool{options}, std::invalid_argument);
}

}  // namespace
}  // namespace weir
