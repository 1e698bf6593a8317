#include "oracle/oracle_pool.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace weir::testing {

using std::chrono::nanoseconds;

struct oracle_pool::task {
  task(std::shared_ptr<core> pool, bool with_future) : home(std::move(pool)), future(with_future) {}
  ~task();

  const std::shared_ptr<core> home;
  const bool future;
  std::optional<body> work;
  bool delayed = false;
  nanoseconds due{0};

  // Guarded by the pool's mutex.
  std::uint64_t id = 0;
  task_state state = task_state::queued;
  std::optional<weir::cancellation> how;
  cancel_reason reason = cancel_reason::cancelled;
  bool drained = false;
  bool read = false;
  int value = 0;
  std::exception_ptr failure;
};

namespace {

/// B8: the order in which tasks start.
constexpr auto before = [](const auto& left, const auto& right) {
  return std::pair(left->due, left->id) < std::pair(right->due, right->id);
};
constexpr auto after = [](const auto& left, const auto& right) { return before(right, left); };

}  // namespace

struct oracle_pool::core : std::enable_shared_from_this<core> {
  using owned = std::shared_ptr<task>;
  using lock = std::unique_lock<std::mutex>;

  core(oracle_options with, std::atomic<std::size_t>& to) : options(with), reports(to) {}

  oracle_options options;  // guarded by the mutex
  std::atomic<std::size_t>& reports;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<owned> ready;     // due when submitted
  std::vector<owned> delayed;  // a heap, the first in order on top
  std::vector<owned> running;
  std::size_t busy = 0;     // of the running, those on workers
  std::size_t workers = 0;  // that have not left
  std::vector<std::thread> threads;
  nanoseconds now{0};
  std::uint64_t last_id = 0;
  bool closed = false;
  bool paused = false;
  pool_stats counts;

  struct blocked_submitter {
    owned waits;
    bool decided = false;
    std::optional<reject_reason> refused = {};
  };
  std::list<blocked_submitter*> blocked;

  // B2: W + Q tasks in all, and waiting places alone for what is not yet due.
  [[nodiscard]] bool has_room(bool for_delayed) const {
    const std::size_t free = paused ? 0 : options.max - busy;
    // B2: what a free worker takes needs no place, whoever has lost his to a lowered capacity
    // (R31).
    if (!for_delayed && ready.size() < free) return true;
    return places(for_delayed, free) <= options.capacity;
  }

  // R14: workers of a paused pool take nothing.
  [[nodiscard]] std::size_t takers() const { return paused ? 0 : workers - busy; }

  void start_worker() {
    ++workers;
    threads.emplace_back([this] { work(); });
  }

  // E6: what a change of limits leads to.
  void reconsider() {
    if (!paused) {
      const auto lacks_worker = [this] {
        if (workers == options.max || ready.size() <= takers()) return false;
        const std::size_t waiting = delayed.size() + ready.size() - takers();
        return workers < options.core || waiting > options.capacity;
      };
      while (lacks_worker()) start_worker();
      if (workers == 0 && first(false) != nullptr) start_worker();
    }
    admit_blocked();
    changed.notify_all();
  }

  /// Waiting places in use with one task more, where `takers` workers take one ready task each.
  [[nodiscard]] std::size_t places(bool one_more_delayed, std::size_t takers) const {
    const std::size_t due = ready.size() + (one_more_delayed ? 0 : 1);
    const std::size_t later = delayed.size() + (one_more_delayed ? 1 : 0);
    return later + (due > takers ? due - takers : 0);
  }

