// The guard's thread: R5's start, end, fork and want of threads.

#include "pool/guard.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <stop_token>
#include <system_error>
#include <thread>

#include "support/gate.hpp"
#include "support/thread_famine.hpp"
#include "support/watchdog.hpp"
#include "task/extras.hpp"
#include "task/state_word.hpp"
#include "weir/detail/task_node.hpp"
#include "weir/thread_pool.hpp"

namespace weir::detail {
namespace {

using namespace std::chrono_literals;

/// A task whose body runs, as far as its word tells, with an alarm of its own.
class running_task {
 public:
  running_task() : task_(make_node<false>([] {})) {
    task_->extras.store(new task_extras, sync::relaxed);
    EXPECT_TRUE(try_start(*task_));
    mine_.task = task_;
  }
  ~running_task() {
    (void)publish(*task_, fix_outcome(*task_, false));
    task_->ops->drop_callable(*task_);
    release(task_);
  }
  running_task(const running_task&) = delete;
  running_task& operator=(const running_task&) = delete;

  void arm(guard& watch, std::chrono::nanoseconds limit) {
    (void)watch.arm_limit(watch.real_time(), mine_, sync::real_now(), limit);
  }
  [[nodiscard]] alarm& mine() noexcept { return mine_; }
  void wait_for_request() const {
    while (state_of(*task_) == task_state::running) std::this_thread::yield();
  }

 private:
  task_base* task_;
  alarm mine_;
};

TEST(guard, R5_starts_one_thread_and_ends_it) {
  const testing::watchdog dog("guard");
  guard watch;
  watch.start();
  watch.start();
  running_task task;
  task.arm(watch, 1ms);
  task.wait_for_request();
  watch.disarm(task.mine());
  watch.stop();
  watch.stop();
}

TEST(guard, R5_what_was_armed_before_its_start_rings) {
  const testing::watchdog dog("guard, late start");
  guard watch;
  running_task task;
  task.arm(watch, 1ms);
  watch.start();
  task.wait_for_request();
  watch.disarm(task.mine());
  watch.stop();
}

TEST(guard, R5_a_thread_that_cannot_be_had_may_be_had_later) {
  guard watch;
  {
    const testing::thread_famine famine;
    EXPECT_THROW(watch.start(), std::system_error);
  }
  watch.start();
  watch.stop();
}

// In a process of its own, whose guard has not started.
TEST(guard, R5_the_first_limit_is_refused_before_acceptance_for_want_of_a_thread) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto refused = [] {
    thread_pool pool({.core = 1, .max = 1, .capacity = 4});
    pool.submit([] {}).get();
    auto parcel = std::make_unique<int>(7);
    auto body = [parcel = std::move(parcel)] { return *parcel; };
    const testing::thread_famine famine;
    try {
      (void)pool.submit({.timeout = 1h}, std::move(body));
    } catch (const std::system_error&) {
      const bool intact = body() == 7;
      const bool others = pool.submit([] { return true; }).get();
      return intact && others && pool.stats().accepted == 2;
    }
    return false;
  };
  EXPECT_EXIT(std::exit(refused() ? 0 : 1), ::testing::ExitedWithCode(0), "");
}

TEST(guard, R5_a_process_may_end_while_a_stop_callback_runs) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto end_inside = [] {
    auto& pool = *new thread_pool({.core = 1, .max = 1, .capacity = 4});
    auto& called = *new testing::gate;
    auto& never = *new testing::gate;
    pool.execute({.timeout = 1ms}, [&](std::stop_token stop) {
      const std::stop_callback on_stop(stop, [&] {
        called.open();
        never.wait();
      });
      never.wait();
    });
    called.wait();
    std::exit(0);
  };
  EXPECT_EXIT(end_inside(), ::testing::ExitedWithCode(0), "");
}

// E7: the child has neither the thread nor those whose alarms were armed.
TEST(guard, E7_works_in_the_child_of_a_fork) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer starts no threads in such a child";
#endif
  const testing::watchdog dog("guard × fork");
  guard watch;
  watch.start();
  running_task before;
  before.arm(watch, 1h);
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    watch.disarm(before.mine());
    watch.start();
    running_task after;
    after.arm(watch, 1ms);
    after.wait_for_request();
    watch.stop();
    ::_exit(before.mine().heap == nullptr ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  watch.disarm(before.mine());
  watch.stop();
}

}  // namespace
}  // namespace weir::detail
