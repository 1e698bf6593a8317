// Processes that end while pools live, in children of this one; and what dies where.

#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "support/child.hpp"
#include "support/conservation.hpp"
#include "support/eventually.hpp"
#include "support/gate.hpp"
#include "support/watchdog.hpp"
#include "weir/this_task.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;
using testing::eventually;
using testing::gate;
using testing::held_worker;

/// Ends as `body` makes a child of this process end.
template <class Body>
std::string ending(Body body) {
  const pid_t child = testing::fork_child();
  if (child == 0) {
    body();
    ::_exit(99);
  }
  return testing::end_of(child);
}

thread_pool& static_pool() {
  static thread_pool pool = thread_pool::fixed(2, 1000);
  return pool;
}

std::atomic<int> ran{0};

// E4 at the end of a program: ready work runs, what is not yet due is cancelled, the process ends.
TEST(exit, E4_a_static_pool_finishes_its_ready_work) {
  WEIR_NO_FORK_HERE;
  EXPECT_EQ(ending([] {
              std::atexit([] { ::_exit(ran == 100 ? 4 : 5); });  // runs after the pool's destructor
              for (int task = 0; task < 100; ++task) static_pool().execute([] { ++ran; });
              static_pool().submit_after(1h, [] {});
              std::exit(1);
            }),
            "exit 4");
}

TEST(exit, E4_a_pool_that_is_destroyed_in_an_atexit_handler) {
  WEIR_NO_FORK_HERE;
  EXPECT_EQ(ending([] {
              static std::optional<thread_pool> pool;
              pool.emplace(pool_options{.core = 2, .max = 2, .capacity = 100});
              std::atexit([] {
                pool.reset();
                ::_exit(ran == 50 ? 4 : 5);
              });
              for (int task = 0; task < 50; ++task) pool->execute([] { ++ran; });
              std::exit(1);
            }),
            "exit 4");
}

TEST(exit, a_leaked_pool_keeps_no_process_from_ending) {
  WEIR_NO_FORK_HERE;
  EXPECT_EQ(ending([] {
              auto* pool = new thread_pool(pool_options{.core = 2, .max = 2, .capacity = 100});
              gate never;
              auto held = pool->submit([&never] { never.wait(); });
              pool->submit_after(1h, [] {});
              std::quick_exit(6);
            }),
            "exit 6");
}

// exit in a body runs the static destructors on that worker: the pool that dies there is its own,
// and the destructor does not wait for it (E4).
TEST(exit, E4_exit_inside_a_body_of_a_static_pool) {
  WEIR_NO_FORK_HERE;
  EXPECT_EQ(ending([] {
              thread_pool& pool = static_pool();
              pool.submit([] {}).get();
              pool.execute([] { std::exit(7); });
              for (;;) ::pause();
            }),
            "exit 7");
  EXPECT_EQ(ending([] {
              static_pool().execute([] { std::quick_exit(8); });
              for (;;) ::pause();
            }),
            "exit 8");
}

