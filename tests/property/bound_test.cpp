// B2, the exact bound, against plain counts: over random schedules of submissions, releases,
// cancels and clock steps the pool accepts a task exactly when the counts say so, starts exactly
// those that they say, and grows exactly as B1 says. A failing run prints its seed and every step
// of the schedule.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "support/conservation.hpp"
#include "support/seed.hpp"
#include "support/watchdog.hpp"
#include "weir/thread_pool.hpp"

namespace weir {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t k_schedules = 100'000;
constexpr std::size_t k_schedules_per_pool = 10;
constexpr std::size_t k_steps_max = 30;

struct shape {
  std::size_t core;
  std::size_t max;
  std::size_t capacity;
};

/// A task as the counts know it, with the real one beside it.
struct modelled {
  enum class where { ready, delayed, running, over };

  where place = where::ready;
  milliseconds due{0};
  bool asked_to_stop = false;
  task_state end = task_state::queued;  ///< what it must become

  future<void> handle;
  std::atomic<int> entered{0};
  std::atomic<int> released{0};

  void body() {
    entered.store(1);
    entered.notify_all();
    released.wait(0);
  }
  void release() {
    released.store(1);
    released.notify_all();
  }
};

/// The reference: nothing but counts and a list in order of submission.
class counts {
 public:
  explicit counts(const shape& of) : shape_(of) {}

  std::deque<modelled> tasks;
  milliseconds now{0};

  [[nodiscard]] std::size_t in(modelled::where place) const {
    return static_cast<std::size_t>(std::count_if(
        tasks.begin(), tasks.end(), [place](const modelled& each) { return each.place == place; }));
  }
  [[nodiscard]] std::size_t workers() const { return workers_; }

  /// B2: W + Q in all, and waiting places alone for what is not yet due.
  [[nodiscard]] bool has_room(bool delayed) const {
    const std::size_t busy = in(modelled::where::running);
    const std::size_t ready = in(modelled::where::ready) + (delayed ? 0 : 1);
    const std::size_t waiting = in(modelled::where::delayed) + (delayed ? 1 : 0);
    const std::size_t free = shape_.max - busy;
    return waiting + (ready > free ? ready - free : 0) <= shape_.capacity;
  }

  /// B1: core first, then a waiting place, then a further worker.
  void grow_for(bool delayed) {
    const std::size_t idle = workers_ - in(modelled::where::running);
    const std::size_t ready = in(modelled::where::ready) + (delayed ? 0 : 1);
    const std::size_t waiting = in(modelled::where::delayed) + (delayed ? 1 : 0);
    const bool must_wait_beyond = waiting + (ready > idle ? ready - idle : 0) > shape_.capacity;
    if (workers_ < shape_.core || workers_ == 0 || must_wait_beyond) ++workers_;
  }

  /// B8: free workers take what is due, by due time, then by age.
  void claim() {
    while (in(modelled::where::running) < workers_) {
      modelled* first = nullptr;
      for (modelled& each : tasks) {
        const bool due = each.place == modelled::where::ready ||
                         (each.place == modelled::where::delayed && each.due <= now);
        if (due && (first == nullptr || each.due < first->due)) first = &each;
      }
      if (first == nullptr) return;
      first->place = modelled::where::running;
    }
  }

  void forget_tasks() { tasks.clear(); }

 private:
  const shape shape_;
  std::size_t workers_ = 0;
};

class bound : public ::testing::Test {
 protected:
  void run_schedules(std::mt19937_64& random) {
    shape_.max = testing::pick(random, 1, 3);
    shape_.core = testing::pick(random, 0, shape_.max);
    shape_.capacity = testing::pick(random, 0, 3);
    manual_clock clock;
    pool_options options;
    options.core = shape_.core;
    options.max = shape_.max;
    options.capacity = shape_.capacity;
    options.keep_alive = std::chrono::hours(1);
    options.clock = &clock;
    counts model(shape_);  // holds what the bodies use, so it outlives the pool
    thread_pool pool(options);
    for (std::size_t at = 0; at < k_schedules_per_pool && !HasFailure(); ++at) {
      log_.str({});
      log_ << "core " << shape_.core << ", max " << shape_.max << ", capacity " << shape_.capacity
           << ", workers " << model.workers() << ':';
      SCOPED_TRACE(::testing::Message() << "schedule " << at << " of its pool");
      run_schedule(random, pool, clock, model);
      if (HasFailure()) ADD_FAILURE() << log_.str();
    }
  }

  void run_schedule(std::mt19937_64& random, thread_pool& pool, manual_clock& clock,
                    counts& model) {
    const std::size_t steps = testing::pick(random, 1, k_steps_max);
    for (std::size_t step = 0; step < steps && !HasFailure(); ++step) {
      switch (testing::pick(random, 0, 9)) {
        case 0:
        case 1:
        case 2:
        case 3:
          submit(pool, model, milliseconds(0), random() % 2 == 0);
          break;
        case 4:
        case 5:
          // What became due is claimed by now, so that only tasks not yet due hold delayed places.
          settle(pool, model);
          submit(pool, model, milliseconds(testing::pick(random, 1, 4)), random() % 2 == 0);
          break;
        case 6:
          release_one(random, pool, model);
          break;
        case 7:
          cancel_one(random, pool, model);
          break;
        case 8:
          advance(pool, clock, model, milliseconds(testing::pick(random, 1, 3)));
          break;
        default:
          if (testing::pick(random, 0, 7) == 0) cancel_pending(pool, model);
          break;
      }
    }
    if (!HasFailure()) return finish(pool, model);
    for (modelled& each : model.tasks) each.release();  // the counts are off: just let go
  }

