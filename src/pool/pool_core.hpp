#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "base/intrusive_list.hpp"
#include "pool/admission_entry.hpp"
#include "pool/blocked_submitter.hpp"
#include "pool/guard.hpp"
#include "pool/history.hpp"
#include "pool/inside.hpp"
#include "pool/limits.hpp"
#include "pool/measured_times.hpp"
#include "pool/pending_queue.hpp"
#include "pool/series_core.hpp"
#include "pool/task_chain.hpp"
#include "pool/worker.hpp"
#include "sync/fork.hpp"
#include "sync/mutex.hpp"
#include "task/run_body.hpp"
#include "task/state_word.hpp"
#include "time/clock_listener.hpp"
#include "weir/detail/admission.hpp"
#include "weir/pool_options.hpp"
#include "weir/snapshot.hpp"
#include "weir/stats.hpp"

namespace weir {
class drained_task;
class thread_pool;
}  // namespace weir

namespace weir::detail {

class sightings;

/// The heart of a `thread_pool`: one lock over queue, counts and idle workers. It outlives the pool
/// object as long as workers, cancellers or unread failures need it. No user code runs under the
/// lock; what is decided there is carried out after it.
///
/// One file a duty: admission.cpp (who gets in), resizing.cpp (limits that change), saturation.cpp
/// (what happens to the rest), working.cpp (the worker's loop), continuing.cpp (what follows a
/// task), claiming.cpp (which task is next), idling.cpp (who sleeps, who is woken), ending.cpp
/// (cancel, abort, drain), rest.cpp (close, join, destruction), forking.cpp (what a fork makes of
/// it), recurring.cpp (series), by_wall.cpp (civil time), guarding.cpp (what the guard asks),
/// timing.cpp (what is measured), looking.cpp (what can be seen). Protocols: docs/design/.
class pool_core final : public clock_listener, public sync::fork_part {
 public:
  pool_core(pool_options options, thread_pool* facade);
  pool_core(const pool_core&) = delete;
  pool_core& operator=(const pool_core&) = delete;

  void retain() noexcept;
  void release() noexcept;

  // admission.cpp
  std::optional<refusal> admit(task_base& task, admission_request& request);
  /// The short way for a task that is due at once: false, and nothing has happened, where anything
  /// is not as usual.
  [[nodiscard]] bool admit_at_once(task_base& task) noexcept;
  /// All or none under `reject`, one by one otherwise; cuts `tasks` down to those accepted.
  std::optional<refusal> admit_all(std::vector<task_base*>& tasks);

  // ending.cpp
  /// Ends a task of this pool that the caller has moved to `cancelling`.
  void end_unstarted(task_base& task) noexcept;
  std::size_t cancel_pending();
  std::size_t abort();
  std::vector<drained_task> shutdown_now();
  /// Reports a failure from outside of the workers: to the hook while the pool object exists.
  void report_outside(const std::exception_ptr& error, const task_info& info) noexcept;

  // resizing.cpp
  void change_limits(const std::function<void(limits&)>& change);
  void set_saturation(saturation_policy policy);
  [[nodiscard]] limits current_limits() noexcept;
  [[nodiscard]] std::size_t prestart(std::size_t most) noexcept;
  void pause();
  void resume() noexcept;
  [[nodiscard]] bool paused() noexcept;

  // inside.cpp
  /// The place of the calling thread, if it is a worker of any pool.
  [[nodiscard]] static own_place here() noexcept;
  /// Waits for a task of this pool on its worker `self`, running it in place if it can.
  bool wait_inside(worker& self, task_base& task, sync::deadline until);
  /// Runs it here if it is queued and due; false, and nothing has happened, if not.
  bool run_inside(worker& self, task_base& task);
  void begin_blocking(worker& self) noexcept;
  void end_blocking(worker& self) noexcept;

  // rest.cpp
  void close() noexcept;
  bool join(sync::deadline until);
  bool wait_idle(sync::deadline until);
  /// The destructor of the pool object; gives up its reference.
  void destroy() noexcept;
  [[nodiscard]] bool closed() noexcept;
  [[nodiscard]] bool terminated() noexcept;
  [[nodiscard]] thread_pool* facade() noexcept;

