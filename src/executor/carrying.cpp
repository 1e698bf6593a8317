#include <cxxabi.h>

#include <algorithm>
#include <exception>
#include <new>
#include <optional>
#include <stop_token>
#include <utility>

#include "base/sanitize.hpp"
#include "executor/lane.hpp"
#include "weir/detail/detached.hpp"
#include "weir/this_task.hpp"

namespace weir::detail {

// How the tasks of a lane come to a thread: who hires a carrier, and what it does.

/// What a lane gives to its executor. Dropped unrun, it says so.
class lane::carrier {
 public:
  carrier(lane& home, std::uint64_t number) noexcept : home_(&home), number_(number) {
    home.retain();
  }
  carrier(carrier&& other) noexcept
      : home_(std::exchange(other.home_, nullptr)), number_(other.number_) {}
  carrier& operator=(carrier&&) = delete;
  ~carrier() {
    if (home_ == nullptr) return;
    if (!ran_) home_->lost(number_);
    home_->release();
  }

  void operator()() {
    ran_ = true;
    home_->carry(number_);
  }

 private:
  lane* home_;
  std::uint64_t number_;
  bool ran_ = false;
};

lane::drainer::drainer(lane& of, bool helps) noexcept : home(of), helper(helps), outer(innermost_) {
  innermost_ = this;
}

lane::drainer::~drainer() {
  innermost_ = outer;
  if (signed_on) home.give_up(*this);
}

bool lane::more_would_help_locked() const noexcept {
  return certain_locked() < std::min(shape_.width, held_);
}

void lane::open_locked(hiring& record) noexcept {
  record.number = ++last_number_;
  hirings_.push_back(record);
}

void lane::settle_locked(hiring& record) noexcept {
  if (forked_) return;  // by the executor, in the middle of it
  hirings_.remove(record);
  if (!record.started && !record.lost) ++offered_;
}

lane::hiring* lane::find_locked(std::uint64_t number) const noexcept {
  for (hiring* at = hirings_.front(); at != nullptr; at = hirings_.next(*at)) {
    if (at->number == number) return at;
  }
  return nullptr;
}

// Where the carrier is not accepted its destructor marks the record as lost.
std::optional<refusal> lane::hire(const hiring& record, admission_request request) {
  bool accepted = false;
  request.accepted = &accepted;
  auto* node = make_node<false>(carrier(*this, record.number));
  std::optional<refusal> refused;
  try {
    refused = executor_access::admit(on_, *node, request);
  } catch (...) {
    if (!accepted) destroy_unused(node);
    throw;
  }
  if (refused) destroy_unused(node);
  return refused;
}

std::optional<refusal> lane::hire_quietly(const hiring& record) noexcept {
  try {
    return hire(record, admission_request::without_waiting());
  } catch (...) {
    return refusal{reject_reason::saturated};
  }
}

void lane::hire_one_more(hiring& record) noexcept {
  (void)hire_quietly(record);
  const sync::lock_guard lock(mutex_);
  settle_locked(record);
  short_ = record.lost;
}

// The lane has the task already, and nobody is certain to run it but the carrier to be hired.
WEIR_NO_SANITIZE_NULL std::optional<refusal> lane::back_up(task_base& task,
                                                           const admission_request& request,
                                                           hiring& record) {
  admission_request same;
  same.how = request.how;
  std::optional<refusal> refused;
  try {
    refused = hire(record, std::move(same));
  } catch (abi::__forced_unwind&) {
    if (!take_back(task, record, true)) *request.accepted = true;
    throw;
  } catch (...) {
    if (take_back(task, record, true)) throw;
    return std::nullopt;
  }
  if (take_back(task, record, refused.has_value())) return refused;
  return std::nullopt;
}

// Whether the task is the submitter's again. It is not where somebody else has brought a carrier
// meanwhile. A carrier that was let in and dropped takes the task with it.
bool lane::take_back(task_base& task, hiring& record, bool refused) noexcept {
  bool stranded = false;
  {
    const sync::lock_guard lock(mutex_);
    settle_locked(record);
    stranded = record.lost && certain_locked() == 0 && lane_queue::waits(task);
    if (stranded) waiting_.remove(task);
    if (stranded && refused) {
      task.place = task_place::nowhere;
      --held_;
      check_rest_locked();
    }
  }
  if (stranded && refused) {
    release();
    return true;
  }
  if (stranded) detached_task(&task).cancel(cancel_reason::discarded);
  detail::release(&task);
  return false;
}

void lane::lost(std::uint64_t number) noexcept {
  task_base* stranded = nullptr;
  {
    const sync::lock_guard lock(mutex_);
    if (hiring* record = find_locked(number)) {
      record->lost = true;
      return;
    }
    if (!forked_) --offered_;
    if ((forked_ || certain_locked() == 0) && !shape_.served) stranded = take_all_locked();
  }
  cancel_chain(stranded, cancel_reason::aborted);
}

void lane::carry(std::uint64_t number) {
  drainer me(*this);
  if (!sign_on(me, number)) return;
  const auto forward = [this, &me] { stop_all(&me, cancel_reason::aborted); };
  std::optional<std::stop_callback<decltype(forward)>> hears;
  try {
    hears.emplace(this_task::stop_token(), forward);
  } catch (const std::bad_alloc&) {
    // It runs its tasks all the same, and the executor's abort does not reach them.
  }
  drain(me);
}

bool lane::sign_on(drainer& me, std::uint64_t number) noexcept {
  const sync::lock_guard lock(mutex_);
  if (forked_) return false;
  if (hiring* record = find_locked(number)) {
    record->started = true;
  } else {
    --offered_;
  }
  if (waiting_.empty() || running_ == shape_.width) return false;
  sign_on_locked(me);
  return true;
}

void lane::sign_on_locked(drainer& me) noexcept {
  ++running_;
  drainers_.push_back(me);
  me.signed_on = true;
  me.ran = 0;
}

void lane::sign_off_locked(drainer& me) noexcept {
  --running_;
  drainers_.remove(me);
  me.signed_on = false;
}

void lane::drain(drainer& me) {
  while (task_base* task = next(me)) run_kept(*task);
}

task_base* lane::finish_current_locked(drainer& me) noexcept {
  if (me.current == nullptr) return nullptr;
  --busy_;
  check_rest_locked();
  return std::exchange(me.current, nullptr);
}

// Gives the last task back and takes the next one; null: this thread has left the lane.
task_base* lane::next(drainer& me) noexcept {
  for (;;) {
    detached_task finished;
    hiring record;
    task_base* task = nullptr;
    {
      const sync::lock_guard lock(mutex_);
      finished = detached_task(finish_current_locked(me));
      if (forked_) {  // by the task: this thread leaves the husk alone
        me.signed_on = false;
        return nullptr;
      }
      if (!waiting_.empty() && (me.helper || me.ran < sync::k_lane_batch)) {
        task = me.current = waiting_.pop();
        ++me.ran;
        ++busy_;
        if (!short_ || !more_would_help_locked()) return task;
      } else {
        sign_off_locked(me);
        if (waiting_.empty()) return nullptr;
        ++handing_;
        if (shape_.served) wake_all_locked();
      }
      open_locked(record);
    }
    if (task != nullptr) {
      hire_one_more(record);
      return task;
    }
    if (hand_over(me, record)) return nullptr;
  }
}

// Tasks may have come on the strength of this thread while it hired. So it goes on where the
// successor is refused, and where the successor has come and gone meanwhile.
bool lane::hand_over(drainer& me, hiring& record) noexcept {
  const auto refused = hire_quietly(record);
  const sync::lock_guard lock(mutex_);
  settle_locked(record);
  if (forked_) return true;
  --handing_;
  if (refused && refused->why == reject_reason::closed && !shape_.served) closed_ = true;
  if (!record.lost && certain_locked() > 0) return true;
  if (running_ == shape_.width || waiting_.empty()) return true;
  sign_on_locked(me);
  return false;
}

// This thread is being ended by force: it leaves no task that only it was to run.
void lane::give_up(drainer& me) noexcept {
  if (forked_) return;
  detached_task finished;
  {
    const sync::lock_guard lock(mutex_);
    finished = detached_task(finish_current_locked(me));
    sign_off_locked(me);
    if (shape_.served) wake_all_locked();
  }
  task_base* stranded = nullptr;
  for (bool lost = false; !lost;) {
    hiring record;
    {
      const sync::lock_guard lock(mutex_);
      if (waiting_.empty() || certain_locked() > 0) return;
      ++handing_;
      open_locked(record);
    }
    (void)hire_quietly(record);
    const sync::lock_guard lock(mutex_);
    settle_locked(record);
    --handing_;
    lost = record.lost;
    if (lost && certain_locked() == 0 && !shape_.served) stranded = take_all_locked();
  }
  cancel_chain(stranded, cancel_reason::aborted);
}

}  // namespace weir::detail
