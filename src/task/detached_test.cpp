#include "weir/detail/detached.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <utility>

#include "weir/future.hpp"

namespace {

using namespace weir;
using detail::make_detached;

TEST(detached, runs_once_and_completes_its_future) {
  int runs = 0;
  auto [task, result] = make_detached([&runs] { return ++runs; });
  EXPECT_EQ(result.state(), task_state::queued);
  task();
  EXPECT_FALSE(task.valid());
  EXPECT_EQ(result.get(), 1);
  EXPECT_EQ(runs, 1);
}

TEST(detached, D2_a_failure_reaches_its_future) {
  auto [task, result] = make_detached([] { throw std::runtime_error("no"); });
  task();
  EXPECT_EQ(result.state(), task_state::failed);
  EXPECT_THROW(result.get(), std::runtime_error);
}

TEST(detached, let_go_of_unrun_it_is_cancelled) {
  const auto held = std::make_shared<int>(0);
  auto [task, result] = make_detached([held] {});
  task.reset();
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_EQ(result.state(), task_state::cancelled);
  try {
    result.get();
    FAIL();
  } catch (const task_cancelled& error) {
    EXPECT_EQ(error.reason(), cancel_reason::aborted);
  }
}

TEST(detached, cancelled_by_a_handle_it_never_runs) {
  bool ran = false;
  auto [task, result] = make_detached([&ran] { ran = true; });
  EXPECT_EQ(result.cancel(), cancel_result::cancelled);
  task();
  EXPECT_FALSE(ran);
  EXPECT_EQ(result.cancellation(), cancellation::never_started);
}

TEST(detached, D5_an_unread_failure_without_a_pool_is_one_line_on_stderr) {
  testing::internal::CaptureStderr();
  {
    auto [task, result] = make_detached([] { throw std::runtime_error("lost"); });
    task();
  }
  EXPECT_NE(testing::internal::GetCapturedStderr().find("lost"), std::string::npos);
}

}  // namespace