  [[nodiscard]] std::size_t size() noexcept;

  // looking.cpp
  [[nodiscard]] pool_counts counts();
  [[nodiscard]] pool_timings timings();
  [[nodiscard]] pool_stats stats();
  [[nodiscard]] pool_snapshot snapshot(std::size_t limit);
  [[nodiscard]] std::optional<task_snapshot> find(std::uint64_t id);
  /// With a reference for the caller; null when no live task has that number.
  [[nodiscard]] task_base* find_live(std::uint64_t id);

  [[nodiscard]] std::stop_token stop_token() const noexcept { return stop_.get_token(); }
  [[nodiscard]] const pool_options& options() const noexcept { return options_; }
  [[nodiscard]] weir::clock& clock() const noexcept { return *options_.clock; }

  // guarding.cpp
  /// The alarms of bodies on this pool's clock. From now on the guard hears when it is moved.
  [[nodiscard]] alarm_clock& alarms() noexcept;
  /// The guard does something for this pool, outside of locks: the core stays, and the pool
  /// object's destructor waits. Takes the pool's lock.
  void begin_errand() noexcept;
  void end_errand() noexcept;
  /// The guard, under its lock, looks at a watched thread at `now`. Sets `due` to its next look.
  [[nodiscard]] long_body find_long_body(body_watch& watch, time_point now) noexcept;
  /// Reports it and ends the errand.
  void report_long_body(const long_body& found) noexcept;

  // by_wall.cpp
  /// For a civil time, which may have passed. Throws `std::system_error` where nobody could tell
  /// that the clock was set.
  [[nodiscard]] admission_request request_by_wall(wall_point due);

  // recurring.cpp
  /// Lets a series in; `given` is back with its callable where it is refused, and where this
  /// throws.
  std::optional<refusal> start_series(std::unique_ptr<series_body>& given,
                                      const series_times& times, const series_options& options,
                                      admission_request::mode how, series& made);
  void run_occurrence(occurrence& run);
  cancel_result cancel_series(series_core& of);
  bool reschedule(series_core& of, const series_times& times);
  [[nodiscard]] series_snapshot look_at(series_core& of) noexcept;  ///< but for the name
  bool await_series(series_core& of, sync::deadline until);
  [[nodiscard]] series_snapshot show_series(series_core& of);
  [[nodiscard]] std::exception_ptr last_error_of(series_core& of);

  // clock_listener
  void clock_moved(time_point now) noexcept override;
  void wall_moved(time_point now, wall_point wall) noexcept override;
  [[nodiscard]] std::optional<time_point> next_due() noexcept override;

  // continuing.cpp
  /// The continuations of one task that `complete_counted` has counted are over.
  void continuations_over() noexcept;

  // fork_part: forking.cpp
  void hold_for_fork() noexcept override;
  void resume_parent() noexcept override;
  void resume_child() noexcept override;
  [[nodiscard]] const pool_core* older_husk() const noexcept { return older_husk_; }

 private:
  using entry = admission_entry;
  using rest_list = intrusive_list<rest_waiter, &rest_waiter::links>;

  ~pool_core();

