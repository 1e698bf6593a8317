#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "oracle/program.hpp"
#include "oracle/subjects.hpp"
#include "support/eventually.hpp"

namespace weir::testing {

/// A short word for each of them, for transcripts.
[[nodiscard]] const char* word(cancel_result answer) noexcept;
[[nodiscard]] const char* word(const std::optional<cancellation>& how) noexcept;

/// Performs a program on one pool. After each step it waits until the pool stands still: every
/// body that runs is held at its gate, no worker is free for a task that is due, every submitter
/// is back or blocked. From there nothing happens by itself, so what is seen is the same for every
/// right pool: `perform` returns it as text. A pool that does not come to a standstill aborts the
/// process, with the program and the state on stderr.
template <class Subject>
class session {
 public:
  explicit session(const program& of) : program_(of), subject_(of, stage_) {
    stage_.stop_requested = &Subject::stop_requested;
  }
  ~session() {
    if (!finished_) (void)finish();
  }
  session(const session&) = delete;
  session& operator=(const session&) = delete;

  std::string perform(const step& next);
  /// Ends the pool in the program's way, then says how each task ended.
  std::string finish();

 private:
  using handle = typename Subject::handle;
  using verb = typename Subject::verb;
  using what = step::what;
  static constexpr std::size_t k_submissions_max = 64;
  static constexpr std::size_t k_beside_max = 3;

  /// One submission and all that is known of it.
  struct entry {
    entry(stage& on, std::size_t number, body_kind kind, std::chrono::nanoseconds due)
        : seen(on, number, kind, due) {}

    trail seen;
    handle held;
    std::string answer;
    bool accepted = false;
    bool opened = false;
    bool waited_on = false;
    bool later = false;                 ///< submitted with a delay
    std::atomic<bool> returned{false};  ///< what stands above may be read
    std::thread submitter;
  };

  /// A thread that waits for something of the pool's.
  struct beside {
    std::function<bool()> is_due;
    bool uses_pool;
    entry* waits_on;
    std::thread thread = {};
    std::atomic<bool> over{false};
  };

  std::string act(const step& next);
  std::string submit(const step& next, verb how);
  std::string submit_all(const step& next);
  std::string on_task(const step& next);
  std::string take(entry& one);
  std::string wait_beside(entry& one);
  std::string pool_wait_beside(bool for_end);
  std::string on_drained(const step& next);
  std::string release(const step& next);
  void offer(entry& one, verb how, std::chrono::nanoseconds delay);
  void start_beside(std::unique_ptr<beside> made, std::function<void()> wait);

  bool settled();
  void settle();
  void reap();
  [[noreturn]] void give_up() const;
  std::string observe();
  void open_all();
  void destroy_in_flight();
  std::string empty();
  std::string empty_and_refill();
  std::string last_words();
  [[nodiscard]] bool has_pool_waiter() const {
    return std::any_of(beside_.begin(), beside_.end(),
                       [](const auto& each) { return each->uses_pool; });
  }
  /// Whether a further worker would run something that makes room at a time of its own.
  [[nodiscard]] bool quick_one_waits() const {
    return std::any_of(entries_.begin(), entries_.end(), [this](const entry& each) {
      return !each.seen.kind.gated && each.seen.starts == 0 && each.seen.callables != 0 &&
             each.seen.due <= stage_.now.load();
    });
  }
  /// Whether workers that all come back at once would decide by their speed who of the blocked gets
  /// in first: what makes room now for the one kind and now for the other is over at a time of its
  /// own.
  [[nodiscard]] bool speed_decides() const {
    const auto waits = [this](bool later) {
      return std::any_of(entries_.begin(), entries_.end(), [later](const entry& each) {
        return !each.returned && each.later == later;
      });
    };
    return program_.max > 1 && waits(false) && waits(true) && quick_one_waits();
  }
  [[nodiscard]] static bool at_rest(const pool_stats& now) {
    return now.queued + now.delayed + now.running == 0;
  }

