#pragma once

#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>

#include "weir/clock.hpp"
#include "weir/observer.hpp"

namespace weir {

class observer;
struct pool_stats;

/// No bound on waiting tasks. Must be spelled out.
inline constexpr std::size_t unbounded = std::numeric_limits<std::size_t>::max();

/// What happens to a submission for which there is no room. After `close` every policy rejects.
enum class saturation {
  reject,          ///< throw `rejected`
  caller_runs,     ///< run the body here; the future is finished on return. Delayed tasks are
                   ///< rejected.
  discard,         ///< return a future that is already cancelled
  discard_oldest,  ///< discard the oldest ready task instead; the new one when there is none
  block,           ///< wait for room, first come first served
};

/// When a pool starts another worker for a task that finds none free.
enum class growth {
  queue_first,  ///< up to `core`; beyond that only when no waiting place is left
  eager,        ///< up to `max`; a task waits only when all of them are busy
};

/// Chooses per submission; called on the submitting thread, outside of locks, with a snapshot.
using saturation_function = std::function<saturation(const pool_stats&)>;

/// Of which tasks a pool measures how long they wait and run. The lateness of delayed tasks is
/// always measured.
enum class timing {
  off,
  /// One in 64 of those that a thread submits, at irregular distances. A submission that is not
  /// measured pays a decrement of a counter of its thread's own.
  sampled,
  all,  ///< two readings of the clock and an allocation more for each task
};

/// Why a submission was refused.
enum class reject_reason {
  saturated,
  closed,
  deadline,   ///< a timed verb's time was over before there was room
  stopped,    ///< a timed verb's stop token was set before there was room
  no_thread,  ///< the system had no thread to give and no worker exists
  forked,     ///< the pool is the parent process's; this one has none of its threads
};

[[nodiscard]] const char* to_string(reject_reason reason) noexcept;

/// Thrown by the submitting verbs; the callable is back with the caller if its move cannot throw.
class rejected : public std::runtime_error {
 public:
  rejected(reject_reason why, const std::string& message)
      : std::runtime_error(message), why_(why) {}
  [[nodiscard]] reject_reason why() const noexcept { return why_; }

 private:
  reject_reason why_;
};

/// What a submission may say about its task; the first argument of every submitting verb.
struct task_options {
  std::string name = {};  ///< shown by observers, snapshots and reports
  /// What the task takes of its pool's `capacity_weight`, from admission to its end.
  std::size_t weight = 0;
  /// How long the body may run on the pool's clock before it is asked to stop (`timed_out`). It is
  /// never ended by force. Its stop callbacks run on a thread that all time limits of the process
  /// share, so they should be short. The first limit of a process starts that thread; where it
  /// cannot be had, the submission throws `std::system_error`. Positive; `max()`: no limit.
  std::chrono::nanoseconds timeout = std::chrono::nanoseconds::max();
  /// Which lane of a `keyed_strand` it runs in. Elsewhere only shown.
  std::string key = {};

  [[nodiscard]] bool any() const noexcept {
    return !name.empty() || weight != 0 || timeout != std::chrono::nanoseconds::max() ||
           !key.empty();
  }
};

/// Reports bodies that run long, so that somebody hears of the one that hangs. Costs each body one
/// reading of the pool's clock; an idle pool is silent.
struct watchdog_options {
  /// A body is reported when it has run that long on the pool's clock, and again whenever that time
  /// has doubled. Zero: never.
  std::chrono::nanoseconds limit = std::chrono::nanoseconds::zero();
  /// Told the task, its worker and how long it has run by now. Null: one line on stderr. Called on
  /// the guard's thread, outside of locks; it should be short, for it holds up other reports and
  /// time limits. What it throws goes to `on_unhandled`. The pool's destructor waits for it; it is
  /// not called after that, stderr hears then.
  std::function<void(const task_info&, const worker_info&, std::chrono::nanoseconds running_for)>
      report = {};
};

/// How a pool is built. `max` and `capacity` have no default.
struct pool_options {
  std::size_t core = 0;  ///< workers that are started for new tasks before anything waits
  std::size_t max = 0;   ///< workers at most, at least 1
  /// How long a worker above `core` stays idle, on the pool's clock, before it leaves.
  std::chrono::nanoseconds keep_alive = std::chrono::seconds(60);
  bool core_may_time_out = false;            ///< workers up to `core` leave as well
  std::optional<std::size_t> capacity = {};  ///< waiting places, or `unbounded`
  /// Bounds the sum of the weights of tasks that wait or run: bytes, say. At least 1.
  std::size_t capacity_weight = unbounded;
  weir::growth growth = growth::queue_first;
  std::variant<saturation, saturation_function> on_saturation = saturation::reject;
  weir::clock* clock = nullptr;                 ///< null: real time
  std::string name = {};                        ///< empty: "pool-N"
  weir::timing timing = weir::timing::sampled;  ///< of which tasks wait and run are measured
  /// The last so many ended tasks stay known to `find`, some 100 bytes each. More than 0 makes
  /// every end of a task pass the pool's lock, which tasks of less than a microsecond notice.
  std::size_t history = 0;
  weir::observer* observer = nullptr;  ///< null: none
  /// Hears of failures that nobody reads: of `execute` bodies and of dropped futures. Null: one
  /// line on stderr. Not called after the pool's destruction; stderr hears then.
  std::function<void(std::exception_ptr, const task_info&)> on_unhandled = {};
  /// Run on each worker at its start and end. A start hook that throws makes the worker leave. A
  /// hook may end its worker by force (`pthread_exit`), but not one that is being ended so already,
  /// nor a thread that is no worker.
  std::function<void(const worker_info&)> on_worker_start = {};
  std::function<void(const worker_info&)> on_worker_stop = {};
  /// Run once, when everything has finished and the last worker is gone, before those who wait in
  /// `join` return: on that worker, or, where none is left, on the thread that brought the end
  /// about. Must not destroy the pool.
  std::function<void()> on_terminated = {};
  watchdog_options watchdog = {};  ///< off
};

/// The processors that this process may use: affinity and the container's CPU quota, at least 1.
[[nodiscard]] std::size_t default_concurrency();

}  // namespace weir
