// The timer queue beside a set of (due, id), as commands: RapidCheck makes programs of them and
// shrinks one that fails to the few commands that it takes.

#include "time/timer_queue.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <rapidcheck/state.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <limits>
#include <ostream>
#include <set>
#include <utility>
#include <vector>

namespace weir::detail {
namespace {

constexpr task_ops k_no_ops{};

// Numbers, so that RapidCheck can show them.
using key = std::pair<std::chrono::nanoseconds::rep, std::uint64_t>;
key key_of(const task_base& task) { return {task.due.time_since_epoch().count(), task.id}; }

/// All that a command has to know before it is performed.
struct population {
  std::size_t alive = 0;
};

/// A timer queue, and a std::set that it must agree with. The task with number n is at n - 1.
class queue_beside_set {
 public:
  void insert(std::size_t count, time_point due) {
    queue_.reserve(count);
    for (; count > 0; --count) {
      task_base& task = tasks_.emplace_back(k_no_ops, 1u);
      task.id = tasks_.size();
      task.due = due;
      put(task);
    }
  }
  /// Evenly spread over all in their order, from the one at `from` on.
  std::vector<task_base*> take(std::size_t count, std::size_t from) {
    const std::vector<key> all(oracle_.begin(), oracle_.end());
    const std::size_t step = std::max<std::size_t>(1, all.size() / count);
    std::vector<task_base*> taken;
    for (std::size_t at = 0; at < std::min(count, all.size()); ++at) {
      taken.push_back(&tasks_[all[(from + at * step) % all.size()].second - 1]);
      take_out(*taken.back());
    }
    return taken;
  }
  std::vector<task_base*> pop(std::size_t count) {
    std::vector<task_base*> taken;
    for (; count > 0 && !queue_.empty(); --count) {
      taken.push_back(&queue_.top());
      RC_ASSERT(key_of(*taken.back()) == *oracle_.begin());
      take_out(*taken.back());
    }
    return taken;
  }
  void put(task_base& task) {
    queue_.insert(task);
    oracle_.insert(key_of(task));
  }
  void reserve(std::size_t count) { queue_.reserve(count); }

  void compare() const {
    RC_ASSERT(queue_.size() == oracle_.size());
    RC_ASSERT(queue_.empty() == oracle_.empty());
    if (oracle_.empty()) return;
    RC_ASSERT(key_of(queue_.top()) == *oracle_.begin());
    RC_ASSERT(queue_.earliest_due().time_since_epoch().count() == oracle_.begin()->first);
    std::vector<key> held;
    queue_.for_each([&held](const task_base& task) { held.push_back(key_of(task)); });
    std::sort(held.begin(), held.end());
    RC_ASSERT(std::equal(held.begin(), held.end(), oracle_.begin(), oracle_.end()));
  }

 private:
  void take_out(task_base& task) {
    queue_.erase(task);
    oracle_.erase(key_of(task));
  }

  std::deque<task_base> tasks_;
  timer_queue queue_;
  std::set<key> oracle_;
};

using command = rc::state::Command<population, queue_beside_set>;

// Few different due times make many ties. Both ends of time are among them.
time_point some_due() {
  const int at = *rc::gen::inRange(0, 10);
  if (at == 9) return time_point::max();
  if (at == 8) return time_point::min();
  return time_point(std::chrono::nanoseconds(at));
}

// Mostly few; at times more than a bundle has room for.
std::size_t some_count() {
  return *rc::gen::weightedOneOf<std::size_t>({{4, rc::gen::inRange<std::size_t>(1, 4)},
                                               {1, rc::gen::inRange<std::size_t>(1, 40)},
                                               {1, rc::gen::inRange<std::size_t>(1, 700)}});
}

struct insert final : command {
  const std::size_t count = some_count();
  const time_point due = some_due();

  void apply(population& of) const override { of.alive += count; }
  void run(const population&, queue_beside_set& on) const override {
    on.insert(count, due);
    on.compare();
  }
  void show(std::ostream& to) const override {
    to << "insert " << count << " due at " << due.time_since_epoch().count();
  }
};

/// A command about some of those that are in.
struct about_some : command {
  const std::size_t count = some_count();
  const std::size_t from = *rc::gen::inRange<std::size_t>(0, 700);

  void checkPreconditions(const population& of) const override { RC_PRE(of.alive > 0u); }
  void show_as(std::ostream& to, const char* what) const {
    to << what << ' ' << count << ", from place " << from << " on";
  }
};

struct erase final : about_some {
  void apply(population& of) const override { of.alive -= std::min(count, of.alive); }
  void run(const population&, queue_beside_set& on) const override {
    (void)on.take(count, from);
    on.compare();
  }
  void show(std::ostream& to) const override { show_as(to, "erase"); }
};

struct pop final : about_some {
  void apply(population& of) const override { of.alive -= std::min(count, of.alive); }
  void run(const population&, queue_beside_set& on) const override {
    (void)on.pop(count);
    on.compare();
  }
  void show(std::ostream& to) const override { to << "pop " << count; }
};

/// As a worker gives back what it has claimed: together, the last one first.
struct put_back final : about_some {
  void run(const population&, queue_beside_set& on) const override {
    auto taken = on.pop(count);
    on.compare();
    on.reserve(taken.size());
    for (; !taken.empty(); taken.pop_back()) on.put(*taken.back());
    on.compare();
  }
  void show(std::ostream& to) const override { to << "pop " << count << ", put them back"; }
};

/// Out and in again, one after the other and without room being made.
struct move final : about_some {
  const time_point due = some_due();

  void run(const population&, queue_beside_set& on) const override {
    for (std::size_t at = 0; at < std::min<std::size_t>(count, 40); ++at) {
      task_base& task = *on.take(1, from + at).front();
      task.due = due;
      on.put(task);
    }
    on.compare();
  }
  void show(std::ostream& to) const override {
    show_as(to, "move");
    to << ", to " << due.time_since_epoch().count();
  }
};

/// The same with the due time that it had: it comes to stand among equals that are younger.
struct renew final : about_some {
  void run(const population&, queue_beside_set& on) const override {
    for (std::size_t at = 0; at < std::min<std::size_t>(count, 40); ++at) {
      on.put(*on.take(1, from + at).front());
    }
    on.compare();
  }
  void show(std::ostream& to) const override { show_as(to, "take out and put back"); }
};

// tck 251.
RC_GTEST_PROP(timer_programs, B8_does_what_a_sorted_set_does, ()) {
  queue_beside_set both;
  rc::state::check(population(), both,
                   rc::state::gen::execOneOfWithArgs<insert, erase, pop, put_back, move, renew>());
  (void)both.pop(std::numeric_limits<std::size_t>::max());
  both.compare();
}

}  // namespace
}  // namespace weir::detail
