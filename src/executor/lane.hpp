#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/intrusive_list.hpp"
#include "base/thread_annotations.hpp"
#include "executor/keeper.hpp"
#include "executor/lane_queue.hpp"
#include "sync/fork.hpp"
#include "sync/mutex.hpp"
#include "sync/parker.hpp"
#include "weir/detail/admission.hpp"
#include "weir/executor.hpp"

namespace weir::detail {

/// What a lane is called in messages, and how wide and long it is.
struct lane_shape {
  const char* what;
  std::size_t width = 1;             ///< tasks that run at once, at most
  std::size_t capacity = unbounded;  ///< tasks beyond those
  /// Its owner waits in `serve` and runs what nobody else does: then no task needs the executor.
  bool served = false;
};

/// A queue of tasks that an executor's threads work off, at most `width` at a time, first in first
/// out. What it hands to the executor are carriers: a carrier runs tasks of the lane until there
/// are none, or until it has run a batch and puts itself at the end of the executor's queue.
/// Protocol: docs/design/lanes.md.
///
/// One lock; no user code and no executor is called under it.
class lane : public keeper {
 public:
  /// Throws `std::bad_alloc`.
  lane(executor_ref on, const lane_shape& shape);

  /// Takes a task, or says why not; then nothing has changed. May throw what the executor throws.
  std::optional<refusal> admit(task_base& task, const admission_request& request);

  /// Refuses from now on (`closed`); what was accepted still runs.
  void close() noexcept;
  /// Cancels what waits. Returns how many.
  std::size_t cancel_pending(cancel_reason reason) noexcept;
  /// Closes, cancels what waits and asks what runs to stop; stop callbacks run here.
  void stop(cancel_reason reason);

  /// Blocks until no task is left, at most until `until`; whether it is so. Throws
  /// `std::system_error(resource_deadlock_would_occur)` inside a task of this lane.
  bool wait_idle(sync::deadline until);
  /// The same without a limit, running waiting tasks on this thread meanwhile. False only in the
  /// child of a fork.
  bool serve();

  /// Tasks that are accepted and not finished.
  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] bool closed() const noexcept;
  /// Why the lane was stopped, if it was.
  [[nodiscard]] std::optional<cancel_reason> stopped() const noexcept;
  /// Whether this is what the child of a fork has of its parent's lane.
  [[nodiscard]] bool husk() const noexcept { return forked_; }
  /// Whether the calling thread is inside a task of this lane.
  [[nodiscard]] bool runs_here() const noexcept;

  void let_go(task_base& task) noexcept final;

 protected:
  ~lane() override;

 private:
  class carrier;

  /// A carrier on its way into the executor, on the stack of who hires it.
  struct hiring {
    std::uint64_t number = 0;
    bool started = false;  ///< it runs already, or has run
    bool lost = false;     ///< refused or dropped: it will never run
    list_links<hiring> links;
  };

  /// A thread that runs tasks of this lane, on its stack.
  struct drainer {
    explicit drainer(lane& of, bool helps = false) noexcept;
    ~drainer();
    drainer(const drainer&) = delete;
    drainer& operator=(const drainer&) = delete;

    lane& home;
    const bool helper;  ///< no carrier: it runs until nothing is left
    bool signed_on = false;
    std::size_t ran = 0;
    task_base* current = nullptr;  ///< guarded by the lane's lock
    bool stopped = false;          ///< the same: `current` has been asked to stop, once for all
    drainer* const outer;          ///< on this thread
    list_links<drainer> links;
  };

  struct waiter {
    sync::parker parker;
    bool listed = false;
    list_links<waiter> links;
  };

  /// A member and not a base: while the lane is being made, it is complete.
  class part final : public sync::fork_part {
   public:
    explicit part(lane& home) : home_(home) { sync::join_forks(*this, sync::fork_rank::lane); }
    ~part() { sync::leave_forks(*this, sync::fork_rank::lane); }

    void hold_for_fork() noexcept override WEIR_NO_THREAD_SAFETY_ANALYSIS { home_.mutex_.lock(); }
    void resume_parent() noexcept override WEIR_NO_THREAD_SAFETY_ANALYSIS { home_.mutex_.unlock(); }
    void resume_child() noexcept override WEIR_NO_THREAD_SAFETY_ANALYSIS {
      if (!home_.forked_) home_.become_husk();
      home_.mutex_.unlock();
    }

   private:
    lane& home_;
  };

  static inline constinit WEIR_THREAD_LOCAL sync::per_thread<drainer*> innermost_{};

  [[nodiscard]] std::optional<refusal> refuse_locked() const WEIR_REQUIRES(mutex_);
  void push_locked(task_base& task) noexcept WEIR_REQUIRES(mutex_);