  // admission.cpp
  [[nodiscard]] decision decide(const task_base& task) noexcept WEIR_REQUIRES(mutex_);
  [[nodiscard]] decision decide_by_counts(bool delayed) const noexcept WEIR_REQUIRES(mutex_);
  [[nodiscard]] bool too_heavy(std::size_t weight) const noexcept WEIR_REQUIRES(mutex_) {
    return weight > 0 && (counts_.weight > limits_.capacity_weight ||
                          weight > limits_.capacity_weight - counts_.weight);
  }
  /// A light task must not pass a heavy one that waits for room (R10).
  [[nodiscard]] bool must_stand_behind() const noexcept WEIR_REQUIRES(mutex_) {
    return limits_.capacity_weight != unbounded && !blocked_.empty();
  }
  /// Workers that are free to take a task.
  [[nodiscard]] std::size_t free_workers() const noexcept WEIR_REQUIRES(mutex_) {
    const std::size_t counted = std::min(workers_, limits_.max);
    return paused_ || counted < busy_ ? 0 : counted - busy_;
  }
  [[nodiscard]] bool fits(std::size_t takers, std::size_t ready, std::size_t delayed) const noexcept
      WEIR_REQUIRES(mutex_);
  [[nodiscard]] std::size_t waiting_with(std::size_t ready, std::size_t delayed) const noexcept
      WEIR_REQUIRES(mutex_);
  entry enter(task_base& task, admission_request& request) WEIR_EXCLUDES(mutex_);
  entry enter_locked(task_base& task, const admission_request& request) WEIR_REQUIRES(mutex_);
  std::optional<reject_reason> take_in(task_base& task, decision how) WEIR_REQUIRES(mutex_);
  void accept(task_base& task) noexcept WEIR_REQUIRES(mutex_);
  void enter_queue(task_base& task) noexcept WEIR_REQUIRES(mutex_);
  bool start_worker() noexcept WEIR_REQUIRES(mutex_);
  std::optional<refusal> admit_one_by_one(std::vector<task_base*>& tasks);
  std::optional<refusal> admit_together(std::vector<task_base*>& tasks);
  [[nodiscard]] refusal refuse(reject_reason why, const admission_request& request);
  void accepted_event(std::uint64_t id, const admission_request& request) const noexcept;
  [[nodiscard]] bool all_fit(std::size_t ready, std::size_t delayed, std::size_t weight) noexcept
      WEIR_REQUIRES(mutex_);
  void require_bearable(const task_base& task) const WEIR_REQUIRES(mutex_);
  [[nodiscard]] standing_policy policy() noexcept;
  std::optional<refusal> conclude(const entry& entered, const admission_request& request);

  // resizing.cpp
  void grow() noexcept WEIR_REQUIRES(mutex_);
  void reconsider() noexcept WEIR_REQUIRES(mutex_);
  void take_claims_back() WEIR_REQUIRES(mutex_);
  /// Whether a worker that comes for a task must go without.
  [[nodiscard]] bool stands_back() const noexcept WEIR_REQUIRES(mutex_) {
    return paused_ || workers_ > limits_.max;
  }

  // saturation.cpp
  std::optional<refusal> admit_when_full(task_base& task, admission_request& request);
  std::optional<refusal> refuse_full(task_base& task, admission_request& request);
  std::optional<refusal> run_on_caller(task_base& task, admission_request& request);
  std::optional<refusal> discard_new(task_base& task, admission_request& request);
  std::optional<refusal> discard_oldest(task_base& task, admission_request& request);
  [[nodiscard]] task_chain take_victims(const task_base& task) WEIR_REQUIRES(mutex_);
  [[nodiscard]] task_base* take_victim() noexcept WEIR_REQUIRES(mutex_);
  void end_victims(task_chain victims) noexcept;
  std::optional<refusal> wait_for_room(task_base& task, admission_request& request);
  void admit_blocked() noexcept WEIR_REQUIRES(mutex_);
  void unlist_blocked(blocked_submitter& waiter, std::optional<reject_reason> refused) noexcept
      WEIR_REQUIRES(mutex_);
  void refuse_blocked(reject_reason why) noexcept WEIR_REQUIRES(mutex_);

  // working.cpp
  void work(worker& self);
  task_base* next_task(worker& self);
  body_end run_reported(task_base& task, const worker_info& where, pool_core* context);
  task_base* finish_and_claim(worker& self, task_base& task, body_end end) noexcept;
  template <class Counts>
  [[nodiscard]] bool complete(Counts& counts, task_base& task, body_end end) noexcept;
  /// The same with the pool's own counts, and its history. `where`: what has run it.
  [[nodiscard]] bool complete_here(task_base& task, body_end end,
                                   std::optional<std::size_t> where = {}) noexcept
      WEIR_REQUIRES(mutex_);
  void finish_outside(outside_run& run) noexcept;
  /// What the end of a task leaves to do after the lock: wakes whom it must, gives the pool's
  /// reference up.
  static void after_end(task_base& task, bool waited, worker* wake = nullptr) noexcept;
  void lose_worker(worker& self, task_base& task) noexcept;
  void give_up_start(worker& self) noexcept;
  [[nodiscard]] task_chain replace_worker() noexcept WEIR_REQUIRES(mutex_);
  void depart(worker& self) noexcept;
  void handle_unhandled(const std::exception_ptr& error, const task_info& info);
  [[nodiscard]] bool run_start_hook(const worker_info& self);
  void run_stop_hook(const worker_info& self);
  [[nodiscard]] worker_info info_of(const worker& self) const noexcept;

