#include "weir/detail/completion_core.hpp"

#include <memory>
#include <utility>

#include "base/intrusive_list.hpp"
#include "base/thread_annotations.hpp"
#include "sync/fork.hpp"
#include "sync/mutex.hpp"
#include "sync/parker.hpp"
#include "task/task_home.hpp"
#include "weir/detail/continuation.hpp"
#include "weir/detail/duration.hpp"
#include "weir/detail/prerequisites.hpp"

namespace weir::detail {

namespace {

class completions;

/// A task in the queue, with a reference: in the list of those that have ended, or of the others.
struct entry final : continuation {
  entry(completions& queue, task_base& watched) noexcept;
  ~entry() { release(task); }

  completions& of;
  task_base* task;
  bool helped = false;  ///< a taker has tried to run it
  list_links<entry> links;
};

/// A thread that takes, on its stack; whoever wakes it unlists it first, under the lock.
struct taker {
  sync::parker parker;
  list_links<taker> links;
  bool listed = false;
};

class completions final : public completion_core, public sync::fork_part {
 public:
  completions() { sync::join_forks(*this, sync::fork_rank::queue); }
  ~completions() { sync::leave_forks(*this, sync::fork_rank::queue); }

  void hold_for_fork() noexcept override WEIR_NO_THREAD_SAFETY_ANALYSIS { mutex_.lock(); }
  void resume_parent() noexcept override WEIR_NO_THREAD_SAFETY_ANALYSIS { mutex_.unlock(); }
  void resume_child() noexcept override WEIR_NO_THREAD_SAFETY_ANALYSIS {
    takers_ = {};  // they are not here
    mutex_.unlock();
  }

  void watch(task_base& task) override;
  task_base* take(std::optional<time_point> until, std::stop_token stop) override;
  task_base* try_take() noexcept override;
  std::size_t size() noexcept override;
  std::size_t pending() noexcept override;
  void close() noexcept override;

  void arrive(entry& ended) noexcept;

 private:
  using taker_list = intrusive_list<taker, &taker::links>;
  using entry_list = intrusive_list<entry, &entry::links>;

  static void wake(taker& sleeper) noexcept;
  entry* pop() noexcept WEIR_REQUIRES(mutex_);
  [[gnu::noinline]] void list(taker& self) noexcept WEIR_REQUIRES(mutex_);
  void unlist(taker& self) noexcept WEIR_REQUIRES(mutex_);
  [[nodiscard]] bool may_sleep(taker& self, std::optional<time_point> until,
                               const std::stop_token& stop) noexcept WEIR_REQUIRES(mutex_);
  [[nodiscard]] bool help_one();
  static task_base* hand_out(entry* taken) noexcept;

