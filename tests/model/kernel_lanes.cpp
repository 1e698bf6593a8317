#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>

#include "model/explorer.hpp"
#include "model/kernel_pool.hpp"
#include "weir/keyed_strand.hpp"
#include "weir/limiter.hpp"
#include "weir/manual_executor.hpp"
#include "weir/strand.hpp"
#include "weir/task_group.hpp"

/// docs/design/lanes.md. A batch is one task here, so that every task but the last hands over.
namespace weir::model {
namespace {

using sync::thread;

TEST(kernel_lanes, a_task_that_comes_as_the_last_one_leaves_is_run) {
  expect_holds("strand: add × leave", k_few, [] {
    manual_executor threads;
    strand lane(threads, unbounded);
    int plain = 0;
    lane.execute([&] { ++plain; });
    thread worker([&] { threads.run_all(); });
    lane.execute([&] { ++plain; });
    worker.join();
    threads.run_all();
    MODEL_CHECK(plain == 2 && lane.size() == 0);
  });
}

TEST(kernel_lanes, two_threads_never_run_one_strand_at_once) {
  expect_holds("strand: hand over × hand over × add", k_many, [] {
    manual_executor threads;
    strand lane(threads, unbounded);
    int plain = 0;
    for (int at = 0; at < 3; ++at) {
      lane.execute([&plain, at] { MODEL_CHECK(plain++ == at); });
    }
    thread first([&] { threads.run_all(); });
    thread second([&] { threads.run_all(); });
    lane.execute([&plain] { MODEL_CHECK(plain++ == 3); });
    first.join();
    second.join();
    threads.run_all();
    MODEL_CHECK(plain == 4 && lane.size() == 0);
  });
}

TEST(kernel_lanes, whose_carrier_is_refused_takes_its_own_task_back_alone) {
  expect_holds("strand: add × add × refuse", k_few, [] {
    manual_executor threads;
    strand lane(threads, unbounded);
    threads.refuse_next(1);
    int plain = 0;
    bool accepted[2] = {};
    thread other([&] { accepted[1] = lane.try_submit([&] { ++plain; }).accepted(); });
    accepted[0] = lane.try_submit([&] { ++plain; }).accepted();
    thread worker([&] { threads.run_all(); });
    other.join();
    worker.join();
    threads.run_all();
    MODEL_CHECK(accepted[0] || accepted[1]);
    MODEL_CHECK(plain == accepted[0] + accepted[1] && lane.size() == 0);
  });
}

TEST(kernel_lanes, a_closed_executor_does_not_strand_what_waits) {
  expect_holds("strand: hand over × close × add", k_few, [] {
    manual_executor threads;
    strand lane(threads, unbounded);
    int plain = 0;
    lane.execute([&] { ++plain; });
    lane.execute([&] { ++plain; });
    thread worker([&] { threads.run_all(); });
    threads.close();
    const bool accepted = lane.try_submit([&] { ++plain; }).accepted();
    worker.join();
    threads.run_all();
    MODEL_CHECK(plain == 2 + accepted && lane.size() == 0);
  });
}

TEST(kernel_lanes, a_dropped_carrier_leaves_no_task_behind) {
  expect_holds("strand: carrier dropped × add × run", k_few, [] {
    manual_executor threads;
    strand lane(threads, unbounded);
    auto first = lane.submit([] {});
    thread dropper([&] { (void)threads.cancel_pending(); });
    thread worker([&] { threads.run_all(); });
    auto second = lane.submit([] {});
    dropper.join();
    worker.join();
    threads.run_all();
    MODEL_CHECK(is_terminal(first.state()) && is_terminal(second.state()));
    MODEL_CHECK(lane.size() == 0);
  });
}

TEST(kernel_lanes, a_cancelled_task_is_not_run_and_its_place_is_free) {
  expect_holds("strand: cancel × run × add", k_few, [] {
    manual_executor threads;
    strand lane(threads, 0);
    int ran = 0;
    auto task = lane.submit([&] { ++ran; });
    thread worker([&] { threads.run_all(); });
    const cancel_result told = task.cancel(if_queued);
    task.wait();
    MODEL_CHECK(ran == (told == cancel_result::cancelled ? 0 : 1));
    auto next = lane.try_submit([] {});
    MODEL_CHECK(next.accepted());
    worker.join();
    threads.run_all();
    MODEL_CHECK(is_terminal(next->state()) && lane.size() == 0);
  });
}

TEST(kernel_lanes, rest_comes_after_the_last_end) {
  expect_holds("strand: wait_idle × run × destruction", k_few, [] {
    manual_executor threads;
    future<void> task;
    std::optional<strand> lane;
    lane.emplace(threads, unbounded);
    task = lane->submit([] {});
    thread worker([&] { threads.run_all(); });
    lane->wait_idle();
    MODEL_CHECK(task.state() == task_state::succeeded);
    lane.reset();
    worker.join();
  });
}

TEST(kernel_lanes, no_more_than_its_width_run_at_once) {
  expect_holds("limiter: 2 at once × add × leave", k_many, [] {
    manual_executor threads;
    limiter lane(threads, 2, unbounded);
    sync::atomic<int> running{0};
    sync::atomic<int> ran{0};
    const auto body = [&] {
      // ordering: model-limit pairs with itself
      MODEL_CHECK(running.fetch_add(1, sync::acq_rel) < 2);
      ran.fetch_add(1, sync::relaxed);
      // ordering: model-limit
      running.fetch_sub(1, sync::acq_rel);
    };
    for (int at = 0; at < 3; ++at) lane.execute(body);
    thread first([&] { threads.run_all(); });
    thread second([&] { threads.run_all(); });
    lane.execute(body);
    threads.run_all();
    first.join();
    second.join();
    threads.run_all();
    MODEL_CHECK(ran.load(sync::relaxed) == 4 && lane.size() == 0);
  });
}

TEST(kernel_lanes, a_lane_is_not_found_while_it_is_reclaimed) {
  expect_holds("keyed_strand: reclaim × add", k_few, [] {
    manual_executor threads;
    keyed_strand<int> lanes(threads, unbounded, unbounded);
    int plain = 0;
    lanes.execute(1, [&] { ++plain; });
    thread worker([&] { threads.run_all(); });
    lanes.execute(1, [&] { ++plain; });
    worker.join();
    threads.run_all();
    MODEL_CHECK(plain == 2 && lanes.keys() == 0 && lanes.size() == 0);
  });
}

TEST(kernel_lanes, a_failure_stops_the_group_and_is_what_wait_throws) {
  expect_holds("task_group: wait × fail × run", k_few, [] {
    manual_executor threads;
    task_group group(threads);
    group.run([] { throw std::runtime_error("cause"); });
    thread worker([&] { threads.run_one(); });
    bool ran = false;
    const bool accepted = group.run([&] { ran = true; });
    bool thrown = false;
    try {
      group.wait();
    } catch (const std::runtime_error&) {
      thrown = true;
    }
    MODEL_CHECK(thrown && (accepted || !ran));
    MODEL_CHECK(!group.run([] {}));
    worker.join();
  });
}

TEST(kernel_lanes, what_a_cancelled_group_has_not_started_never_starts) {
  expect_holds("task_group: cancel × run × wait", k_few, [] {
    manual_executor threads;
    task_group group(threads);
    int started = 0;
    bool cancelled = false;
    group.run([&] { ++started; });
    thread worker([&] { threads.run_one(); });
    group.cancel();
    const bool late = group.run([&] { started += 10; });
    try {
      group.wait();
    } catch (const task_cancelled&) {
      cancelled = true;
    }
    MODEL_CHECK(cancelled && !late && started <= 1);
    worker.join();
  });
}

TEST(kernel_lanes, a_group_that_waits_hears_of_a_new_task) {
  expect_holds("task_group: wait × run by a task", k_few, [] {
    manual_executor threads;
    int plain = 0;
    {
      task_group group(threads, 1);
      group.run([&] {
        ++plain;
        group.run([&] { ++plain; });
      });
      thread worker([&] { threads.run_one(); });
      group.wait();
      MODEL_CHECK(plain == 2);
      worker.join();
    }
    threads.run_all();
  });
}

}  // namespace
}  // namespace weir::model
