#pragma once

#include <algorithm>
#include <cstdint>

#include "base/intrusive_list.hpp"
#include "pool/alarm_heap.hpp"
#include "pool/body_watch.hpp"
#include "sync/fork.hpp"
#include "sync/mutex.hpp"
#include "sync/parker.hpp"
#include "sync/thread.hpp"
#include "weir/clock.hpp"

namespace weir::detail {

/// The alarms that wait on one clock: on real time, which all pools on it share, or on the clock of
/// one pool. All but the two pointers is guarded by the guard's mutex.
struct alarm_clock {
  alarm_clock() = default;
  alarm_clock(weir::clock* clock, pool_core* owner) noexcept : source(clock), core(owner) {}

  weir::clock* const source = nullptr;  ///< null: real time
  /// Kept from its end while the guard reads `source`; may be null where that outlives the guard.
  pool_core* const core = nullptr;

  alarm_heap limits;                       ///< of bodies
  alarm_heap watches;                      ///< the watchdogs' `body_watch`es
  time_point floor = time_point::min();    ///< the latest that the guard knows this clock to show
  time_point look_at = time_point::max();  ///< real time of the guard's next look at this clock
  std::uint64_t round = 0;                 ///< in which the guard looked last
  list_links<alarm_clock> links;
  bool listed = false;  ///< among the guard's clocks: something is armed

  [[nodiscard]] bool idle() const noexcept { return limits.empty() && watches.empty(); }
  /// The earliest due time of all alarms; `max()` when there is none.
  [[nodiscard]] time_point earliest() const noexcept {
    const time_point limit = limits.empty() ? time_point::max() : limits.front()->due;
    return watches.empty() ? limit : std::min(limit, watches.front()->due);
  }
};

/// The one thread of the process that watches how long bodies run. It sleeps until the earliest
/// deadline, without limit when nothing is armed; it asks bodies to stop whose time is over, runs
/// their stop callbacks and the watchdogs' reports, one after the other. Shared object: safe. Lock
/// order: clock registry, guard, pool. Protocol: docs/design/guard.md.
class guard final : public sync::fork_part {
 public:
  guard() { sync::join_forks(*this, sync::fork_rank::guard); }
  ~guard() { sync::leave_forks(*this, sync::fork_rank::guard); }
  guard(const guard&) = delete;
  guard& operator=(const guard&) = delete;

  /// That of the process. Never destroyed: pools with static storage may outlive any static guard.
  /// The first call, which need_guard makes, may throw `std::bad_alloc`.
  [[nodiscard]] static guard& instance();

  /// Makes sure that the thread is there. Throws `std::system_error` when it cannot be had.
  void start();

  /// Lets the thread end, with all stop callbacks run that are due, and joins it.
  void stop() noexcept;

  /// At the end of the process, after all static objects: ends the thread, unless it is inside of
  /// something that belongs to others and may not return.
  void leave() noexcept;

  /// The alarms of all pools that live by real time.
  [[nodiscard]] alarm_clock& real_time() noexcept { return real_time_; }

  /// From now on the body of `what.task` is asked to stop once `clock` is `length` after `now`, a
  /// reading of it; returns when that is. The alarm stays where it is until `disarm`.
  time_point arm_limit(alarm_clock& clock, alarm& what, time_point now,
                       std::chrono::nanoseconds length) noexcept;

  /// The guard will look at the thread's body when `clock` is `length` after `now`, and from then
  /// on for as long as it finds one.
  void arm_watch(alarm_clock& clock, body_watch& watch, time_point now,
                 std::chrono::nanoseconds length) noexcept;

  /// After this returns the guard does not know the alarm. It may have rung.
  void disarm(alarm& what) noexcept;

  /// The clock shows `now`: what is due by that is asked to stop when this returns. The stop
  /// callbacks are the guard's.
  void clock_moved(alarm_clock& clock, time_point now) noexcept;

  // fork_part: the child finds the guard between two steps, and forgets thread and alarms. The next
  // `start` there makes a thread.
  void hold_for_fork() noexcept override WEIR_NO_THREAD_SAFETY_ANALYSIS { mutex_.lock(); }
  void resume_parent() noexcept override WEIR_NO_THREAD_SAFETY_ANALYSIS { mutex_.unlock(); }
  void resume_child() noexcept override;

 private:
  /// Tasks that have been asked to stop and whose callbacks have yet to run, each with a reference.
  class stopped_tasks {
   public:
    [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }
    void push_back(task_base& task) noexcept;
    task_base* pop_front() noexcept;

   private:
    task_base* first_ = nullptr;
    task_base* last_ = nullptr;
  };

  void run() noexcept;
  /// Around what is not the guard's own code.
  void go_outside() noexcept WEIR_RELEASE(mutex_);
  void come_back() noexcept WEIR_ACQUIRE(mutex_);
  void look_at_clocks() noexcept WEIR_REQUIRES(mutex_);
  void look(alarm_clock& clock, time_point real_now) noexcept WEIR_REQUIRES(mutex_);
  void advance(alarm_clock& clock, time_point now) noexcept WEIR_REQUIRES(mutex_);
  [[nodiscard]] bool arm(alarm_heap& heap, alarm_clock& clock, alarm& what) noexcept
      WEIR_REQUIRES(mutex_);
  [[nodiscard]] bool run_stop_callbacks() noexcept WEIR_REQUIRES(mutex_);
  [[nodiscard]] bool look_at_long_body() noexcept WEIR_REQUIRES(mutex_);
  void look_at_body(alarm_clock& clock, body_watch& watch) noexcept WEIR_REQUIRES(mutex_);
  void unlist_if_idle(alarm_clock& clock) noexcept WEIR_REQUIRES(mutex_);
  void sleep() noexcept WEIR_REQUIRES(mutex_);
  /// Whether the caller must wake the guard, after the lock, since there is something to do at `at`
  /// and it would sleep longer.
  [[nodiscard]] bool must_wake(time_point at) noexcept WEIR_REQUIRES(mutex_);

  sync::atomic<bool> started_{false};
  sync::atomic<int> process_{0};  // in which the thread was started
  sync::mutex mutex_;
  sync::thread thread_ WEIR_GUARDED_BY(mutex_);
  intrusive_list<alarm_clock, &alarm_clock::links> clocks_ WEIR_GUARDED_BY(mutex_);
  stopped_tasks stopped_ WEIR_GUARDED_BY(mutex_);
  /// Real time until which the guard sleeps; `min()` while it is awake or has been woken.
  time_point sleeps_until_ WEIR_GUARDED_BY(mutex_) = time_point::min();
  std::uint64_t round_ WEIR_GUARDED_BY(mutex_) = 0;
  std::uint64_t forks_ WEIR_GUARDED_BY(mutex_) = 0;
  bool stopping_ WEIR_GUARDED_BY(mutex_) = false;
  bool leaving_ WEIR_GUARDED_BY(mutex_) = false;
  bool outside_ WEIR_GUARDED_BY(mutex_) = false;  // in a callback, a report, somebody's clock
  sync::parker parker_;
  alarm_clock real_time_;
};

}  // namespace weir::detail