  // continuing.cpp
  [[nodiscard]] bool complete_counted(task_base& task, body_end end,
                                      std::optional<std::size_t> where = {}) noexcept
      WEIR_REQUIRES(mutex_);
  task_base* finish_continued(worker& self, task_base& task, body_end end) noexcept;

  // claiming.cpp
  task_base* start_claimed(worker& self) noexcept WEIR_REQUIRES(mutex_);
  task_base* claim(worker& self) noexcept WEIR_REQUIRES(mutex_);
  task_base* claim_from_queue(worker& self) noexcept WEIR_REQUIRES(mutex_);
  /// A queued task has just been started: its place is free, its lateness counts.
  void note_start(task_base& task) noexcept WEIR_REQUIRES(mutex_);
  void claim_ahead(worker& self) noexcept WEIR_REQUIRES(mutex_);
  task_base* claim_from(worker& other, worker& self) noexcept WEIR_REQUIRES(mutex_);
  task_base* claim_from_stuck(worker& self) noexcept WEIR_REQUIRES(mutex_);
  /// What every new claim ahead begins with; the caller lists it.
  void enter_ahead(worker& self) noexcept WEIR_REQUIRES(mutex_, self.claims.mutex);
  void leave_ahead(worker& owner) noexcept WEIR_REQUIRES(mutex_);
  void fold(worker& owner) noexcept WEIR_REQUIRES(mutex_);
  void fold_held(worker& owner) noexcept WEIR_REQUIRES(mutex_, owner.claims.mutex);
  void fold_all() noexcept WEIR_REQUIRES(mutex_);
  task_base* finish_ahead(worker& self, task_base& task, body_end end) noexcept;
  void tell_start(worker& self) noexcept;
  void ask_for_starts() noexcept WEIR_REQUIRES(mutex_);
  void remove_claimed(task_base& task) noexcept WEIR_REQUIRES(mutex_);
  [[nodiscard]] task_base* discard_claimed(std::size_t& ahead) noexcept WEIR_REQUIRES(mutex_);
  /// Whether a task waits, in the queue or, it may be, in somebody's claims.
  [[nodiscard]] bool has_queued() noexcept WEIR_REQUIRES(mutex_) {
    return queue_.first() != nullptr || !ahead_.empty();
  }

  // guarding.cpp
  [[nodiscard]] bool watches() const noexcept {
    return options_.watchdog.limit > std::chrono::nanoseconds::zero();
  }
  void start_watching();
  void body_begins(body_watch& watch) noexcept;
  [[nodiscard]] long_body judge(body_watch& watch, task_base* task, time_point now) noexcept
      WEIR_REQUIRES(mutex_);
  void print_long_body(const task_info& info, const long_body& found) const;
  /// Watches a body that runs elsewhere than at the bottom of a worker, where bodies are watched.
  class outside_watch {
   public:
    outside_watch(pool_core& core, const outside_run& run) noexcept;
    ~outside_watch();
    outside_watch(const outside_watch&) = delete;
    outside_watch& operator=(const outside_watch&) = delete;

   private:
    std::optional<body_watch> watch_;
  };