  // B1: up to `core` workers first, then the waiting places, then further workers.
  void accept(const owned& taken) {
    if (!paused && (workers < options.core || workers == 0 ||
                    ((taken->delayed || ready.size() >= takers()) &&
                     places(taken->delayed, takers()) > options.capacity))) {
      start_worker();
    }
    taken->id = ++last_id;
    ++counts.accepted;
    // R3: what is due at once is dated only while a delayed task is pending, on acceptance, and
    // stays behind its predecessors in any case.
    if (!taken->delayed) {
      taken->due = delayed.empty() ? nanoseconds(0) : now;
      if (!ready.empty()) taken->due = std::max(taken->due, ready.back()->due);
    }
    if (taken->delayed) {
      delayed.push_back(taken);
      std::push_heap(delayed.begin(), delayed.end(), after);
    } else {
      ready.push_back(taken);
    }
    changed.notify_all();
  }

  // R10: first come, first served among those that want the same kind of place.
  void admit_blocked() {
    bool stuck[2] = {false, false};
    for (auto at = blocked.begin(); at != blocked.end();) {
      blocked_submitter& next = **at;
      const bool kind = next.waits->delayed;
      stuck[kind] = stuck[kind] || !has_room(kind);
      if (stuck[kind]) {
        ++at;
        continue;
      }
      accept(next.waits);
      next.decided = true;
      at = blocked.erase(at);
    }
  }

  /// The first task in order; null where there is none, or none that is due.
  owned first(bool due_only) const {
    owned found;
    if (!ready.empty()) found = ready.front();
    if (!delayed.empty() && (!due_only || delayed.front()->due <= now) &&
        (found == nullptr || before(delayed.front(), found))) {
      found = delayed.front();
    }
    return found;
  }

  void unlist(const owned& gone) {
    std::erase(ready, gone);
    std::erase(delayed, gone);
    std::make_heap(delayed.begin(), delayed.end(), after);
  }

  void work() {
    lock hold(mutex);
    while (!(closed && ready.empty() && delayed.empty())) {
      const owned next = paused ? nullptr : first(true);
      if (next == nullptr) {
        changed.wait(hold);
        continue;
      }
      unlist(next);
      ++busy;
      run(next, hold, [this] { --busy; });
    }
    --workers;
    changed.notify_all();
  }

  /// Runs a body with the lock released; `leave` is called in the step in which its task ends.
  template <class Leave>
  void run(const owned& mine, lock& hold, Leave leave);
  void end(task& over, bool threw);
  void cancel_unstarted(const owned& gone, cancel_reason why);
  std::optional<reject_reason> admit(const owned& offered, verb how, lock& hold);
  std::optional<reject_reason> when_full(const owned& offered, verb how, lock& hold);
  [[nodiscard]] std::vector<owned> victims_for(const task& offered) const;
  std::optional<reject_reason> refuse(reject_reason why) {
    ++counts.refused;
    return why;
  }
  owned make(verb how, nanoseconds delay, body& work);
  void shut();
  void stop_running();
  std::size_t cancel_queued(cancel_reason why, bool not_yet_due_only);
  void request_stop(task& asked, cancel_reason why) {
    if (asked.state != task_state::running) return;
    asked.state = task_state::cancel_requested;
    asked.reason = why;
  }
  [[nodiscard]] bool at_rest() const { return ready.empty() && delayed.empty() && running.empty(); }
  [[nodiscard]] bool terminated() const { return closed && at_rest() && workers == 0; }
  void discard(task& fresh);
};

namespace {

thread_local bool (*t_asks)(const void*) = nullptr;
thread_local const void* t_task = nullptr;

}  // namespace

// D5: whoever fails without a reader is reported.
oracle_pool::task::~task() {
  if (future && state == task_state::failed && !read) ++home->reports;
}

template <class Leave>
void oracle_pool::core::run(const owned& mine, lock& hold, Leave leave) {
  mine->state = task_state::running;
  running.push_back(mine);
  admit_blocked();
  changed.notify_all();
  hold.unlock();
  const auto outer = std::pair(t_asks, t_task);
  t_task = mine.get();
  t_asks = [](const void* asked) {
    const auto& self = *static_cast<const task*>(asked);
    const std::lock_guard look(self.home->mutex);
    return self.state == task_state::cancel_requested;
  };
  try {
    mine->value = (*mine->work)();
  } catch (...) {
    mine->failure = std::current_exception();
  }
  std::tie(t_asks, t_task) = outer;
  mine->work.reset();  // A4: before the task is terminal
  hold.lock();
  std::erase(running, mine);
  leave();
  end(*mine, mine->failure != nullptr);
  admit_blocked();
  changed.notify_all();
}

