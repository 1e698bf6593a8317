#include "forkjoin/fork_crew.hpp"

#include <algorithm>

#include "sync/futex.hpp"

/// Protocol: docs/design/fork-sleep.md.
namespace weir::detail {

fork_crew::fork_crew(const work_stealing_options& options)
    : parallelism_(options.parallelism), name_(options.name), awake_(parallelism_) {
  for (std::size_t at = 0; at < parallelism_ + sync::k_fork_guests; ++at)
    threads_.emplace_back(*this, at);
  handles_.reserve(parallelism_);
  try {
    for (std::size_t at = 0; at < parallelism_; ++at) {
      handles_.emplace_back([this, at] {
        sync::name_this_thread(name_.c_str(), at);
        threads_[at].work();
      });
    }
  } catch (...) {
    close();
    throw;
  }
}

fork_crew::~fork_crew() { close(); }

void fork_crew::close() noexcept {
  {
    const sync::lock_guard lock(mutex_);
    closed_ = true;
    while (fork_thread* const sleeper = idle_.front()) {
      unlist(*sleeper);
      sleeper->parker_.unpark();
    }
  }
  for (auto& each : handles_) each.join();
}

bool fork_crew::bring(fork_job& job) noexcept {
  if (fork_thread* const mine = fork_thread::presence::in(*this)) {
    const fork_thread::presence again(*mine);
    return job.run();
  }
  fork_thread* const guest = lend();
  if (guest == nullptr) return hand_over(job);
  const bool succeeded = [&] {
    const fork_thread::presence here(*guest);
    return job.run();
  }();
  take_back(*guest);
  return succeeded;
}

fork_thread* fork_crew::lend() noexcept {
  const sync::lock_guard lock(mutex_);
  for (std::size_t at = parallelism_; at < threads_.size(); ++at) {
    if (threads_[at].lent_) continue;
    threads_[at].lent_ = true;
    ++awake_;
    return &threads_[at];
  }
  return nullptr;
}

void fork_crew::take_back(fork_thread& guest) noexcept {
  {
    const sync::lock_guard lock(mutex_);
    guest.lent_ = false;
  }
  seat_is_free();
}

bool fork_crew::hand_over(fork_job& job) noexcept {
  brought mine(job);
  {
    const sync::lock_guard lock(mutex_);
    brought_.push_back(mine);
    // ordering: fork-idle
    brought_count_.fetch_add(1, sync::seq_cst);
  }
  wake_one(false);
  mine.parker.park();
  return mine.succeeded;
}

bool fork_crew::run_guest_job() noexcept {
  if (brought_count_.load(sync::relaxed) == 0) return false;
  brought* taken = nullptr;
  {
    const sync::lock_guard lock(mutex_);
    taken = brought_.pop_front();
    if (taken == nullptr) return false;
    brought_count_.fetch_sub(1, sync::relaxed);
  }
  end_search_with_work();
  taken->succeeded = taken->job.run();
  taken->parker.unpark();
  return true;
}

void fork_crew::begin_search(fork_thread& self) noexcept {
  if (self.searches_) {
    self.searches_ = false;
  } else {
    searching_.fetch_add(1, sync::relaxed);
  }
}

// Whoever has published work and seen a searcher relies on it: it looks once more before it sleeps.
void fork_crew::end_search() noexcept {
  // ordering: fork-search
  searching_.fetch_sub(1, sync::seq_cst);
}

// The next one looks on in its place.
void fork_crew::end_search_with_work() noexcept {
  // ordering: fork-search
  if (searching_.fetch_sub(1, sync::seq_cst) == 1) wake_one(nobody_waits_outside());
}

// For a caller without a place a thread is woken whether there is a seat or not.
bool fork_crew::nobody_waits_outside() const noexcept {
  // ordering: fork-idle
  return brought_count_.load(sync::seq_cst) == 0;
}

bool fork_crew::something_to_do() const noexcept {
  // ordering: fork-idle
  if (brought_count_.load(sync::seq_cst) != 0) return true;
  return std::any_of(threads_.begin(), threads_.end(),
                     [](const fork_thread& each) { return each.stack_.oldest().job != nullptr; });
}

void fork_crew::ask_all() noexcept {
  for (fork_thread& each : threads_) each.stack_.want();
}

bool fork_crew::sleep(fork_thread& self) noexcept {
  {
    const sync::lock_guard lock(mutex_);
    --awake_;
    if (closed_) return false;
    idle_.push_back(self);
    self.listed_ = true;
    // ordering: fork-idle
    sleeping_.fetch_add(1, sync::seq_cst);
  }
  // From here on whoever publishes work sees a sleeper. Those who work learn of it at their next
  // fork, and what was public before is seen here.
  ask_all();
  const bool found = something_to_do();
  {
    const sync::lock_guard lock(mutex_);
    if (!self.listed_) return true;
    if (found) {
      unlist(self);
      return true;
    }
    self.asleep_ = true;
    ++asleep_;
  }
  for (;;) {
    self.parker_.park();
    const sync::lock_guard lock(mutex_);
    if (!self.listed_) return true;
  }
}

void fork_crew::unlist(fork_thread& sleeper) noexcept {
  idle_.remove(sleeper);
  sleeper.listed_ = false;
  sleeping_.fetch_sub(1, sync::relaxed);
  if (sleeper.asleep_) --asleep_;
  sleeper.asleep_ = false;
  ++awake_;
}

void fork_crew::work_appeared() noexcept { wake_one(true); }

// The last to fall asleep is woken first, its caches being warm.
void fork_crew::wake_one(bool needs_seat) noexcept {
  // ordering: fork-idle
  if (sleeping_.load(sync::seq_cst) == 0) return;
  // ordering: fork-search
  if (searching_.load(sync::seq_cst) != 0) return;
  fork_thread* woken = nullptr;
  {
    const sync::lock_guard lock(mutex_);
    if (needs_seat && awake_ >= parallelism_) return;
    woken = idle_.back();
    if (woken == nullptr) return;
    unlist(*woken);
    woken->searches_ = true;
    searching_.fetch_add(1, sync::relaxed);
  }
  woken->parker_.unpark();
}

// Where this thread was, another one may work: as soon as there is something to take, which may
// have been offered and taken back while there was no seat.
void fork_crew::seat_is_free() noexcept {
  {
    const sync::lock_guard lock(mutex_);
    --awake_;
  }
  // ordering: fork-idle
  if (sleeping_.load(sync::seq_cst) == 0) return;
  ask_all();
  if (something_to_do()) wake_one(nobody_waits_outside());
}

void fork_crew::take_seat() noexcept {
  const sync::lock_guard lock(mutex_);
  ++awake_;
}

work_stealing_stats fork_crew::stats() const noexcept {
  work_stealing_stats sum;
  for (const fork_thread& each : threads_) {
    sum.steals += each.steals_.load(sync::relaxed);
    sum.exposures += each.exposures_.load(sync::relaxed);
    sum.sleeps += each.sleeps_.load(sync::relaxed);
  }
  const sync::lock_guard lock(mutex_);
  sum.sleeping = asleep_;
  return sum;
}

}  // namespace weir::detail