  // Hiring. A carrier counts as soon as it is certain to run, or as somebody answers for it.
  [[nodiscard]] std::size_t certain_locked() const noexcept WEIR_REQUIRES(mutex_) {
    return running_ + offered_ + handing_;
  }
  [[nodiscard]] bool more_would_help_locked() const noexcept WEIR_REQUIRES(mutex_);
  void open_locked(hiring& record) noexcept WEIR_REQUIRES(mutex_);
  void settle_locked(hiring& record) noexcept WEIR_REQUIRES(mutex_);
  [[nodiscard]] hiring* find_locked(std::uint64_t number) const noexcept WEIR_REQUIRES(mutex_);
  std::optional<refusal> hire(const hiring& record, admission_request request);
  std::optional<refusal> hire_quietly(const hiring& record) noexcept;
  std::optional<refusal> back_up(task_base& task, const admission_request& request, hiring& record);
  [[nodiscard]] bool take_back(task_base& task, hiring& record, bool refused) noexcept;
  void hire_one_more(hiring& record) noexcept;

  // A carrier's life.
  void carry(std::uint64_t number);
  void lost(std::uint64_t number) noexcept;
  [[nodiscard]] bool sign_on(drainer& me, std::uint64_t number) noexcept;
  void drain(drainer& me);
  [[nodiscard]] task_base* next(drainer& me) noexcept;
  [[nodiscard]] bool hand_over(drainer& me, hiring& record) noexcept;
  [[nodiscard]] task_base* finish_current_locked(drainer& me) noexcept WEIR_REQUIRES(mutex_);
  void sign_on_locked(drainer& me) noexcept WEIR_REQUIRES(mutex_);
  void sign_off_locked(drainer& me) noexcept WEIR_REQUIRES(mutex_);
  void give_up(drainer& me) noexcept;
  void stop_all(const drainer* only, cancel_reason reason);
  /// What waits, linked by `next`, with the queue's references.
  [[nodiscard]] task_base* take_all_locked() noexcept WEIR_REQUIRES(mutex_);
  static std::size_t cancel_chain(task_base* first, cancel_reason reason) noexcept;

  void list_locked(waiter& sleeper) noexcept WEIR_REQUIRES(mutex_);
  void check_rest_locked() noexcept WEIR_REQUIRES(mutex_);
  void wake_all_locked() noexcept WEIR_REQUIRES(mutex_);
  [[nodiscard]] bool at_rest_locked() const noexcept WEIR_REQUIRES(mutex_) {
    return held_ == 0 && busy_ == 0;
  }
  void refuse_own_tasks() const;
  void become_husk() noexcept WEIR_REQUIRES(mutex_);
  friend bool kept_by_husk(const task_base& task) noexcept;

  /// This task has left: its outcome is fixed, it is not terminal yet. No lock is held. For those
  /// who stand on lanes.
  virtual void left(task_base&) noexcept {}

  const executor_ref on_;
  const lane_shape shape_;
  mutable sync::mutex mutex_;
  lane_queue waiting_ WEIR_GUARDED_BY(mutex_);
  std::size_t held_ WEIR_GUARDED_BY(mutex_) = 0;  ///< accepted, and not let go of
  std::uint64_t last_id_ WEIR_GUARDED_BY(mutex_) = 0;
  std::uint64_t last_number_ WEIR_GUARDED_BY(mutex_) = 0;  ///< of carriers

  std::size_t running_ WEIR_GUARDED_BY(mutex_) = 0;  ///< drainers that may take a task, ≤ width
  std::size_t offered_ WEIR_GUARDED_BY(mutex_) = 0;  ///< carriers that the executor has accepted
  std::size_t handing_ WEIR_GUARDED_BY(mutex_) = 0;  ///< drainers that are hiring their successor
  std::size_t busy_ WEIR_GUARDED_BY(mutex_) = 0;     ///< drainers with a task
  bool short_ WEIR_GUARDED_BY(mutex_) = false;       ///< one more carrier has been refused
  bool closed_ WEIR_GUARDED_BY(mutex_) = false;
  std::optional<cancel_reason> stopped_ WEIR_GUARDED_BY(mutex_);

  intrusive_list<hiring, &hiring::links> hirings_ WEIR_GUARDED_BY(mutex_);
  intrusive_list<drainer, &drainer::links> drainers_ WEIR_GUARDED_BY(mutex_);
  intrusive_list<waiter, &waiter::links> waiters_ WEIR_GUARDED_BY(mutex_);

  bool forked_ = false;  // written while the process has one thread
  lane* older_husk_ = nullptr;
  part in_fork_{*this};
};

/// Whether the task was given to a lane of the parent process. Does not touch the lane.
[[nodiscard]] bool kept_by_husk(const task_base& task) noexcept;

/// Throws `std::invalid_argument` for options of a task that only a pool can honour.
void refuse_pool_options(const task_base& task, const char* what);

}  // namespace weir::detail