  entry& add(body_kind kind, std::chrono::nanoseconds due) {
    return entries_.emplace_back(stage_, entries_.size(), kind, due);
  }
  template <class Wanted>
  entry* nth(std::size_t which, Wanted wanted) {
    std::vector<entry*> found;
    for (entry& each : entries_) {
      if (each.returned && wanted(each)) found.push_back(&each);
    }
    return found.empty() ? nullptr : found[which % found.size()];
  }

  const program& program_;
  stage stage_;
  std::deque<entry> entries_;
  Subject subject_;
  std::vector<typename Subject::drained> drained_;
  std::vector<std::unique_ptr<beside>> beside_;
  pool_stats last_;
  std::size_t steps_done_ = 0;
  std::size_t starts_seen_ = 0;
  bool moving_ = false;  ///< inside a burst, the standstill has not been waited for
  std::size_t capacity_ = program_.capacity;
  bool paused_ = false;
  bool closed_ = false;
  bool drained_once_ = false;
  bool finished_ = false;
};

template <class Subject>
std::string session<Subject>::perform(const step& next) {
  const bool submits_now = next.op <= what::submit_all && next.delay().count() == 0;
  if (moving_ && !submits_now) settle();
  // Bodies that stay inside their gates leave the same room whether or not they have begun.
  moving_ = submits_now && next.kind().gated && next.in_a_burst() && !quick_one_waits() &&
            program_.policy != saturation::block;
  std::string seen = act(next);
  ++steps_done_;
  if (moving_) return seen;
  settle();
  return seen + observe();
}

template <class Subject>
std::string session<Subject>::act(const step& next) {
  switch (next.op) {
    case what::submit:
    case what::submit_after:
      return submit(next, verb::submit);
    case what::execute:
      return submit(next, verb::execute);
    case what::try_submit:
    case what::try_submit_after:
      return submit(next, verb::try_submit);
    case what::try_submit_for_no_time:
      return submit(next, verb::try_submit_for_no_time);
    case what::submit_all:
      return submit_all(next);
    case what::release:
      return release(next);
    case what::advance:
      stage_.now = stage_.now.load() + std::chrono::milliseconds(next.which % 5);
      subject_.advance(std::chrono::milliseconds(next.which % 5));
      return "moved";
    case what::set_capacity:
      capacity_ = next.which % 4;
      subject_.set_capacity(capacity_);
      return "places " + std::to_string(capacity_);
    case what::pause:
      paused_ = true;
      subject_.pause();
      return "paused";
    case what::resume:
      if (paused_ && speed_decides()) return "a race";
      paused_ = false;
      subject_.resume();
      return "resumed";
    case what::cancel_pending:
      return "cancelled " + std::to_string(subject_.cancel_pending());
    case what::wait_idle_beside:
      return pool_wait_beside(false);
    case what::join_beside:
      return pool_wait_beside(true);
    case what::run_drained:
    case what::drop_drained:
      return on_drained(next);
    case what::close:
      closed_ = true;
      subject_.close();
      return "closed";
    case what::abort:
      closed_ = true;
      return "aborted " + std::to_string(subject_.abort());
    case what::shutdown_now: {
      closed_ = true;
      drained_once_ = true;
      auto all = subject_.shutdown_now();
      const std::string seen = "drained " + std::to_string(all.size());
      for (auto& each : all) drained_.push_back(std::move(each));
      return seen;
    }
    default:
      return on_task(next);
  }
}

template <class Subject>
std::string session<Subject>::submit(const step& next, verb how) {
  if (entries_.size() >= k_submissions_max) return "enough";
  const auto delay = next.delay();
  entry& one = add(next.kind(), stage_.now.load() + delay);
  one.later = delay.count() > 0;
  const bool may_block =
      program_.policy == saturation::block && (how == verb::submit || how == verb::execute);
  if (!may_block) {
    offer(one, how, delay);
    return one.answer;
  }
  one.submitter = std::thread([this, &one, how, delay] { offer(one, how, delay); });
  return "beside";
}

template <class Subject>
void session<Subject>::offer(entry& one, verb how, std::chrono::nanoseconds delay) {
  {
    body work(one.seen);
    try {
      auto answer = subject_.offer(how, delay, work);
      one.accepted = !answer.refused;
      one.answer = one.accepted ? "accepted" : to_string(*answer.refused);
      one.held = std::move(answer.accepted);
    } catch (const std::invalid_argument&) {
      one.answer = "invalid";
    }
    if (work.intact()) one.answer += ", given back";
  }
  one.returned = true;
}

template <class Subject>
std::string session<Subject>::submit_all(const step& next) {
  if (program_.policy == saturation::block) return "might block";
  if (program_.policy != saturation::reject && quick_one_waits()) return "a quick one waits";
  const std::size_t count = 1 + next.which / 8 % 4;
  if (entries_.size() + count > k_submissions_max) return "enough";
  // One after the other, a body that ends soon may or may not make room for the next one.
  body_kind kind = next.kind();
  kind.gated = kind.gated || program_.policy != saturation::reject;
  std::vector<entry*> made;
  std::vector<body> works;
  for (std::size_t at = 0; at < count; ++at) {
    made.push_back(&add(kind, stage_.now));
    works.emplace_back(made.back()->seen);
  }
  std::vector<handle> accepted;
  const auto refused = subject_.offer_all(works, accepted);
  for (std::size_t at = 0; at < count; ++at) {
    made[at]->accepted = !works[at].intact();
    made[at]->answer = made[at]->accepted ? "accepted" : "given back";
    if (at < accepted.size()) made[at]->held = std::move(accepted[at]);
  }
  works.clear();
  for (entry* each : made) each->returned = true;
  return std::string("all: ") + (refused ? to_string(*refused) : "accepted");
}

template <class Subject>
std::string session<Subject>::release(const step& next) {
  entry* const one = nth(next.which, [](const entry& each) {
    return each.seen.kind.gated && each.seen.entered && !each.opened;
  });
  if (one == nullptr) return "nobody";
  one->opened = true;
  one->seen.leave.open();
  return "released " + std::to_string(one->seen.number);
}

template <class Subject>
std::string session<Subject>::on_task(const step& next) {
  entry* const one = nth(next.which, [](const entry& each) { return each.held.valid(); });
  if (one == nullptr) return "nothing";
  switch (next.op) {
    case what::cancel:
      return word(one->held.cancel(false));
    case what::cancel_if_queued:
      return word(one->held.cancel(true));
    case what::look:
      return std::to_string(one->held.id()) + " " + to_string(one->held.state());
    case what::wait_beside:
      return wait_beside(*one);
    case what::take:
      return one->waited_on || !is_terminal(one->held.state()) ? "too early" : take(*one);
    default:
      break;
  }
  // Who lets go last decides where a failure is reported; that must be here.
  if (one->waited_on) return "waited on";
  one->held = handle();
  return "dropped " + std::to_string(one->seen.number);
}

template <class Subject>
std::string session<Subject>::take(entry& one) {
  std::string seen;
  try {
    const int value = one.held.get();
    seen = value == body::value_of(one.seen.number) ? "value" : "a wrong value";
  } catch (const body_failure& failure) {
    seen = failure.number == one.seen.number ? "threw" : "threw what is not its own";
  } catch (const task_cancelled& cancelled) {
    seen = to_string(cancelled.reason());
  }
  one.held = handle();
  return seen;
}

template <class Subject>
std::string session<Subject>::wait_beside(entry& one) {
  if (one.waited_on || beside_.size() >= k_beside_max) return "enough";
  one.waited_on = true;
  auto made = std::make_unique<beside>();
  made->is_due = [&one] { return is_terminal(one.held.state()); };
  made->uses_pool = false;
  made->waits_on = &one;
  start_beside(std::move(made), one.held.waiter());
  return "waits";
}

template <class Subject>
std::string session<Subject>::pool_wait_beside(bool for_end) {
  if (beside_.size() >= k_beside_max) return "enough";
  auto made = std::make_unique<beside>();
  made->is_due = [this, for_end] { return at_rest(last_) && (!for_end || closed_); };
  made->uses_pool = true;
  made->waits_on = nullptr;
  start_beside(std::move(made), [this, for_end] {
    if (for_end) {
      subject_.join();
    } else {
      subject_.wait_idle();
    }
  });
  return "waits";
}

template <class Subject>
void session<Subject>::start_beside(std::unique_ptr<beside> made, std::function<void()> wait) {
  made->thread = std::thread([wait = std::move(wait), &over = made->over] {
    wait();
    over = true;
  });
  beside_.push_back(std::move(made));
}

template <class Subject>
std::string session<Subject>::on_drained(const step& next) {
  if (drained_.empty()) return "nothing";
  const auto at = drained_.begin() + static_cast<std::ptrdiff_t>(next.which % drained_.size());
  {
    auto chosen = std::move(*at);
    std::vector<typename Subject::drained> rest;
    for (auto each = drained_.begin(); each != drained_.end(); ++each) {
      if (each != at) rest.push_back(std::move(*each));
    }
    drained_.swap(rest);
    if (next.op == what::run_drained) chosen();
  }
  return "done";
}

// What is seen of the bodies is looked at before the pool's counts: a body that was inside its gate
// then is inside now, so equal numbers mean that no other runs.
template <class Subject>
bool session<Subject>::settled() {
  std::size_t inside = 0;
  std::size_t submitting = 0;
  bool startable = false;
  for (entry& each : entries_) {
    if (!each.returned) {
      ++submitting;
      continue;
    }
    if (each.seen.kind.gated && each.seen.entered && !each.opened) ++inside;
    startable =
        startable || (each.accepted && !drained_once_ && each.seen.due <= stage_.now.load() &&
                      each.seen.starts == 0 && each.seen.callables != 0);
  }
  last_ = subject_.stats();
  if (last_.running != inside || last_.blocked != submitting) return false;
  if (!paused_ && last_.idle != 0 && (startable || last_.queued != 0)) return false;
  if (closed_ && at_rest(last_) && !subject_.terminated()) return false;
  return std::all_of(beside_.begin(), beside_.end(),
                     [](const auto& each) { return each->over || !each->is_due(); });
}

template <class Subject>
void session<Subject>::settle() {
  const auto deadline = std::chrono::steady_clock::now() + k_patience;
  for (std::size_t look = 0; !settled(); ++look) {
    if (look % 1024 == 1023 && std::chrono::steady_clock::now() > deadline) give_up();
    if (look < 4096) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }
  moving_ = false;
  reap();
}

// Joins what is over, so that nobody but the session holds a task any more.
template <class Subject>
void session<Subject>::reap() {
  for (const auto& each : beside_) {
    if (!each->over) continue;
    each->thread.join();
    if (each->waits_on != nullptr) each->waits_on->waited_on = false;
  }
  std::erase_if(beside_, [](const auto& each) { return !each->thread.joinable(); });
  for (entry& each : entries_) {
    if (each.returned && each.submitter.joinable()) each.submitter.join();
  }
}

template <class Subject>
void session<Subject>::give_up() const {
  std::fprintf(stderr,
               "%s does not come to a standstill after %zu steps: %zu queued, %zu delayed, %zu "
               "running, %zu workers, %zu idle, %zu blocked\n%s\n",
               Subject::k_name, steps_done_, last_.queued, last_.delayed, last_.running,
               last_.workers, last_.idle, last_.blocked, describe(program_).c_str());
  std::abort();
}

template <class Subject>
std::string session<Subject>::observe() {
  std::ostringstream seen;
  seen << "; queued " << last_.queued << " delayed " << last_.delayed << " running "
       << last_.running << " blocked " << last_.blocked << ", accepted " << last_.accepted
       << " succeeded " << last_.succeeded << " failed " << last_.failed << " cancelled "
       << last_.cancelled << " drained " << last_.drained << " refused " << last_.refused
       << " discarded " << last_.discarded << " caller_ran " << last_.caller_ran;
  // When exactly idle workers leave is left to the pool.
  if (!program_.workers_leave && !closed_) {
    seen << ", workers " << last_.workers << " idle " << last_.idle;
  }
  seen << (subject_.terminated() ? ", terminated;" : ";");
  for (const entry& each : entries_) {
    seen << ' ' << each.seen.number << ':';
    if (!each.returned) {
      seen << "blocked";
      continue;
    }
    seen << each.answer;
    if (each.held.valid()) {
      seen << '#' << each.held.id() << ' ' << to_string(each.held.state())
           << word(each.held.cancellation());
    }
    seen << (each.seen.starts != 0 ? ", started" : "") << (each.seen.saw_stop ? ", stopped" : "")
         << (each.seen.early ? ", early" : "");
    if (each.seen.starts > 1) seen << ' ' << each.seen.starts << " times";
    if (each.seen.callables != 0) seen << ", alive";
  }
  if (program_.max > 1) return seen.str();
  const auto started = stage_.started();
  seen << "; in order";
  for (; starts_seen_ < started.size(); ++starts_seen_) seen << ' ' << started[starts_seen_];
  return seen.str();
}

template <class Subject>
void session<Subject>::open_all() {
  for (entry& each : entries_) {
    each.opened = true;
    each.seen.leave.open();
  }
}

// Blocked submitters are sent away first: with the gates open they might still get in.
template <class Subject>
void session<Subject>::destroy_in_flight() {
  std::thread destroyer([this] { subject_.destroy(); });
  const bool sent_away = eventually([this] {
    return std::all_of(entries_.begin(), entries_.end(),
                       [](const entry& each) { return each.returned.load(); });
  });
  if (!sent_away) give_up();
  open_all();
  destroyer.join();
}

template <class Subject>
std::string session<Subject>::empty() {
  std::string seen;
  do {
    seen += "cancelled " + std::to_string(subject_.cancel_pending()) + " ";
    settle();
  } while (last_.queued + last_.delayed != 0);
  return seen;
}

// B2 and B3, after whatever has happened: all places are free again, and exactly W + Q.
template <class Subject>
std::string session<Subject>::empty_and_refill() {
  std::string seen;
  if (paused_ && speed_decides()) seen += empty();
  paused_ = false;
  subject_.resume();
  settle();
  seen += empty();
  open_all();
  settle();
  seen += observe();
  if (!closed_) {
    std::size_t fit = 0;
    for (bool accepted = true; accepted; fit += accepted ? 1 : 0) {
      entry& one = add({.gated = true}, stage_.now);
      offer(one, verb::try_submit, {});
      accepted = one.accepted;
    }
    settle();
    seen += observe() + " fit " + std::to_string(fit);
    if (fit != program_.max + capacity_) seen += ", the wrong number";
    open_all();
    settle();
    subject_.wait_idle();
    closed_ = true;
    subject_.close();
    settle();
  }
  subject_.join();
  seen += observe();
  subject_.destroy();
  return seen;
}

template <class Subject>
std::string session<Subject>::finish() {
  finished_ = true;
  if (moving_) settle();
  std::string seen;
  if (program_.destroyed_in_flight && !has_pool_waiter()) {
    destroy_in_flight();
  } else {
    seen = empty_and_refill();
  }
  drained_.clear();
  return seen + last_words();
}

template <class Subject>
std::string session<Subject>::last_words() {
  const bool all_over = eventually([this] {
    return std::all_of(beside_.begin(), beside_.end(),
                       [](const auto& each) { return each->over.load(); });
  });
  if (!all_over) give_up();
  reap();
  std::string seen = "; in the end";
  for (entry& each : entries_) {
    seen += ' ' + std::to_string(each.seen.number) + ':' + each.answer;
    if (each.held.valid()) {
      seen += is_terminal(each.held.state()) ? ' ' + take(each) : std::string(" never over");
    }
    if (each.seen.starts != 0) seen += ", started " + std::to_string(each.seen.starts);
    if (each.seen.callables != 0) seen += ", alive";
    if (each.seen.early) seen += ", early";
  }
  return seen + "; reports " + std::to_string(stage_.reports);
}

}  // namespace weir::testing
