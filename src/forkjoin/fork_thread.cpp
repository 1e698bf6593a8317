#include "forkjoin/fork_thread.hpp"

#include "forkjoin/fork_crew.hpp"
#include "sync/futex.hpp"

/// Forks, thefts and the waits between them: docs/design/split-stack.md.
namespace weir::detail {

namespace {

void count(sync::atomic<std::uint64_t>& counter) noexcept {
  counter.store(counter.load(sync::relaxed) + 1, sync::relaxed);
}

}  // namespace

fork_thread* fork_thread::thief_in(std::uintptr_t state) noexcept {
  static_assert(alignof(fork_thread) > fork_job::k_flags);
  return reinterpret_cast<fork_thread*>(state & ~fork_job::k_flags);
}

bool fork_worker::push_slowly(fork_job& job) noexcept {
  return static_cast<fork_thread&>(*this).push_slowly(job);
}

void fork_worker::wait(fork_job& job) noexcept { static_cast<fork_thread&>(*this).wait_for(job); }

bool fork_thread::push_slowly(fork_job& job) noexcept {
  const auto [in, exposed] = stack_.push_slowly(job);
  if (exposed) {
    count(exposures_);
    wake_an_owner();
    crew_.work_appeared();
  }
  return in;
}

// What this thread forks belongs to the work of everybody who waits for a job that it stole.
void fork_thread::wake_an_owner() noexcept {
  for (const stolen* at = running_; at != nullptr; at = at->outer) {
    // ordering: fork-owner
    if ((at->job.state_.load(sync::seq_cst) & fork_job::k_waiting) == 0) continue;
    at->job.state_.fetch_and(~fork_job::k_waiting, sync::relaxed);
    at->owner.parker_.unpark();
    return;
  }
}

// After the last exchange the job may be gone.
void fork_thread::run(fork_job& job, fork_thread& owner) noexcept {
  count(steals_);
  // ordering: fork-owner
  const auto before = job.state_.fetch_or(reinterpret_cast<std::uintptr_t>(this), sync::seq_cst);
  // Its owner sleeps already, and knew nobody to ask for more.
  if ((before & fork_job::k_waiting) != 0) stack_.want();
  stolen frame{job, owner, running_};
  running_ = &frame;
  const bool succeeded = job.run();
  running_ = frame.outer;
  // ordering: fork-result
  const auto state =
      job.state_.exchange(succeeded ? fork_job::k_done : fork_job::k_failed, sync::acq_rel);
  if ((state & fork_job::k_waiting) != 0) owner.parker_.unpark();
}

void fork_thread::wait_for(fork_job& job) noexcept {
  int looks = 0;
  // ordering: fork-result
  while ((job.state_.load(sync::acquire) & fork_job::k_over) == 0) {
    if (help(job)) {
      looks = 0;
    } else if (++looks < sync::k_fork_looks) {
      sync::spin_pause();
    } else {
      sleep_until_over(job);
      looks = 0;
    }
  }
}

// Only from the thief, and only while it is at that job: all that it has forked then is part of it.
bool fork_thread::help(const fork_job& awaited) noexcept {
  // ordering: fork-result
  const auto state = awaited.state_.load(sync::acquire);
  fork_thread* const thief = thief_in(state);
  if (thief == nullptr) return false;
  const auto oldest = thief->stack_.oldest();
  if (oldest.job == nullptr) {
    thief->stack_.want_again();
    return false;
  }
  // ordering: fork-result
  if (thief_in(awaited.state_.load(sync::acquire)) != thief) return false;
  if (!thief->stack_.take(oldest)) return false;
  run(*oldest.job, *thief);
  return true;
}

// Or until the thief has forked something that this thread can help with.
void fork_thread::sleep_until_over(fork_job& job) noexcept {
  // ordering: fork-owner
  const auto state = job.state_.fetch_or(fork_job::k_waiting, sync::seq_cst);
  if ((state & fork_job::k_over) != 0) return;
  if (fork_thread* const thief = thief_in(state)) {
    thief->stack_.want();
    if (thief->stack_.oldest().job != nullptr) {
      job.state_.fetch_and(~fork_job::k_waiting, sync::relaxed);
      return;
    }
  }
  count(sleeps_);
  crew_.seat_is_free();
  parker_.park();
  crew_.take_seat();
  job.state_.fetch_and(~fork_job::k_waiting, sync::relaxed);
}

void fork_thread::work() noexcept {
  const presence here(*this);
  do {
    while (look_for_work()) {
    }
  } while (crew_.sleep(*this));
}

bool fork_thread::look_for_work() noexcept {
  crew_.begin_search(*this);
  for (int looks = 0; looks < sync::k_fork_looks; ++looks) {
    if (crew_.run_guest_job() || take_from_others()) return true;
    sync::spin_pause();
  }
  crew_.end_search();
  return false;
}

bool fork_thread::take_from_others() noexcept {
  const std::size_t all = crew_.threads();
  for (std::size_t step = 0; step < all; ++step) {
    const std::size_t at = (victim_ + step) % all;
    if (at == number_) continue;
    fork_thread& victim = crew_.thread(at);
    const auto oldest = victim.stack_.oldest();
    if (oldest.job == nullptr) {
      victim.stack_.want_again();
    } else if (victim.stack_.take(oldest)) {
      victim_ = at;
      crew_.end_search_with_work();
      run(*oldest.job, victim);
      return true;
    }
  }
  return false;
}

}  // namespace weir::detail