  // idling.cpp
  [[nodiscard]] time_point read_clock(worker& self) noexcept;
  void note_time(time_point now) noexcept WEIR_REQUIRES(mutex_);
  [[nodiscard]] bool may_time_out() const noexcept WEIR_REQUIRES(mutex_);
  [[nodiscard]] bool needed_for_delayed() const noexcept WEIR_REQUIRES(mutex_);
  [[nodiscard]] bool leaves(worker& self) noexcept WEIR_REQUIRES(mutex_);
  /// Lists the worker and returns when, on the pool's clock, it must look again; max() = never.
  [[nodiscard]] time_point list_as_idle(worker& self) noexcept WEIR_REQUIRES(mutex_);
  void unlist(worker& self) noexcept WEIR_REQUIRES(mutex_);
  void mark_woken(worker& target) noexcept WEIR_REQUIRES(mutex_);
  /// Whoever must be woken for the work that is there now, marked as woken; the caller unparks it
  /// after the lock is released. Null: nobody.
  [[nodiscard]] worker* whom_to_wake() noexcept WEIR_REQUIRES(mutex_) {
    return waking_ > 0 || idle_.empty() ? nullptr : choose_sleeper();
  }
  [[nodiscard]] worker* choose_sleeper() noexcept WEIR_REQUIRES(mutex_);
  void wake_all_idle() noexcept WEIR_REQUIRES(mutex_);
  bool wake_for(time_point now) noexcept;
  void sleep(worker& self, time_point until) noexcept;
  void fetch_shared_lines() const noexcept;
  static bool rest_before_trim(worker& self, sync::deadline until) noexcept;
  void update_hint() noexcept WEIR_REQUIRES(mutex_);

  // inside.cpp
  [[nodiscard]] bool claim_inside(outside_run& run) noexcept WEIR_REQUIRES(mutex_);
  void run_claimed(outside_run& run, worker* wake);
  [[nodiscard]] bool is_delayed(const task_base& task) const noexcept WEIR_REQUIRES(mutex_);
  /// Throws `std::system_error` where the wait would never end.
  void enter_wait(inside_wait& wait) WEIR_REQUIRES(mutex_);
  void leave_wait(inside_wait& wait) noexcept WEIR_REQUIRES(mutex_);
  [[nodiscard]] bool is_dead(inside_wait& wait) noexcept WEIR_REQUIRES(mutex_);
  [[nodiscard]] bool can_end(const inside_wait& wait, bool somebody) noexcept WEIR_REQUIRES(mutex_);
  [[nodiscard]] inside_wait* host_of(const task_base& task) noexcept WEIR_REQUIRES(mutex_);
  [[nodiscard]] std::string describe(const inside_wait& first) WEIR_REQUIRES(mutex_);
  void poke_waits() noexcept WEIR_REQUIRES(mutex_);
  void enter_blocking(worker& self) noexcept WEIR_REQUIRES(mutex_);
  void leave_blocking(worker& self) noexcept WEIR_REQUIRES(mutex_);

  // recurring.cpp
  [[nodiscard]] time_point latest_now();
  [[nodiscard]] bool replace_plan(series_core& of, rescheduled wanted);
  void apply(rescheduled& wanted, series_core& of, occurrence& next) WEIR_REQUIRES(mutex_);
  void count_skipped(series_core& of) noexcept WEIR_REQUIRES(mutex_);
  [[nodiscard]] series_plan make_plan(const series_times& times, const series_options& options);
  [[nodiscard]] series_plan::reading read_clocks(const series_record& record);
  [[nodiscard]] bool begin_run(series_record& record);
  void end_run(series_record& record) noexcept;
  void arm_next(series_record& record) noexcept;
  void enter_next(series_record& record, occurrence* next, std::optional<series_plan::slot> slot);
  void fail_series(series_record& record, std::exception_ptr error) noexcept;
  [[nodiscard]] admission_request request_for(const series_plan::slot& slot);
  bool stop_bodies(series_core& of);
  void enter_series(occurrence& run) noexcept WEIR_REQUIRES(mutex_);
  void keep_place(occurrence& run) noexcept WEIR_REQUIRES(mutex_);
  void drop_place(series_core& of) noexcept WEIR_REQUIRES(mutex_);
  void leave_series(occurrence& run) noexcept WEIR_REQUIRES(mutex_);
  task_chain take_series(cancel_reason reason) noexcept WEIR_REQUIRES(mutex_);
  [[nodiscard]] static series_snapshot series_now(const series_core& of) noexcept;
  void show_all_series(std::vector<series_snapshot>& shown);