// A3: a value that comes after a stop request is dropped.
void oracle_pool::core::end(task& over, bool threw) {
  if (over.state == task_state::cancel_requested) {
    over.state = task_state::cancelled;
    over.how = threw ? cancellation::threw : cancellation::returned;
    if (!over.drained) ++counts.cancelled;
  } else if (threw) {
    over.state = task_state::failed;
    if (!over.drained) ++counts.failed;
    if (!over.future) ++reports;
  } else {
    over.state = task_state::succeeded;
    if (!over.drained) ++counts.succeeded;
  }
}

void oracle_pool::core::cancel_unstarted(const owned& gone, cancel_reason why) {
  unlist(gone);
  gone->work.reset();
  gone->state = task_state::cancelled;
  gone->how = cancellation::never_started;
  gone->reason = why;
  if (!gone->drained) ++counts.cancelled;
  changed.notify_all();
}

oracle_pool::core::owned oracle_pool::core::make(verb how, nanoseconds delay, body& work) {
  auto made = std::make_shared<task>(shared_from_this(), how != verb::execute);
  made->delayed = delay > nanoseconds(0);
  made->due = now + delay;
  made->work = std::move(work);
  return made;
}

std::optional<reject_reason> oracle_pool::core::admit(const owned& offered, verb how, lock& hold) {
  if (closed) return refuse(reject_reason::closed);
  if (!has_room(offered->delayed)) return when_full(offered, how, hold);
  accept(offered);
  return std::nullopt;
}

// R22: a new task that is discarded has been refused.
void oracle_pool::core::discard(task& fresh) {
  ++counts.refused;
  ++counts.discarded;
  fresh.work.reset();
  fresh.state = task_state::cancelled;
  fresh.how = cancellation::never_started;
  fresh.reason = cancel_reason::discarded;
}

// R9: as many as are needed or none; those that free workers are about to take are not waiting.
std::vector<oracle_pool::core::owned> oracle_pool::core::victims_for(const task& offered) const {
  const std::size_t taken = std::min(takers(), ready.size());
  const std::size_t needed = places(offered.delayed, takers()) - options.capacity;
  if (needed == 1) {
    const owned one = taken == 0 ? first(true) : taken < ready.size() ? ready[taken] : nullptr;
    return one == nullptr ? std::vector<owned>() : std::vector<owned>{one};
  }
  if (ready.size() - taken < needed) return {};
  const auto from = ready.begin() + static_cast<std::ptrdiff_t>(taken);
  return {from, from + static_cast<std::ptrdiff_t>(needed)};
}

// B4, and for the try_ verbs B5.
std::optional<reject_reason> oracle_pool::core::when_full(const owned& offered, verb how,
                                                          lock& hold) {
  if (how == verb::try_submit) return refuse(reject_reason::saturated);
  if (how == verb::try_submit_for_no_time) return refuse(reject_reason::deadline);
  switch (options.policy) {
    case saturation::reject:
      break;
    case saturation::caller_runs:
      if (offered->delayed) break;  // R8
      offered->id = ++last_id;
      ++counts.accepted;
      ++counts.caller_ran;
      run(offered, hold, [] {});
      return std::nullopt;
    case saturation::discard:
      discard(*offered);
      return std::nullopt;
    case saturation::discard_oldest: {
      const auto victims = victims_for(*offered);
      if (victims.empty()) {
        discard(*offered);
        return std::nullopt;
      }
      for (const owned& each : victims) {
        cancel_unstarted(each, cancel_reason::discarded);
        ++counts.discarded;
      }
      accept(offered);
      return std::nullopt;
    }
    case saturation::block: {
      if (offered->delayed && options.capacity == 0) {
        throw std::invalid_argument("oracle: there is no waiting place to wait for");  // R13
      }
      blocked_submitter self{offered};
      blocked.push_back(&self);
      changed.wait(hold, [&self] { return self.decided; });
      return self.refused;
    }
  }
  return refuse(reject_reason::saturated);
}