// E4, case 22: the last owner of a pool may let go of it anywhere on one of its own workers.
TEST(destruction, E4_the_last_owner_lets_go_on_a_worker_wherever_that_is) {
  const testing::watchdog dog("the last owner on a worker");
  using owner = std::shared_ptr<thread_pool>;
  const auto fresh = [](pool_options options = {}) {
    options.core = options.max = 1;
    options.capacity = 8;
    return std::make_shared<thread_pool>(options);
  };
  const auto gone = [](std::weak_ptr<thread_pool> pool) {
    EXPECT_TRUE(eventually([&] { return pool.expired(); }));
  };
  for (int round = 0; round < 50; ++round) {
    {  // in a body
      owner pool = fresh();
      const std::weak_ptr<thread_pool> seen = pool;
      const auto mine = std::make_shared<gate>();  // nothing tells when the body has left it
      auto& on = *pool;
      on.execute([held = std::move(pool), mine]() mutable {
        mine->wait();
        held.reset();
      });
      mine->open();
      gone(seen);
    }
    {  // in a capture's destructor, also while work waits behind
      owner pool = fresh();
      const std::weak_ptr<thread_pool> seen = pool;
      auto& on = *pool;
      const auto mine = std::make_shared<gate>();
      on.execute([mine] { mine->wait(); });
      on.execute([held = std::move(pool)] {});
      auto behind = on.submit([] { return 3; });
      mine->open();
      EXPECT_EQ(behind.get(), 3);
      gone(seen);
    }
    {  // in on_unhandled
      auto slot = std::make_shared<owner>();
      pool_options options;
      options.on_unhandled = [slot](const std::exception_ptr&, const task_info&) { slot->reset(); };
      *slot = fresh(options);
      const std::weak_ptr<thread_pool> seen = *slot;
      const auto mine = std::make_shared<gate>();
      (*slot)->execute([mine] {
        mine->wait();
        throw 1;
      });
      mine->open();
      gone(seen);
    }
    {  // in a start hook
      auto slot = std::make_shared<owner>();
      gate ready;
      pool_options options;
      options.on_worker_start = [slot, &ready](const worker_info&) {
        ready.wait();
        slot->reset();
      };
      *slot = fresh(options);
      const std::weak_ptr<thread_pool> seen = *slot;
      auto task = (*slot)->submit([] { return 4; });
      ready.open();
      EXPECT_EQ(task.get(), 4) << "ready work still runs";
      gone(seen);
    }
  }
}

// A stop callback runs on whoever aborts: here on the pool's own worker, and lets go of the pool.
TEST(destruction, E4_the_last_owner_lets_go_in_a_stop_callback) {
  const testing::watchdog dog("the last owner in a stop callback");
  for (int round = 0; round < 50; ++round) {
    auto pool = std::make_shared<thread_pool>(pool_options{.core = 2, .max = 2, .capacity = 8});
    const std::weak_ptr<thread_pool> seen = pool;
    auto& on = *pool;
    gate listens;
    auto listener = on.submit([&, held = std::move(pool)](const std::stop_token& stop) mutable {
      gate stopped;
      const std::stop_callback lets_go(stop, [&] {
        held.reset();
        stopped.open();
      });
      listens.open();
      stopped.wait();
    });
    listens.wait();
    gate mine;
    auto ender = on.submit([ref = listener.ref(), &mine] {
      mine.wait();
      ref.cancel();
    });
    mine.open();
    ender.wait();
    listener.wait();
    EXPECT_TRUE(eventually([&] { return seen.expired(); }));
  }
}

// D3, R25: calls through handles may meet the pool's destructor, from any thread, at any moment.
TEST(destruction, D3_handles_are_used_while_the_pool_dies) {
  const testing::watchdog dog("handles and a dying pool");
  for (int round = 0; round < 300; ++round) {
    std::optional<thread_pool> pool;
    pool.emplace(pool_options{.core = 2, .max = 2, .capacity = 64});
    std::vector<future<int>> made;
    for (int task = 0; task < 16; ++task) {
      made.push_back(task % 3 == 0 ? pool->submit_after(1h, [task] { return task; })
                                   : pool->submit([task] { return task; }));
    }
    std::atomic<bool> go{false};
    std::vector<std::thread> users;
    for (unsigned user = 0; user < 4; ++user) {
      users.emplace_back([&made, &go, user] {
        while (!go) {
        }
        for (unsigned at = user; at < 16; at += 4) {
          auto& mine = made[at];
          const task_ref ref = mine.ref();
          if (at % 4 == 0) (void)ref.cancel();
          if (at % 4 == 1) ref.wait();
          if (at % 4 == 2) (void)ref.state();
          if (at % 4 == 3) mine = {};
        }
      });
    }
    go = true;
    pool.reset();
    for (auto& each : users) each.join();
    for (auto& each : made) {
      if (!each.valid()) continue;
      EXPECT_TRUE(each.wait_for(0s)) << "the destructor has ended every task";
    }
  }
}

}  // namespace
}  // namespace weir
