// What Java's rules say of hooks (rules 92 to 105), beyond what src/pool/hooks_test.cpp holds.

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "support/conservation.hpp"
#include "support/eventually.hpp"
#include "support/gate.hpp"
#include "support/watchdog.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;

// tck 94, 98: an observer cannot throw, so there is no rule for it to need.
static_assert(noexcept(std::declval<observer&>().task_started({}, {})));
static_assert(noexcept(std::declval<observer&>().task_finished({}, {}, {})));

class thread_recorder final : public observer {
 public:
  void task_started(const task_info&, const worker_info&) noexcept override {
    started.push_back(std::this_thread::get_id());
  }
  void task_finished(const task_info&, const worker_info&, task_state) noexcept override {
    finished.push_back(std::this_thread::get_id());
  }
  std::vector<std::thread::id> started, finished;
};

// tck 92, 93: on the thread of the body, before and after it, once each, also when it throws.
TEST(hooks, A2_start_and_finish_are_heard_on_the_worker_of_the_body) {
  thread_recorder seen;
  pool_options options{.core = 1, .max = 1, .capacity = 4};
  options.observer = &seen;
  std::vector<std::thread::id> ran;
  thread_pool pool(options);
  for (const bool throws : {false, true, false}) {
    auto task = pool.submit([&, throws] {
      EXPECT_EQ(seen.started.size(), ran.size() + 1);
      EXPECT_EQ(seen.finished.size(), ran.size());
      ran.push_back(std::this_thread::get_id());
      if (throws) throw std::runtime_error("of its own");
    });
    task.wait();
    if (throws) {
      EXPECT_THROW(task.get(), std::runtime_error);
    }
    EXPECT_EQ(seen.finished.size(), ran.size()) << "heard before the future is terminal";
  }
  EXPECT_EQ(seen.started, ran);
  EXPECT_EQ(seen.finished, ran);
}

/// What a hook may ask of its own pool: everything that does not wait.
void use_controls(thread_pool& pool) {
  (void)pool.stats();
  (void)pool.size();
  (void)pool.try_submit([] {});
  (void)pool.cancel_pending();
  pool.close();
  EXPECT_TRUE(pool.closed());
  (void)pool.abort();
  EXPECT_TRUE(pool.shutdown_now().empty());
}

using hook_setter = std::function<void(pool_options&, std::function<void()>)>;

// tck 103: hooks run outside of locks, so the pool's controls are theirs.
TEST(hooks, A2_every_hook_may_use_the_controls_of_its_pool) {
  const testing::watchdog dog("controls inside hooks");
  const hook_setter hooks[] = {
      [](pool_options& to, auto use) { to.on_worker_start = [use](const worker_info&) { use(); }; },
      [](pool_options& to, auto use) { to.on_worker_stop = [use](const worker_info&) { use(); }; },
      [](pool_options& to, auto use) {
        to.on_unhandled = [use](std::exception_ptr, const task_info&) { use(); };
      },
      [](pool_options& to, auto use) {
        to.on_saturation = [use](const pool_stats&) {
          use();
          return saturation::reject;
        };
      },
  };
  for (const hook_setter& set : hooks) {
    thread_pool* self = nullptr;
    std::atomic<int> used{0};
    pool_options options{.core = 1, .max = 1, .capacity = 0};
    options.on_unhandled = [](std::exception_ptr, const task_info&) {};
    set(options, [&] {
      if (used++ == 0) use_controls(*self);
    });
    thread_pool pool(options);
    self = &pool;
    pool.execute([] { throw std::runtime_error("unheard"); });
    testing::gate release;
    for (int more = 0; more < 2; ++more) {
      try {
        pool.execute([&] { release.wait(); });
      } catch (const rejected&) {
      }
    }
    release.open();
    pool.close();
    pool.join();
    EXPECT_GE(used, 1);
    testing::expect_conserved(pool.stats());
  }
}

/// How a pool that nobody has closed comes to its end.
enum class end { unused, used, on_its_own_worker };

// tck 101: once, whoever ends it, and before the destructor is over where that joins.
TEST(hooks, E6_on_terminated_is_called_once_by_a_destructor) {
  const testing::watchdog dog("on_terminated in a destructor");
  for (const end how : {end::unused, end::used, end::on_its_own_worker}) {
    std::atomic<int> told{0};
    pool_options options{.core = 2, .max = 2, .capacity = 4};
    options.on_terminated = [&told] { ++told; };
    auto pool = std::make_shared<thread_pool>(options);
    if (how == end::used) pool->submit([] {}).get();
    if (how == end::on_its_own_worker) {
      testing::gate go;
      auto last = pool->submit([&go, mine = pool]() mutable {
        go.wait();
        mine.reset();
      });
      pool.reset();
      go.open();
      last.get();
      EXPECT_TRUE(testing::eventually([&] { return told == 1; }));
    }
    pool.reset();
    EXPECT_EQ(told, 1);
  }
}

}  // namespace
}  // namespace weir