  // by_wall.cpp
  [[nodiscard]] time_point due_by_wall(wall_point due, std::uint32_t round,
                                       time_point as_read) const noexcept WEIR_REQUIRES(mutex_);
  void move_in_queue(task_base& task, time_point due) noexcept WEIR_REQUIRES(mutex_);

  // ending.cpp
  template <class Take>
  task_chain take_queued(Take take) WEIR_REQUIRES(mutex_);
  task_chain take_stranded(cancel_reason reason) noexcept WEIR_REQUIRES(mutex_);
  task_chain take_not_yet_due() noexcept WEIR_REQUIRES(mutex_);
  task_chain stop_and_list_running() noexcept WEIR_REQUIRES(mutex_);
  std::size_t end_taken(task_chain tasks) noexcept;
  void request_stops(task_chain running);
  void give_place_back(task_base& task) noexcept WEIR_REQUIRES(mutex_);
  void cancelled_event(const task_base& task) const noexcept;

  // looking.cpp
  [[nodiscard]] pool_counts counts_now() const noexcept WEIR_REQUIRES(mutex_);
  template <class Visit>
  void visit_worker(worker& at, Visit visit) WEIR_REQUIRES(mutex_);
  template <class Visit>
  void visit_claimed(Visit visit) WEIR_REQUIRES(mutex_);
  void look(sightings& running, sightings& waiting, pool_snapshot& shot) noexcept
      WEIR_REQUIRES(mutex_);
  void look_for(std::uint64_t id, sightings& found) noexcept WEIR_REQUIRES(mutex_);
  void show(const sightings& running, const sightings& waiting, pool_snapshot& shot) const;

  // timing.cpp
  [[nodiscard]] bool measures_next() const noexcept;
  [[nodiscard]] bool measures_this() noexcept;
  body_report run_measured(task_base& task);

  // rest.cpp
  /// Holds the lock for what may be the last thing to happen, and tells so where it was.
  class rest_guard;
  void check_rest() noexcept WEIR_REQUIRES(mutex_);
  void tell_end() noexcept;
  [[nodiscard]] bool at_rest() const noexcept WEIR_REQUIRES(mutex_);
  [[nodiscard]] bool is_own_thread() const noexcept;
  void require_outside(const char* what) const;
  void ensure_worker() noexcept WEIR_REQUIRES(mutex_);
  void close_admission() noexcept WEIR_REQUIRES(mutex_);
  [[nodiscard]] bool await(rest_list pool_core::*list, bool (pool_core::*reached)() const noexcept,
                           sync::deadline until) noexcept;
  [[nodiscard]] bool ended() const noexcept WEIR_REQUIRES(mutex_);
  [[nodiscard]] bool without_errands() const noexcept WEIR_REQUIRES(mutex_);
  static void wake_all(rest_list& list) noexcept;

  // forking.cpp
  void become_husk() noexcept WEIR_REQUIRES(mutex_);
  void leave_husk() noexcept;
  [[nodiscard]] reject_reason why_closed() const noexcept {
    return forked_ ? reject_reason::forked : reject_reason::closed;
  }
  [[nodiscard]] observer* watching() const noexcept {
    return forked_ ? nullptr : options_.observer;
  }

  const pool_options options_;
  const bool claims_ahead_;
  const bool keeps_history_;
  const timing timing_;
  bool forked_ = false;  ///< a husk in a child; written while that has one thread only
  const pool_core* older_husk_ = nullptr;
  std::stop_source stop_;
  alarm_clock alarms_{options_.clock, this};  // unused in real time, whose alarms are all pools'
  sync::atomic<std::size_t> owners_{1};
  /// Whether a claim needs the clock; a hint, read without the lock to read the clock outside of
  /// it.
  sync::atomic<bool> delayed_hint_{false};
  /// How often the civil time was set. Written under the lock.
  sync::atomic<std::uint32_t> wall_round_{0};
  measured_times measured_;
  // Before the lock, so that a worker that wakes up does not fetch all of it (fetch_shared_lines).
  histogram lateness_ WEIR_GUARDED_BY(mutex_);
  history history_ WEIR_GUARDED_BY(mutex_);

