#include "weir/manual_executor.hpp"

#include <limits>
#include <map>
#include <stdexcept>
#include <vector>

#include "base/thread_annotations.hpp"
#include "executor/keeper.hpp"
#include "sync/fork.hpp"
#include "sync/mutex.hpp"

namespace weir {

using std::chrono::nanoseconds;

namespace detail {

class manual_core final : public keeper {
 public:
  manual_core(std::size_t capacity, manual_clock* clock) : capacity_(capacity), clock_(clock) {}

  [[nodiscard]] manual_clock* clock() const noexcept { return clock_; }

  std::optional<refusal> admit(task_base& task, const admission_request& request) {
    const time_point due = request.delayed ? request.due : now();
    const sync::lock_guard lock(mutex_);
    if (refusals_ > 0) {
      --refusals_;
      return refusal{refusal_, "weir: manual_executor: told to refuse"};
    }
    if (closed_) return refusal{reject_reason::closed, "weir: manual_executor: closed"};
    if (waiting_.size() >= capacity_) {
      return refusal{
          reject_reason::saturated,
          "weir: manual_executor: " + std::to_string(capacity_) + " tasks wait, and no more may"};
    }
    waiting_.emplace(place{due, last_id_ + 1}, &task);
    task.id = ++last_id_;
    task.position = k_waits;
    keep(task, *this);
    retain();
    return std::nullopt;
  }

  void let_go(task_base& task) noexcept override {
    {
      const sync::lock_guard lock(mutex_);
      if (task.position == k_waits) {
        std::erase_if(waiting_, [&task](const auto& entry) { return entry.second == &task; });
        detail::release(&task);
      }
    }
    release();
  }

  /// The first task that is due at `until` at the latest and not younger than `last`.
  detached_task take(time_point until, std::uint64_t last) {
    const sync::lock_guard lock(mutex_);
    for (auto at = waiting_.begin(); at != waiting_.end() && at->first.due <= until; ++at) {
      if (at->first.id > last) continue;
      task_base* const task = at->second;
      waiting_.erase(at);
      task->position = k_taken;
      return detached_task(task);
    }
    return {};
  }

  std::vector<detached_task> take_all() {
    std::vector<detached_task> taken;
    const sync::lock_guard lock(mutex_);
    taken.reserve(waiting_.size());
    for (const auto& [where, task] : waiting_) {
      task->position = k_taken;
      taken.emplace_back(task);
    }
    waiting_.clear();
    return taken;
  }

  [[nodiscard]] std::optional<time_point> earliest() const {
    const sync::lock_guard lock(mutex_);
    if (waiting_.empty()) return std::nullopt;
    return waiting_.begin()->first.due;
  }

  [[nodiscard]] std::size_t count(time_point until) const {
    const sync::lock_guard lock(mutex_);
    std::size_t due = 0;
    for (const auto& [where, task] : waiting_) due += where.due <= until ? 1 : 0;
    return due;
  }

  [[nodiscard]] std::uint64_t last_id() const {
    const sync::lock_guard lock(mutex_);
    return last_id_;
  }

  void refuse_next(std::size_t count, reject_reason why) {
    const sync::lock_guard lock(mutex_);
    refusals_ = count;
    refusal_ = why;
  }

  void close() noexcept {
    const sync::lock_guard lock(mutex_);
    closed_ = true;
  }

  [[nodiscard]] time_point now() const noexcept {
    return clock_ != nullptr ? clock_->now() : time_point{};
  }

 private:
  /// What the tasks are ordered by.
  struct place {
    time_point due;
    std::uint64_t id;
    auto operator<=>(const place&) const = default;
  };

  // In a task's `position`, under the lock.
  static constexpr std::uint32_t k_taken = 0;
  static constexpr std::uint32_t k_waits = 1;

  ~manual_core() override = default;

  const std::size_t capacity_;
  manual_clock* const clock_;
  mutable sync::mutex mutex_;
  std::map<place, task_base*> waiting_ WEIR_GUARDED_BY(mutex_);
  std::uint64_t last_id_ WEIR_GUARDED_BY(mutex_) = 0;
  std::size_t refusals_ WEIR_GUARDED_BY(mutex_) = 0;
  reject_reason refusal_ WEIR_GUARDED_BY(mutex_) = reject_reason::saturated;
  bool closed_ WEIR_GUARDED_BY(mutex_) = false;
  sync::fork_guard in_fork_{mutex_, sync::fork_rank::lane};
};

}  // namespace detail

namespace {

constexpr auto k_any_age = std::numeric_limits<std::uint64_t>::max();

/// Runs the first one that has not been cancelled meanwhile.
bool run_first(detail::manual_core& core, std::uint64_t last) {
  for (;;) {
    detail::detached_task task = core.take(core.now(), last);
    if (!task.valid()) return false;
    if (task.run()) return true;
  }
}

std::size_t run_until_none(detail::manual_core& core, std::uint64_t last) {
  std::size_t count = 0;
  while (run_first(core, last)) ++count;
  return count;
}

std::size_t cancel_all(detail::manual_core& core, cancel_reason reason) {
  std::size_t count = 0;
  for (auto& task : core.take_all()) count += task.cancel(reason) ? 1 : 0;
  return count;
}

}  // namespace

manual_executor::manual_executor(std::size_t capacity, manual_clock* clock)
    : core_(new detail::manual_core(capacity, clock)) {}

manual_executor::~manual_executor() {
  core_->close();
  cancel_all(*core_, cancel_reason::aborted);
  core_->release();
}

std::optional<detail::refusal> manual_executor::admit(detail::task_base& task,
                                                      detail::admission_request& request) const {
  return core_->admit(task, request);
}

detail::admission_request manual_executor::request_after(nanoseconds delay) const {
  if (core_->clock() == nullptr) {
    throw std::invalid_argument("weir: manual_executor: a delay needs a manual_clock");
  }
  if (delay < nanoseconds::zero()) throw std::invalid_argument("weir: the delay is negative");
  detail::admission_request request;
  request.now = core_->now();
  request.due = detail::saturating_add(request.now, delay);
  request.delayed = true;
  return request;
}

bool manual_executor::run_one() { return run_first(*core_, k_any_age); }
std::size_t manual_executor::run_ready() { return run_until_none(*core_, core_->last_id()); }
std::size_t manual_executor::run_all() { return run_until_none(*core_, k_any_age); }

std::size_t manual_executor::run_within(nanoseconds length) {
  const detail::time_point until = request_after(length).due;
  std::size_t count = 0;
  for (;;) {
    count += run_all();
    const auto next = core_->earliest();
    const auto now = core_->now();
    const auto stop = next && *next < until ? *next : until;
    if (stop <= now) return count;
    core_->clock()->advance(stop - now);
    if (stop == until) return count + run_all();
  }
}

std::size_t manual_executor::ready() const { return core_->count(core_->now()); }
std::size_t manual_executor::pending() const { return core_->count(detail::time_point::max()); }

void manual_executor::refuse_next(std::size_t count, reject_reason why) {
  core_->refuse_next(count, why);
}

void manual_executor::close() noexcept { core_->close(); }

std::size_t manual_executor::cancel_pending() {
  return cancel_all(*core_, cancel_reason::cancelled);
}

}  // namespace weir