void oracle_pool::core::shut() {
  closed = true;
  for (blocked_submitter* each : blocked) {
    each->refused = refuse(reject_reason::closed);
    each->decided = true;
  }
  blocked.clear();
  changed.notify_all();
}

void oracle_pool::core::stop_running() {
  for (const owned& each : running) request_stop(*each, cancel_reason::aborted);
}

std::size_t oracle_pool::core::cancel_queued(cancel_reason why, bool not_yet_due_only) {
  std::vector<owned> all(ready.begin(), ready.end());
  all.insert(all.end(), delayed.begin(), delayed.end());
  if (not_yet_due_only) std::erase_if(all, [this](const owned& each) { return each->due <= now; });
  for (const owned& each : all) cancel_unstarted(each, why);
  admit_blocked();
  return all.size();
}

oracle_pool::oracle_pool(oracle_options options, std::atomic<std::size_t>& reports)
    : core_(std::make_shared<core>(options, reports)) {}

// E4: what is not yet due is cancelled, the rest is run.
oracle_pool::~oracle_pool() {
  core& in = *core_;
  {
    core::lock hold(in.mutex);
    in.shut();
    if (std::exchange(in.paused, false)) in.reconsider();
    in.cancel_queued(cancel_reason::closed, true);
    in.changed.wait(hold, [&in] { return in.terminated(); });
  }
  for (std::thread& each : in.threads) each.join();
}

oracle_pool::answer oracle_pool::offer(verb how, nanoseconds delay, body& work) {
  if (delay < nanoseconds(0)) throw std::invalid_argument("oracle: the delay is negative");
  const std::shared_ptr<core> in = core_;  // a blocked submitter may outlive the pool
  core::lock hold(in->mutex);
  const core::owned made = in->make(how, delay, work);
  try {
    if (const auto why = in->admit(made, how, hold)) {
      work = std::move(*made->work);
      return {why, {}};
    }
  } catch (...) {
    work = std::move(*made->work);
    throw;
  }
  return {std::nullopt, made->future ? handle(made) : handle()};
}

std::optional<reject_reason> oracle_pool::offer_all(std::vector<body>& works,
                                                    std::vector<handle>& accepted) {
  core& in = *core_;
  core::lock hold(in.mutex);
  if (in.options.policy == saturation::reject) {
    const std::size_t due = in.ready.size() + works.size();
    const std::size_t free = in.paused ? 0 : in.options.max - in.busy;
    const bool fits = due <= free || in.delayed.size() + (due - free) <= in.options.capacity;
    if (in.closed || !fits) {
      in.counts.refused += works.size();
      return in.closed ? reject_reason::closed : reject_reason::saturated;
    }
  }
  for (body& work : works) {
    const core::owned made = in.make(verb::submit, nanoseconds(0), work);
    if (const auto why = in.admit(made, verb::submit, hold)) {
      work = std::move(*made->work);
      accepted.clear();
      return why;
    }
    accepted.push_back(handle(made));
  }
  return std::nullopt;
}

void oracle_pool::set_capacity(std::size_t places) {
  const core::lock hold(core_->mutex);
  // What changes nothing is no occasion to look anew: nobody's keep-alive starts again.
  if (std::exchange(core_->options.capacity, places) != places) core_->reconsider();
}

void oracle_pool::pause() {
  const core::lock hold(core_->mutex);
  core_->paused = true;
}

void oracle_pool::resume() {
  const core::lock hold(core_->mutex);
  if (!std::exchange(core_->paused, false)) return;
  core_->reconsider();
}

void oracle_pool::close() {
  const core::lock hold(core_->mutex);
  core_->shut();
}

