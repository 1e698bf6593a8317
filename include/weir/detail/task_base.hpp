#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <limits>
#include <optional>
#include <stop_token>
#include <string>

#include "weir/detail/sync.hpp"
#include "weir/task_state.hpp"

namespace weir {
struct task_options;
}

namespace weir::detail {

class pool_core;
struct task_base;
struct task_extras;

using time_point = std::chrono::steady_clock::time_point;

/// "Due since before anything that waits": an immediate task whose submission needed no clock.
inline constexpr time_point k_due_at_once = time_point::min();

/// What the typed part of a task does for the untyped one. One table a type, shared by its tasks.
struct task_ops {
  void (*invoke)(task_base&);  ///< runs the body, keeps its value; throws what it throws
  void (*fail)(
      task_base&,
      std::exception_ptr) noexcept;  ///< keeps the failure; null where no future could read it
  void (*drop_callable)(task_base&) noexcept;  ///< destroys the callable and its captures
  void (*drop_value)(task_base&) noexcept;
  void (*drop_failure)(task_base&) noexcept;
  std::exception_ptr (*failure)(const task_base&) noexcept;
  void (*destroy)(task_base*) noexcept;  ///< gives the memory back
  bool trivial_captures;                 ///< `drop_callable` would do nothing
};

/// Where a queued task is linked. Guarded by the pool's lock; of a task that a worker has claimed
/// ahead, which says `ready` still, by that worker's claim lock. The last two are for life, of
/// tasks that no pool has: `kept`, a keeper has it; `following`, it cannot end before what it
/// follows.
enum class task_place : std::uint8_t { nowhere, ready, delayed, kept, following };

struct ready_chunk;
class prerequisites;

/// Who queues detached tasks outside of a pool, and counts them.
class task_keeper {
 public:
  /// This task has ended, its captures are gone, and it becomes terminal right after: its place may
  /// be given to another. Called once for each kept task, on the thread that ended it, without any
  /// lock held. Whoever calls holds a reference of the task, which the keeper's own does not need
  /// to outlive.
  virtual void let_go(task_base& task) noexcept = 0;

 protected:
  ~task_keeper() = default;
};

/// A task: one allocation that holds links, state word, callable and result. The pool owns one
/// reference until the task is terminal, every handle one more; the last one frees it.
/// States and transitions: docs/design/task-state.md. 64 bytes, one cache line.
struct task_base {
  explicit task_base(const task_ops& operations, std::uint32_t owners) noexcept
      : ops(&operations), refs(owners) {}
  task_base(const task_base&) = delete;
  task_base& operator=(const task_base&) = delete;

  const task_ops* ops;
  union {
    ready_chunk* chunk = nullptr;  ///< while ready: the piece of the list that holds it
    task_base* next;               ///< in a private chain
    prerequisites* needs;          ///< while following
    pool_core* home;               ///< of a task without a pool that holds one: `adopt_home`
  };
  std::uint32_t position = 0;  ///< in the chunk while ready, in the timer queue while delayed
  task_place place = task_place::nowhere;
  bool delayed = false;     ///< admitted with a due time yet to come; fixed at admission
  bool holds_core = false;  ///< this task keeps its core's memory; set before it is terminal
  bool recurring = false;   ///< one run of a series: `occurrence` of src/pool/series_core.hpp
  sync::atomic<std::uint32_t> word{0};  ///< phase, reason, flags: src/task/state_word.hpp
  sync::atomic<std::uint32_t> refs;
  std::uint64_t id = 0;  ///< fixed at admission, 0 before
  union {
    time_point due = k_due_at_once;  ///< fixed at admission, but for `move_due`
    task_keeper* keeper;             ///< of a kept task
  };
  pool_core* core = nullptr;                   ///< fixed at admission; alive until it is terminal
  sync::atomic<task_extras*> extras{nullptr};  ///< name, stop source: made on demand
};
static_assert(sizeof(void*) != 8 || sizeof(task_base) <= 64);

/// A delayed task's due time while it may move (a series that is rescheduled, a civil time when the
/// system clock is set): moved under the pool's lock, and read without it by who just shows it.
inline void move_due(task_base& task, time_point due) noexcept {
  std::atomic_ref(task.due).store(due, std::memory_order_relaxed);
}
[[nodiscard]] inline time_point shown_due(const task_base& task) noexcept {
  return std::atomic_ref(const_cast<time_point&>(task.due)).load(std::memory_order_relaxed);
}

/// Takes one more reference to a task that the caller already holds.
void retain(task_base& task) noexcept;
/// Gives one back; the last one destroys the task.
void release(task_base* task) noexcept;
/// Destroys a task that no pool has accepted, with its callable.
void destroy_unused(task_base* task) noexcept;

[[nodiscard]] void* allocate_task(std::size_t bytes, std::size_t alignment);
void deallocate_task(void* memory, std::size_t bytes, std::size_t alignment) noexcept;

/// Keeps what a submission says about its task. Throws `std::bad_alloc`, `std::invalid_argument`
/// for a timeout that is not positive, and `std::system_error` when the thread that would watch it
/// cannot be had. Before admission only.
void set_options(task_base& task, const task_options& options);

/// The public face of the state word.
[[nodiscard]] task_state state_of(const task_base& task) noexcept;
[[nodiscard]] cancel_reason reason_of(const task_base& task) noexcept;
[[nodiscard]] std::optional<cancellation> cancellation_of(const task_base& task) noexcept;

/// Blocks until terminal, at most until `until` (real time); returns whether it is. Throws
/// `std::system_error(resource_deadlock_would_occur)` inside that very task, and
/// `std::system_error(owner_dead)` in a child process where it can never end.
bool wait_terminal(task_base& task, std::optional<time_point> until = {});
/// The same, at most until a stop of the waiter is requested.
bool wait_terminal_or_stop(task_base& task, const std::stop_token& stop);

/// Runs the task here and now where the calling thread is a worker of its pool and it is queued and
/// due; false, and nothing has happened, where not.
bool help_inside(task_base& task);

cancel_result cancel_task(task_base& task, bool if_queued_only,
                          cancel_reason reason = cancel_reason::cancelled);

/// Whether somebody else than the caller holds a reference.
[[nodiscard]] bool held_by_others(const task_base& task) noexcept;
/// Whether it has been cancelled before it started.
[[nodiscard]] bool cancelled_unstarted(const task_base& task) noexcept;

/// Says that the failure has been read, so that nobody reports it as unread.
void mark_observed(task_base& task) noexcept;

}  // namespace weir::detail
