#include "weir/executor.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "support/conservation.hpp"
#include "support/gate.hpp"
#include "weir/this_task.hpp"
#include "weir/thread_pool.hpp"

namespace {

using namespace weir;
using weir::testing::held_worker;

static_assert(executor<thread_pool>);

TEST(executor_ref, B5_hands_a_task_to_a_pool_as_it_is) {
  thread_pool pool = thread_pool::fixed(1, 2);
  const executor_ref on = pool;
  auto answer = on.submit([] { return this_task::pool(); });
  EXPECT_EQ(answer.get(), &pool);
  auto moved = on.submit(
      task_options{.name = "named"},
      [held = std::make_unique<int>(7)](int more) { return *held + more; }, 3);
  EXPECT_EQ(moved.id(), 2u);
  EXPECT_EQ(moved.get(), 10);
  EXPECT_EQ(on, executor_ref(pool));
  pool.close();
  pool.join();
  EXPECT_EQ(pool.stats().accepted, 2u);
  weir::testing::expect_conserved(pool.stats());
}

TEST(executor_ref, B3_a_task_cancelled_in_a_pool_gives_its_place_back) {
  thread_pool pool = thread_pool::fixed(1, 1);
  const held_worker held(pool);
  const executor_ref on = pool;
  auto waiting = on.submit([] {});
  EXPECT_EQ(on.try_submit([] {}).why(), reject_reason::saturated);
  EXPECT_EQ(waiting.cancel(), cancel_result::cancelled);
  EXPECT_TRUE(on.try_submit([] {}).accepted());
}

TEST(executor_ref, R11_a_pool_leaves_a_refused_callable_intact) {
  thread_pool pool = thread_pool::fixed(1, 1);
  pool.close();
  const executor_ref on = pool;
  auto task = [held = std::make_unique<int>(1)] { return *held; };
  EXPECT_THROW(on.submit(std::move(task)), rejected);
  EXPECT_THROW(on.execute(std::move(task)), rejected);
  EXPECT_EQ(on.try_submit(std::move(task)).why(), reject_reason::closed);
  EXPECT_EQ(task(), 1);
}

}  // namespace
