#include "weir/task_group.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <stdexcept>

#include "sync/event.hpp"
#include "sync/thread.hpp"
#include "weir/inline_executor.hpp"
#include "weir/manual_executor.hpp"
#include "weir/this_task.hpp"

namespace {

using namespace weir;

TEST(task_group, F1_wait_runs_what_the_executor_does_not) {
  manual_executor threads;
  task_group group(threads);
  int sum = 0;
  for (int at = 1; at <= 4; ++at) EXPECT_TRUE(group.run([&sum, at] { sum += at; }));
  EXPECT_TRUE(threads.run_one());
  group.wait();
  EXPECT_EQ(sum, 10);
}

TEST(task_group, needs_no_room_in_its_executor) {
  manual_executor threads(0);
  task_group group(threads);
  int runs = 0;
  EXPECT_TRUE(group.run([&runs] { ++runs; }));
  threads.close();
  EXPECT_TRUE(group.run([&runs](int more) { runs += more; }, 2));
  group.wait();
  EXPECT_EQ(runs, 3);
}

// tck 292, case 43
TEST(task_group, F1_the_first_failure_stops_the_others_and_is_thrown) {
  manual_executor threads;
  task_group group(threads, 1);
  int runs = 0;
  for (int at = 1; at <= 7; ++at) {
    group.run([&, at] {
      ++runs;
      if (at == 4) throw std::runtime_error("E");
    });
  }
  try {
    group.wait();
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "E");
  }
  EXPECT_EQ(runs, 4);
  EXPECT_TRUE(group.stopped());
  auto task = [held = std::make_unique<int>(1)] { return *held; };
  EXPECT_FALSE(group.run(std::move(task)));
  EXPECT_EQ(task(), 1);
  EXPECT_THROW(group.wait(), std::runtime_error);
}

TEST(task_group, F2_a_failure_asks_running_siblings_to_stop) {
  manual_executor threads;
  task_group group(threads);
  sync::event runs;
  bool heard = false;
  group.run([&](std::stop_token stop) {
    runs.set();
    sync::event stopped;
    const std::stop_callback hears(stop, [&stopped] { stopped.set(); });
    stopped.wait();
    heard = true;
    throw std::logic_error("because I was asked to stop");
  });
  sync::thread other([&threads] { threads.run_one(); });
  runs.wait();
  group.run([] { throw std::runtime_error("the cause"); });
  EXPECT_THROW(group.wait(), std::runtime_error);
  EXPECT_TRUE(heard);
  other.join();
}

TEST(task_group, the_first_of_two_failures_is_thrown) {
  manual_executor threads;
  task_group group(threads);
  sync::event runs;
  sync::event failed;
  group.run([&] {
    runs.set();
    failed.wait();
    throw std::logic_error("second");
  });
  sync::thread other([&threads] { threads.run_one(); });
  runs.wait();
  group.run([] { throw std::runtime_error("first"); });
  sync::thread opener([&] {
    while (!group.stopped()) {
    }
    failed.set();
  });
  EXPECT_THROW(group.wait(), std::runtime_error);
  other.join();
  opener.join();
}

// case 32
TEST(task_group, A1_the_destructor_waits_and_never_throws) {
  manual_executor threads;
  int runs = 0;
  ::testing::internal::CaptureStderr();
  {
    task_group group(threads);
    group.run([&runs] { ++runs; });
    group.run([] { throw std::runtime_error("nobody waited"); });
  }
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("nobody waited"), std::string::npos);
  EXPECT_EQ(runs, 1);
}

// case 32, the second part
TEST(task_group, an_exception_that_leaves_the_scope_cancels_what_has_not_started) {
  manual_executor threads;
  int runs = 0;
  ::testing::internal::CaptureStderr();
  try {
    task_group group(threads);
    group.run([&runs] { ++runs; });
    throw std::logic_error("out");
  } catch (const std::logic_error&) {
  }
  EXPECT_EQ(runs, 0);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

// tck 294, 296
TEST(task_group, cancel_keeps_what_has_not_started_from_starting) {
  manual_executor threads;
  task_group group(threads);
  int runs = 0;
  group.run([&runs] { ++runs; });
  group.cancel();
  EXPECT_FALSE(group.run([&runs] { ++runs; }));
  threads.run_all();
  try {
    group.wait();
    FAIL();
  } catch (const task_cancelled& error) {
    EXPECT_EQ(error.reason(), cancel_reason::cancelled);
  }
  EXPECT_EQ(runs, 0);
}

TEST(task_group, tasks_may_add_tasks) {
  manual_executor threads;
  task_group group(threads, 2);
  int runs = 0;
  group.run([&] {
    for (int at = 0; at < 3; ++at) group.run([&runs] { ++runs; });
  });
  group.wait();
  EXPECT_EQ(runs, 3);
  group.run([&runs] { ++runs; });
  group.wait();
  EXPECT_EQ(runs, 4);
}

TEST(task_group, wait_wakes_for_a_task_that_is_added_meanwhile) {
  manual_executor threads;
  task_group group(threads);
  sync::event begun;
  sync::event added;
  group.run([&] {
    begun.set();
    group.run([&] { added.set(); });
    added.wait();  // the waiting thread runs it
  });
  sync::thread other([&threads] { threads.run_one(); });
  begun.wait();
  group.wait();
  other.join();
}

TEST(task_group, E3_a_task_may_not_wait_for_its_own_group) {
  const inline_executor here;
  task_group group(here);
  bool refused = false;
  group.run([&] {
    try {
      group.wait();
    } catch (const std::system_error& error) {
      refused = error.code() == std::errc::resource_deadlock_would_occur;
    }
  });
  group.wait();
  EXPECT_TRUE(refused);
}

TEST(task_group, groups_nest_on_one_thread) {
  manual_executor threads;
  int runs = 0;
  task_group outer(threads);
  for (int at = 0; at < 3; ++at) {
    outer.run([&] {
      task_group inner(threads);
      for (int each = 0; each < 3; ++each) inner.run([&runs] { ++runs; });
      inner.wait();
    });
  }
  outer.wait();
  EXPECT_EQ(runs, 9);
  threads.run_all();  // carriers that found nothing to do
}

TEST(task_group, a_waiting_task_that_is_asked_to_stop_cancels_its_group) {
  manual_executor threads;
  int runs = 0;
  future<void> parent;
  parent = threads.submit([&] {
    task_group group(threads);
    group.run([&] {
      ++runs;
      parent.cancel();
      EXPECT_TRUE(this_task::stop_requested());
    });
    group.run([&] { ++runs; });
    group.wait();
  });
  EXPECT_TRUE(threads.run_one());
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(parent.cancellation(), cancellation::threw);
}

TEST(task_group, B7_bad_arguments) {
  manual_executor threads;
  EXPECT_THROW(task_group(threads, 0), std::invalid_argument);
  task_group group(threads);
  EXPECT_THROW(group.run(std::function<void()>()), std::invalid_argument);
  group.wait();
}

}  // namespace