std::size_t oracle_pool::abort() {
  const core::lock hold(core_->mutex);
  core_->shut();
  core_->stop_running();
  return core_->cancel_queued(cancel_reason::aborted, false);
}

std::vector<oracle_pool::drained> oracle_pool::shutdown_now() {
  const core::lock hold(core_->mutex);
  core_->shut();
  core_->stop_running();
  std::vector<drained> all;
  while (const core::owned next = core_->first(false)) {
    core_->unlist(next);
    next->drained = true;
    ++core_->counts.drained;
    all.emplace_back(next);
  }
  core_->changed.notify_all();
  return all;
}

std::size_t oracle_pool::cancel_pending() {
  const core::lock hold(core_->mutex);
  return core_->cancel_queued(cancel_reason::cancelled, false);
}

void oracle_pool::join() {
  core::lock hold(core_->mutex);
  core_->changed.wait(hold, [this] { return core_->terminated(); });
}

void oracle_pool::wait_idle() {
  core::lock hold(core_->mutex);
  core_->changed.wait(hold, [this] { return core_->at_rest(); });
}

bool oracle_pool::terminated() const {
  const core::lock hold(core_->mutex);
  return core_->terminated();
}

pool_stats oracle_pool::stats() const {
  const core::lock hold(core_->mutex);
  pool_stats now = core_->counts;
  now.queued = core_->ready.size();
  now.delayed = core_->delayed.size();
  now.running = core_->running.size();
  now.workers = core_->workers;
  now.idle = core_->workers - core_->busy;
  now.blocked = core_->blocked.size();
  return now;
}

void oracle_pool::advance(nanoseconds step) {
  const core::lock hold(core_->mutex);
  core_->now += step;
  core_->changed.notify_all();
}

bool oracle_pool::stop_requested() { return t_asks != nullptr && t_asks(t_task); }

cancel_result oracle_pool::handle::cancel(bool only_if_queued) {
  core& in = *task_->home;
  const core::lock hold(in.mutex);
  switch (task_->state) {
    case task_state::queued:
      in.cancel_unstarted(task_, cancel_reason::cancelled);
      in.admit_blocked();
      return cancel_result::cancelled;
    case task_state::running:
    case task_state::cancel_requested:
      if (only_if_queued) return cancel_result::too_late;
      in.request_stop(*task_, cancel_reason::cancelled);
      return cancel_result::requested;
    default:
      return cancel_result::too_late;
  }
}

task_state oracle_pool::handle::state() const {
  const core::lock hold(task_->home->mutex);
  return task_->state;
}

std::optional<cancellation> oracle_pool::handle::cancellation() const {
  const core::lock hold(task_->home->mutex);
  return task_->how;
}

std::uint64_t oracle_pool::handle::id() const {
  const core::lock hold(task_->home->mutex);
  return task_->id;
}

void oracle_pool::handle::wait() const {
  core::lock hold(task_->home->mutex);
  task_->home->changed.wait(hold, [this] { return is_terminal(task_->state); });
}

int oracle_pool::handle::get() {
  wait();
  const auto taken = std::exchange(task_, nullptr);
  const core::lock hold(taken->home->mutex);
  taken->read = true;
  if (taken->state == task_state::failed) std::rethrow_exception(taken->failure);
  if (taken->state == task_state::cancelled) throw task_cancelled(taken->reason);
  return taken->value;
}

oracle_pool::drained::~drained() {
  if (task_ == nullptr) return;
  const core::lock hold(task_->home->mutex);
  if (task_->state == task_state::queued) {
    task_->home->cancel_unstarted(task_, cancel_reason::aborted);
  }
}

// R21: outside of the pool's counts; cancelled meanwhile, it is not run.
void oracle_pool::drained::operator()() {
  const auto mine = std::exchange(task_, nullptr);
  core& in = *mine->home;
  core::lock hold(in.mutex);
  if (mine->state != task_state::queued) return;
  in.run(mine, hold, [] {});
}

}  // namespace weir::testing