  sync::mutex mutex_;
  entry_list ended_ WEIR_GUARDED_BY(mutex_);
  std::size_t ended_count_ WEIR_GUARDED_BY(mutex_) = 0;
  entry_list unended_ WEIR_GUARDED_BY(mutex_);
  std::size_t pending_ WEIR_GUARDED_BY(mutex_) = 0;  // the core lives while one is, or it is open
  taker_list takers_ WEIR_GUARDED_BY(mutex_);
  bool closed_ WEIR_GUARDED_BY(mutex_) = false;
};

entry::entry(completions& queue, task_base& watched) noexcept
    : continuation([](continuation& self, task_base&) noexcept {
        auto& ended = static_cast<entry&>(self);
        ended.of.arrive(ended);
      }),
      of(queue),
      task(&watched) {
  retain(watched);
}

void completions::watch(task_base& task) {
  prepare_attach(task);
  auto* const added = new entry(*this, task);
  {
    const sync::lock_guard lock(mutex_);
    ++pending_;
    unended_.push_back(*added);
  }
  attach(task, *added);
}

void completions::wake(taker& sleeper) noexcept {
  sleeper.listed = false;
  sleeper.parker.unpark();
}

void completions::arrive(entry& ended) noexcept {
  bool drop = false;
  bool last = false;
  {
    const sync::lock_guard lock(mutex_);
    --pending_;
    unended_.remove(ended);
    drop = closed_;
    last = closed_ && pending_ == 0;
    if (!drop) {
      ended_.push_back(ended);
      ++ended_count_;
      if (taker* first = takers_.pop_front()) wake(*first);
    }
  }
  if (drop) delete &ended;
  if (last) delete this;
}

// Whoever takes the last one of all leaves nothing to wait for.
entry* completions::pop() noexcept {
  entry* const taken = ended_.pop_front();
  if (taken == nullptr) return nullptr;
  --ended_count_;
  if (ended_count_ + pending_ > 0) return taken;
  while (taker* each = takers_.pop_front()) wake(*each);
  return taken;
}

// Not inlined: where it is, GCC takes the record on the stack for one that outlives its function.
void completions::list(taker& self) noexcept {
  takers_.push_back(self);
  self.listed = true;
}

void completions::unlist(taker& self) noexcept {
  if (self.listed) takers_.remove(self);
  self.listed = false;
}

bool completions::may_sleep(taker& self, std::optional<time_point> until,
                            const std::stop_token& stop) noexcept {
  if (pending_ == 0 || stop.stop_requested()) return false;
  if (until && *until <= sync::real_now()) return false;
  list(self);
  return true;
}

// On a worker a task that is queued in its own pool may have nobody else to run it (B10). Each is
// tried once. True: one has run, or something else has changed.
bool completions::help_one() {
  for (;;) {
    task_base* task = nullptr;
    {
      const sync::lock_guard lock(mutex_);
      entry* next = unended_.front();
      while (next != nullptr && next->helped) next = entry_list::next(*next);
      if (next == nullptr || !ended_.empty()) return false;
      next->helped = true;
      task = next->task;
      retain(*task);
    }
    struct holder {
      task_base* task;
      ~holder() { release(task); }
    } const hold{task};
    if (help_inside(*task) || help_follower(*task)) return true;
  }
}

task_base* completions::hand_out(entry* taken) noexcept {
  if (taken == nullptr) return nullptr;
  const std::unique_ptr<entry> own(taken);
  retain(*own->task);
  return own->task;
}

task_base* completions::take(std::optional<time_point> until, std::stop_token stop) {
  run_deferred();
  const bool helps = !until && !stop.stop_possible() && on_a_worker();
  while (helps && help_one()) {
    if (task_base* const done = try_take()) return done;
  }
  taker self;
  const std::stop_callback give_up(stop, [&self] { self.parker.unpark(); });
  entry* taken = nullptr;
  {
    sync::unique_lock lock(mutex_);
    for (;;) {
      unlist(self);
      taken = pop();
      if (taken != nullptr || !may_sleep(self, until, stop)) break;
      lock.unlock();
      (void)self.parker.park_until(until);
      lock.lock();
    }
  }
  return hand_out(taken);
}

task_base* completions::try_take() noexcept {
  entry* taken = nullptr;
  {
    const sync::lock_guard lock(mutex_);
    taken = pop();
  }
  return hand_out(taken);
}

std::size_t completions::size() noexcept {
  const sync::lock_guard lock(mutex_);
  return ended_count_ + pending_;
}

std::size_t completions::pending() noexcept {
  const sync::lock_guard lock(mutex_);
  return pending_;
}

void completions::close() noexcept {
  entry_list untaken;
  bool last = false;
  {
    const sync::lock_guard lock(mutex_);
    closed_ = true;
    last = pending_ == 0;
    std::swap(untaken, ended_);
  }
  while (entry* each = untaken.pop_front()) delete each;
  if (last) delete this;
}

}  // namespace

completion_core* completion_core::make() { return new completions; }

task_base* completion_core::take_within(std::chrono::nanoseconds limit) {
  if (limit == std::chrono::nanoseconds::max()) return take({}, {});
  return take(saturating_add(sync::real_now(), limit), {});
}

}  // namespace weir::detail