  alignas(64) sync::mutex mutex_;
  pending_queue queue_ WEIR_GUARDED_BY(mutex_);
  // Waiting places in use, including those of tasks whose canceller is still at work.
  std::size_t ready_ WEIR_GUARDED_BY(mutex_) = 0;  // may be too high by what fold() would tell
  std::size_t delayed_ WEIR_GUARDED_BY(mutex_) = 0;
  std::size_t held_places_ WEIR_GUARDED_BY(mutex_) = 0;  // of series whose body runs
  std::size_t workers_ WEIR_GUARDED_BY(mutex_) = 0;
  std::size_t busy_ WEIR_GUARDED_BY(mutex_) = 0;
  std::size_t blocking_ WEIR_GUARDED_BY(mutex_) = 0;  // of the busy ones: their bodies are on hold
  std::size_t departing_ WEIR_GUARDED_BY(mutex_) = 0;
  std::size_t waking_ WEIR_GUARDED_BY(mutex_) = 0;
  std::size_t outside_ WEIR_GUARDED_BY(mutex_) = 0;
  std::size_t continuing_ WEIR_GUARDED_BY(mutex_) = 0;  // tasks whose continuations are not over
  std::size_t continuing_workers_ WEIR_GUARDED_BY(mutex_) = 0;
  std::size_t errands_ WEIR_GUARDED_BY(mutex_) = 0;
  intrusive_list<worker, &worker::links> idle_ WEIR_GUARDED_BY(mutex_);
  // Those who may have claims, the oldest claims first.
  intrusive_list<worker, &worker::ahead_links> ahead_ WEIR_GUARDED_BY(mutex_);
  worker* leader_ WEIR_GUARDED_BY(mutex_) = nullptr;  // sleeps until the earliest due time
  time_point leader_until_ WEIR_GUARDED_BY(mutex_){};
  std::uint64_t last_id_ WEIR_GUARDED_BY(mutex_) = 0;
  time_point now_floor_ WEIR_GUARDED_BY(mutex_) = time_point::min();
  limits limits_ WEIR_GUARDED_BY(mutex_);
  bool paused_ WEIR_GUARDED_BY(mutex_) = false;
  bool guarded_ WEIR_GUARDED_BY(mutex_) = false;  // the guard wants to hear of `alarms_`' clock
  bool closed_ WEIR_GUARDED_BY(mutex_) = false;
  bool stopping_ WEIR_GUARDED_BY(mutex_) = false;
  bool ending_ WEIR_GUARDED_BY(mutex_) = false;      // the end has come
  bool end_untold_ WEIR_GUARDED_BY(mutex_) = false;  // on_terminated is yet to be called
  bool terminated_ WEIR_GUARDED_BY(mutex_) = false;
  standing_policy policy_ WEIR_GUARDED_BY(mutex_);
  intrusive_list<blocked_submitter, &blocked_submitter::links> blocked_ WEIR_GUARDED_BY(mutex_);
  std::size_t blocked_count_ WEIR_GUARDED_BY(mutex_) = 0;
  intrusive_list<series_core, &series_core::links> series_ WEIR_GUARDED_BY(mutex_);
  std::size_t series_count_ WEIR_GUARDED_BY(mutex_) = 0;
  // What the clocks showed when the civil time was set last.
  series_plan::reading wall_reading_ WEIR_GUARDED_BY(mutex_){};
  rest_list idle_waiters_ WEIR_GUARDED_BY(mutex_);
  rest_list end_waiters_ WEIR_GUARDED_BY(mutex_);
  rest_list errand_waiters_ WEIR_GUARDED_BY(mutex_);
  intrusive_list<outside_run, &outside_run::links> outside_runs_ WEIR_GUARDED_BY(mutex_);
  intrusive_list<inside_wait, &inside_wait::links> inside_waits_ WEIR_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<worker>> places_ WEIR_GUARDED_BY(mutex_);
  intrusive_list<worker, &worker::links> free_places_ WEIR_GUARDED_BY(mutex_);
  sync::thread last_departed_ WEIR_GUARDED_BY(mutex_);
  thread_pool* facade_ WEIR_GUARDED_BY(mutex_);
  pool_counts counts_ WEIR_GUARDED_BY(mutex_);
};

}  // namespace weir::detail
