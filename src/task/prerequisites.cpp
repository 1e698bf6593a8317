#include "weir/detail/prerequisites.hpp"

#include <array>
#include <cstdint>
#include <system_error>
#include <utility>

#include "sync/fork.hpp"
#include "sync/mutex.hpp"
#include "task/extras.hpp"
#include "task/run_context.hpp"
#include "task/state_word.hpp"
#include "task/task_home.hpp"

/// What a worker can do for a task that it waits for and that no pool will ever start: run what
/// that task follows. See docs/design/continuations.md.
namespace weir::detail {

namespace {

// Each held for a few instructions, by followers that begin and by workers that wait for one; no
// other lock is taken under one.
std::array<sync::mutex, 16> locks;

struct locks_in_fork final : sync::fork_part {
  void hold_for_fork() noexcept override WEIR_NO_THREAD_SAFETY_ANALYSIS {
    for (auto& each : locks) each.lock();
  }
  void resume_parent() noexcept override WEIR_NO_THREAD_SAFETY_ANALYSIS {
    for (auto& each : locks) each.unlock();
  }
  void resume_child() noexcept override { resume_parent(); }
};
constinit locks_in_fork in_fork;
[[maybe_unused]] const bool in_fork_joined =
    (sync::join_forks(in_fork, sync::fork_rank::queue), true);

sync::mutex& lock_of(const task_base& follower) noexcept {
  return locks[(reinterpret_cast<std::uintptr_t>(&follower) >> 6) % locks.size()];
}

bool ended(const task_base& task) noexcept {
  // ordering: task-phase
  return state_word::terminal(task.word.load(sync::acquire));
}

/// A reference for a scope.
class held_task {
 public:
  explicit held_task(task_base* task) noexcept : task_(task) {}
  held_task(held_task&& other) noexcept : task_(std::exchange(other.task_, nullptr)) {}
  held_task& operator=(held_task&& other) noexcept {
    std::swap(task_, other.task_);
    return *this;
  }
  ~held_task() {
    if (task_ != nullptr) release(task_);
  }
  [[nodiscard]] task_base* get() const noexcept { return task_; }

 private:
  task_base* task_;
};

struct need {
  held_task input{nullptr};
  bool follows = false;    ///< the task needs anything at all
  bool needs_all = false;  ///< this input among others
};

// The first input from `index` on that has not ended.
need find_need(task_base& follower, std::size_t& index) noexcept {
  if (follower.core != nullptr) return {};  // its place is its pool's
  for (;; ++index) {
    prerequisites::answer at{nullptr, true};
    bool all = false;
    {
      const sync::lock_guard hold(lock_of(follower));
      if (follower.place != task_place::following) return {};
      at = follower.needs->input(index);
      all = follower.needs->needs_all;
    }
    held_task input(at.input);
    if (at.none) return {held_task(nullptr), true, all};
    if (at.input != nullptr && !ended(*at.input)) return {std::move(input), true, all};
  }
}

/// One look at all that a task needs, by however many followers, for something to run or, in
/// another look, to wait for.
class search {
 public:
  enum class aim : std::uint8_t { to_run, to_wait_for };

  explicit search(aim what) noexcept : aim_(what) {}

  /// `must`: what is awaited cannot end without this task.
  bool below(task_base& task, bool must, bool awaited) {
    held_task at(nullptr);
    for (task_base* now = &task;;) {
      std::size_t index = 0;
      need next = find_need(*now, index);
      if (!next.follows) return !(awaited && now == &task) && help(*now, must);
      must = must && next.needs_all;
      for (;;) {
        if (next.input.get() == nullptr) return false;
        need after = find_need(*now, ++index);
        if (after.input.get() == nullptr) break;
        if (looks_-- == 0) return false;
        if (below(*next.input.get(), must, false)) return true;
        next = std::move(after);
      }
      // With the last one in a loop: a chain may be as long as it likes.
      at = std::move(next.input);
      now = at.get();
    }
  }

 private:
  // What is shared by several is met again by way of each.
  static constexpr int k_most_looks = 1000;

  bool help(task_base& root, bool must) const {
    // Not to be started yet: delayed, say. Only a wait for the task itself hears of that.
    if (aim_ == aim::to_wait_for) {
      return must && startable(root) && wait_inside(root, {}).has_value();
    }
    if (must && run_context::runs_here(root)) {
      throw std::system_error(std::make_error_code(std::errc::resource_deadlock_would_occur),
                              "weir: " + described(root) + " waits for what follows itself");
    }
    return help_inside(root);
  }

  const aim aim_;
  int looks_ = k_most_looks;
};

}  // namespace

void set_prerequisites(task_base& follower, prerequisites& of) noexcept {
  follower.needs = &of;
  follower.place = task_place::following;
}

void clear_prerequisites(task_base& follower) noexcept {
  const sync::lock_guard hold(lock_of(follower));
  follower.place = task_place::nowhere;
  follower.needs = nullptr;
}

void forget_input(task_base& follower, task_base*& input) noexcept {
  const sync::lock_guard hold(lock_of(follower));
  input = nullptr;
}

bool help_follower(task_base& task) {
  if (task.core != nullptr || !on_a_worker()) return false;
  return search(search::aim::to_run).below(task, true, true) ||
         search(search::aim::to_wait_for).below(task, true, true);
}

}  // namespace weir::detail
