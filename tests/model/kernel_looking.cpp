#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "model/kernel_pool.hpp"

/// docs/design/looking.md: somebody looks while tasks start and end, and holds what nobody else
/// does.
namespace weir::model {
namespace {

using sync::thread;

struct counting {
  sync::atomic<int>* ran;
  void operator()() const { ran->fetch_add(1, sync::relaxed); }
};

void check_agreement(const pool_snapshot& shot) {
  const pool_counts& at = shot.counts;
  const std::size_t listed = shot.running.size() + shot.queued.size() + shot.delayed.size();
  MODEL_CHECK(at.queued + at.delayed + at.running == listed + shot.left_out + shot.ending);
  MODEL_CHECK(at.accepted == at.succeeded + at.cancelled + at.queued + at.delayed + at.running);
}

TEST(kernel_looking, a_snapshot_agrees_with_itself_whatever_starts_and_ends) {
  expect_holds("looking: snapshot × pop × end × no handle", k_few, [] {
    thread_pool pool(options_for({.capacity = 4}));
    sync::atomic<int> ran{0};
    pool.submit_all(std::vector<counting>(3, counting{&ran})).clear();
    const pool_snapshot shot = pool.snapshot();
    check_agreement(shot);
    MODEL_CHECK(shot.ending == 0 && shot.left_out == 0);
    check_end(pool);
  });
}

TEST(kernel_looking, what_is_being_cancelled_is_counted_as_ending_at_most) {
  expect_holds("looking: snapshot × cancel × claim", k_many, [] {
    thread_pool pool(options_for({.capacity = 4}));
    sync::atomic<int> ran{0};
    auto tasks = pool.submit_all(std::vector<counting>(2, counting{&ran}));
    thread canceller([&] { (void)tasks[1].cancel(); });
    const pool_snapshot shot = pool.snapshot();
    check_agreement(shot);
    MODEL_CHECK(shot.ending <= 1);
    canceller.join();
    check_end(pool);
  });
}

TEST(kernel_looking, a_handle_by_number_holds_the_task) {
  expect_holds("looking: ref × run × cancel × last handle", k_few, [] {
    thread_pool pool(options_for({.capacity = 4}));
    sync::atomic<int> ran{0};
    std::uint64_t id = 0;
    {
      const auto task = pool.submit(counting{&ran});
      id = task.id();
    }
    if (const task_ref found = pool.ref(id); found.valid()) {
      (void)found.cancel();
      found.wait();
      MODEL_CHECK(is_terminal(found.state()));
    }
    check_end(pool);
  });
}

TEST(kernel_looking, who_saw_the_end_finds_the_record) {
  expect_holds("looking: end × history × find", k_few, [] {
    pool_options options = options_for({.capacity = 4});
    options.history = 2;
    options.timing = timing::all;
    thread_pool pool(std::move(options));
    sync::atomic<int> ran{0};
    auto task = pool.submit(counting{&ran});
    const auto now = pool.find(task.id());
    MODEL_CHECK(now.has_value());
    task.wait();
    const auto record = pool.find(task.id());
    MODEL_CHECK(record && record->state == task_state::succeeded);
    MODEL_CHECK(pool.stats().run.count == 1);
    check_end(pool);
  });
}

}  // namespace
}  // namespace weir::model
