#include <utility>

#include "executor/lane.hpp"
#include "pool/pool_core.hpp"
#include "task/state_word.hpp"
#include "task/task_home.hpp"

/// What a fork makes of a pool. The child has one thread, and no pool of its parent has a worker
/// there: it is a closed husk. docs/design/fork.md.
namespace weir::detail {

namespace {

// All husks of this process, linked through `older_husk_`. Written while it has one thread only.
constinit const pool_core* youngest_husk = nullptr;

}  // namespace

void pool_core::hold_for_fork() noexcept WEIR_NO_THREAD_SAFETY_ANALYSIS {
  mutex_.lock();
  for (const auto& place : places_) place->claims.mutex.lock();
  measured_.mutex.lock();
}

void pool_core::resume_parent() noexcept WEIR_NO_THREAD_SAFETY_ANALYSIS {
  measured_.mutex.unlock();
  for (const auto& place : places_) place->claims.mutex.unlock();
  mutex_.unlock();
}

void pool_core::resume_child() noexcept WEIR_NO_THREAD_SAFETY_ANALYSIS {
  measured_.mutex.unlock();
  for (const auto& place : places_) place->claims.mutex.unlock();
  if (!forked_) become_husk();
  mutex_.unlock();
}

// Queue, claims and counts are whole, for their locks were held. What stands on the stacks of
// other threads is gone with them, and so are the threads: nothing here may touch either.
void pool_core::become_husk() noexcept {
  forked_ = true;
  closed_ = true;
  // Nobody can tell when the last handle of a lost task is gone, so a husk is never freed.
  retain();
  older_husk_ = std::exchange(youngest_husk, this);

  outside_ += busy_;  // bodies that never end count as running for ever
  workers_ = busy_ = departing_ = waking_ = 0;
  leader_ = nullptr;
  idle_ = {};
  blocked_ = {};
  blocked_count_ = 0;
  idle_waiters_ = {};
  end_waiters_ = {};
  for (auto* at = series_.front(); at != nullptr; at = series_.next(*at)) {
    at->running = {};
    at->waiters = {};
  }
  outside_runs_ = {};
  inside_waits_ = {};
  for (const auto& place : places_) {
    place->listed = place->woken = false;
    // Also that of the thread which forks: after its body it finds nothing to start.
    place->claims.running = nullptr;
  }
  last_departed_.forget();
  fold_all();
  check_rest();
  terminated_ = ending_;  // whoever was to tell of the end is not here
}

// What waits in a husk is the parent's: nothing of it is ended, and no capture destroyed, unasked.
void pool_core::leave_husk() noexcept {
  stop_listening(clock());
  const sync::lock_guard lock(mutex_);
  facade_ = nullptr;
}

namespace {

bool runs_elsewhere(std::uint32_t word) noexcept {
  return !state_word::terminal(word) && !state_word::started_detached_here(word);
}

}  // namespace

bool lost_in_fork(const task_base& task) noexcept {
  if (kept_by_husk(task)) {
    const std::uint32_t word = task.word.load(sync::relaxed);
    return state_word::phase_of(word) == phase::detached || runs_elsewhere(word);
  }
  for (const pool_core* husk = youngest_husk; husk != nullptr; husk = husk->older_husk()) {
    if (husk != task.core) continue;
    const std::uint32_t word = task.word.load(sync::relaxed);
    // A drained task runs wherever it is called, in the child as well.
    if (state_word::phase_of(word) == phase::detached) return false;
    return runs_elsewhere(word);
  }
  return false;
}

}  // namespace weir::detail