  void submit(thread_pool& pool, counts& model, milliseconds delay, bool throwing) {
    const bool delayed = delay > milliseconds(0);
    const bool room = model.has_room(delayed);
    log_ << (delayed ? " after " + std::to_string(delay.count()) : " now") << (room ? "+" : "-");
    modelled& task = model.tasks.emplace_back();
    bool accepted = true;
    if (throwing) {
      try {
        task.handle = delayed ? pool.submit_after(delay, [&task] { task.body(); })
                              : pool.submit([&task] { task.body(); });
      } catch (const rejected& refusal) {
        accepted = false;
        EXPECT_EQ(refusal.why(), reject_reason::saturated);
      }
    } else {
      auto answer = delayed ? pool.try_submit_after(delay, [&task] { task.body(); })
                            : pool.try_submit([&task] { task.body(); });
      accepted = answer.accepted();
      if (accepted) task.handle = *std::move(answer);
    }
    EXPECT_EQ(accepted, room);
    if (accepted != room) return;
    if (!accepted) {
      model.tasks.pop_back();
      return;
    }
    task.place = modelled::where::over;  // not yet among the others while the pool grows for it
    model.grow_for(delayed);
    task.place = delayed ? modelled::where::delayed : modelled::where::ready;
    task.due = model.now + delay;
    model.claim();
    EXPECT_EQ(pool.size(), model.workers());
  }

  void release_one(std::mt19937_64& random, thread_pool& pool, counts& model) {
    settle(pool, model);
    modelled* const task = any(
        random, model, [](const modelled& each) { return each.place == modelled::where::running; });
    if (task == nullptr) return;
    log_ << " release";
    task->release();
    task->handle.wait();
    task->place = modelled::where::over;
    task->end = task->asked_to_stop ? task_state::cancelled : task_state::succeeded;
    EXPECT_EQ(task->handle.state(), task->end);
    model.claim();
  }

  void cancel_one(std::mt19937_64& random, thread_pool& pool, counts& model) {
    settle(pool, model);
    modelled* const task = any(
        random, model, [](const modelled& each) { return each.place != modelled::where::over; });
    if (task == nullptr) return;
    log_ << " cancel";
    const cancel_result answer = task->handle.cancel();
    if (task->place == modelled::where::running) {
      EXPECT_EQ(answer, cancel_result::requested);
      EXPECT_EQ(task->handle.state(), task_state::cancel_requested);
      task->asked_to_stop = true;
      return;
    }
    EXPECT_EQ(answer, cancel_result::cancelled);
    task->place = modelled::where::over;
    task->end = task_state::cancelled;
    EXPECT_EQ(task->handle.state(), task_state::cancelled);
  }

  void advance(thread_pool& pool, manual_clock& clock, counts& model, milliseconds step) {
    settle(pool, model);
    log_ << " advance " << step.count();
    clock.advance(step);
    model.now += step;
    model.claim();
    settle(pool, model);
  }

  void cancel_pending(thread_pool& pool, counts& model) {
    settle(pool, model);
    log_ << " cancel_pending";
    std::size_t expected = 0;
    for (modelled& each : model.tasks) {
      if (each.place != modelled::where::ready && each.place != modelled::where::delayed) continue;
      each.place = modelled::where::over;
      each.end = task_state::cancelled;
      ++expected;
    }
    EXPECT_EQ(pool.cancel_pending(), expected);
  }

  // Waits until every body that the counts see running has begun, then compares all counts.
  void settle(thread_pool& pool, counts& model) {
    for (modelled& each : model.tasks) {
      if (each.place == modelled::where::running) each.entered.wait(0);
    }
    const pool_stats now = pool.stats();
    EXPECT_EQ(now.running, model.in(modelled::where::running));
    EXPECT_EQ(now.queued, model.in(modelled::where::ready));
    EXPECT_EQ(now.delayed, model.in(modelled::where::delayed));
    EXPECT_EQ(now.workers, model.workers());
    EXPECT_LE(now.waiting_max, shape_.capacity);
    EXPECT_LE(now.workers_max, shape_.max);
    testing::expect_accounted(now);
  }

  void finish(thread_pool& pool, counts& model) {
    cancel_pending(pool, model);
    for (modelled& each : model.tasks) {
      if (each.place != modelled::where::running) continue;
      each.end = each.asked_to_stop ? task_state::cancelled : task_state::succeeded;
      each.release();
    }
    pool.wait_idle();
    for (const modelled& each : model.tasks) EXPECT_EQ(each.handle.state(), each.end);
    testing::expect_conserved(pool.stats());
    model.forget_tasks();
  }

  template <class Wanted>
  static modelled* any(std::mt19937_64& random, counts& model, Wanted wanted) {
    std::vector<modelled*> found;
    for (modelled& each : model.tasks) {
      if (wanted(each)) found.push_back(&each);
    }
    return found.empty() ? nullptr : found[testing::pick(random, 0, found.size() - 1)];
  }

  shape shape_{};
  std::ostringstream log_;
};

TEST_F(bound, B2_over_random_schedules) {
  const testing::watchdog dog("a random schedule", std::chrono::seconds(600));
  const std::uint64_t seed = testing::test_seed();
  SCOPED_TRACE(testing::replay(seed));
  std::mt19937_64 random(seed);
  for (std::size_t done = 0; done < k_schedules && !HasFailure(); done += k_schedules_per_pool) {
    run_schedules(random);
  }
}

}  // namespace
}  // namespace weir
