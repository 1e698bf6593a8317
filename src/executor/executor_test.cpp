#include "weir/executor.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <vector>

#include "weir/inline_executor.hpp"
#include "weir/manual_executor.hpp"

namespace {

using namespace weir;

static_assert(executor<executor_ref>);
static_assert(executor<inline_executor>);
static_assert(executor<manual_executor>);
static_assert(!executor<int>);
static_assert(sizeof(executor_ref) == 2 * sizeof(void*));
static_assert(std::is_trivially_copyable_v<executor_ref>);

/// Somebody else's executor: it keeps callables, and refuses when it is told to.
class foreign_executor {
 public:
  template <class F>
  auto submit(F&& f) {
    return submit(task_options{}, std::forward<F>(f));
  }
  template <class F>
  auto submit(const task_options&, F&& f) {
    auto [task, result] = detail::make_detached(std::forward<F>(f));
    push(std::move(task));
    return std::move(result);
  }
  template <class F>
  void execute(F&& f) {
    execute(task_options{}, std::forward<F>(f));
  }
  template <class F>
  void execute(const task_options&, F&& f) {
    if (full) throw rejected(reject_reason::saturated, "foreign: full");
    push(detail::make_detached(std::forward<F>(f)).first);
  }
  template <class F>
  auto try_submit(F&& f) {
    return try_submit(task_options{}, std::forward<F>(f));
  }
  template <class F>
  auto try_submit(const task_options&, F&& f) {
    using result = submission<detail::body_result<F>>;
    if (full) return result(reject_reason::saturated);
    return result(submit(std::forward<F>(f)));
  }

  void run_all() {
    for (auto& task : tasks) task();
    tasks.clear();
  }

  bool full = false;
  std::vector<detail::detached_task> tasks;

 private:
  void push(detail::detached_task task) { tasks.push_back(std::move(task)); }
};
static_assert(executor<foreign_executor>);

TEST(executor_ref, R11_a_refused_callable_is_left_intact) {
  manual_executor manual(0);
  foreign_executor foreign;
  foreign.full = true;
  for (const executor_ref on : {executor_ref(manual), executor_ref(foreign)}) {
    auto task = [held = std::make_unique<int>(1)] { return *held; };
    EXPECT_THROW(on.submit(std::move(task)), rejected);
    EXPECT_THROW(on.execute(std::move(task)), rejected);
    EXPECT_FALSE(on.try_submit(std::move(task)).accepted());
    EXPECT_EQ(task(), 1);
  }
}

TEST(executor_ref, runs_inside_a_foreign_callable) {
  foreign_executor foreign;
  const executor_ref on = foreign;
  int runs = 0;
  auto first = on.submit([&runs] { return ++runs; });
  auto second = on.submit([&runs] { return ++runs; });
  auto third = on.try_submit([&runs]() -> int& { return runs; });
  on.execute([&runs] { ++runs; });
  EXPECT_EQ(second.cancel(), cancel_result::cancelled);
  foreign.run_all();
  EXPECT_EQ(first.get(), 1);
  EXPECT_EQ(&third->get(), &runs);
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(second.state(), task_state::cancelled);
}

TEST(executor_ref, what_a_foreign_executor_drops_is_cancelled) {
  foreign_executor foreign;
  const executor_ref on = foreign;
  auto lost = on.submit([] {});
  foreign.tasks.clear();
  EXPECT_EQ(lost.state(), task_state::cancelled);
}

TEST(executor_ref, B7_an_empty_callable_is_refused_before_anything_happens) {
  manual_executor manual;
  EXPECT_THROW(manual.submit(std::function<void()>()), std::invalid_argument);
  EXPECT_THROW(executor_ref(manual).execute(std::function<void()>()), std::invalid_argument);
  EXPECT_EQ(manual.pending(), 0u);
}

TEST(inline_executor, runs_at_once_on_the_caller) {
  const inline_executor here;
  int runs = 0;
  auto done = here.submit([&runs] { return ++runs; });
  EXPECT_EQ(done.state(), task_state::succeeded);
  EXPECT_EQ(done.get(), 1);
  here.execute([&runs] { ++runs; });
  EXPECT_EQ(runs, 2);
  EXPECT_TRUE(here.try_submit([] {}).accepted());
}

TEST(inline_executor, D2_a_failure_stays_in_its_future) {
  const inline_executor here;
  auto failed = here.submit([] { throw std::runtime_error("no"); });
  EXPECT_EQ(failed.state(), task_state::failed);
  EXPECT_THROW(failed.get(), std::runtime_error);
}

TEST(inline_executor, D5_a_failure_without_a_future_is_one_line_on_stderr) {
  ::testing::internal::CaptureStderr();
  inline_executor().execute([] { throw std::runtime_error("nobody reads me"); });
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("nobody reads me"), std::string::npos);
}

TEST(inline_executor, captures_die_before_the_end) {
  const auto held = std::make_shared<int>(0);
  auto done = inline_executor().submit([held] {});
  EXPECT_EQ(held.use_count(), 1);
}

TEST(inline_executor, refuses_tasks_within_tasks_beyond_its_depth) {
  const inline_executor here;
  std::size_t depth = 0;
  reject_reason why{};
  const std::function<void()> deeper = [&] {
    ++depth;
    try {
      here.execute(deeper);
    } catch (const rejected& refused) {
      why = refused.why();
    }
  };
  here.execute(deeper);
  EXPECT_EQ(depth, inline_executor::max_depth);
  EXPECT_EQ(why, reject_reason::saturated);
  EXPECT_EQ(here.submit([] { return 1; }).get(), 1);
}

}  // namespace
