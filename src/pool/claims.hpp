#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "base/prefetch.hpp"
#include "sync/mutex.hpp"
#include "task/state_word.hpp"
#include "weir/detail/assert.hpp"
#include "weir/detail/task_base.hpp"

namespace weir::detail {

/// How many tasks ended in which way, and what they weighed.
struct end_counts {
  std::uint64_t succeeded = 0;
  std::uint64_t failed = 0;
  std::uint64_t cancelled = 0;
  std::size_t weight = 0;  ///< theirs
};

/// The tasks that one worker has claimed ahead, in order, and what it did with them since the pool
/// last looked. They stay `queued`: whoever holds `mutex` takes out what it wants, the worker to
/// start it, others, who hold the pool's lock as well, to cancel it or to start it elsewhere.
/// Protocol: docs/design/claims.md.
struct claims {
  static constexpr std::size_t k_most = 31;

  sync::mutex mutex;

  /// The body that the worker runs. Written by the worker, which holds `mutex` or the pool's lock;
  /// read by others, who hold both.
  task_base* running = nullptr;

  /// All tasks ever started out of here.
  std::uint64_t starts WEIR_GUARDED_BY(mutex) = 0;
  /// The ends that the pool has not counted yet.
  end_counts ended WEIR_GUARDED_BY(mutex);
  /// Somebody waits for room: the worker tells the pool of every start.
  bool tell WEIR_GUARDED_BY(mutex) = false;

  [[nodiscard]] bool empty() const noexcept WEIR_REQUIRES(mutex) { return first_ == last_; }

  /// Fills the empty ring with the first `count` of `tasks`, k_most at most.
  void fill(task_base* const* tasks, std::size_t count) noexcept WEIR_REQUIRES(mutex) {
    WEIR_ASSERT(empty() && count <= k_most);
    std::copy_n(tasks, count, tasks_.begin());
    first_ = 0;
    last_ = count;
  }

  /// Takes the oldest out; null when empty.
  task_base* pop() noexcept WEIR_REQUIRES(mutex) {
    if (first_ == last_) return nullptr;
    task_base* const task = tasks_[first_++];
    if (first_ + 2 < last_) {
      const auto* soon = reinterpret_cast<const char*>(tasks_[first_ + 2]);
      prefetch_for_write(soon);
      prefetch_for_write(soon + 64);
    }
    task->place = task_place::nowhere;
    return task;
  }

  /// Takes the oldest out that no canceller has won, starts it and makes it the running one; null,
  /// and nothing changes, when there is none.
  task_base* start_next() noexcept WEIR_REQUIRES(mutex) {
    while (task_base* task = pop()) {
      if (!try_start(*task)) continue;
      running = task;
      ++starts;
      return task;
    }
    return nullptr;
  }

  /// Takes the older half, rounded up, out into `target`; returns how many.
  std::size_t split(task_base** target) noexcept WEIR_REQUIRES(mutex) {
    const std::size_t count = (last_ - first_ + 1) / 2;
    std::copy_n(tasks_.begin() + first_, count, target);
    first_ += count;
    return count;
  }

  /// Takes this one out; false when it is not here.
  bool remove(task_base& task) noexcept WEIR_REQUIRES(mutex) {
    const auto end = tasks_.begin() + last_;
    const auto at = std::find(tasks_.begin() + first_, end, &task);
    if (at == end) return false;
    std::copy(at + 1, end, at);
    --last_;
    task.place = task_place::nowhere;
    return true;
  }

  /// Calls `visit(task)` for each, the oldest first.
  template <class Visit>
  void for_each(Visit visit) const WEIR_REQUIRES(mutex) {
    for (std::size_t at = first_; at < last_; ++at) visit(*tasks_[at]);
  }

  /// The first that may still start behind the `ahead` first ones of that kind; those that are
  /// skipped are subtracted from `ahead`. Null when there is none.
  task_base* find_behind(std::size_t& ahead) noexcept WEIR_REQUIRES(mutex) {
    for (std::size_t at = first_; at < last_; ++at) {
      if (!startable(*tasks_[at])) continue;
      if (ahead == 0) return tasks_[at];
      --ahead;
    }
    return nullptr;
  }

 private:
  std::size_t first_ WEIR_GUARDED_BY(mutex) = 0;
  std::size_t last_ WEIR_GUARDED_BY(mutex) = 0;
  std::array<task_base*, k_most> tasks_ WEIR_GUARDED_BY(mutex);
};

}  // namespace weir::detail
