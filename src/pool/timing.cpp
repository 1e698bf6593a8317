#include <algorithm>

#include "base/sanitize.hpp"
#include "pool/pool_core.hpp"
#include "task/extras.hpp"

/// What a pool measures of its tasks: when, on which thread, under which lock. Admission notes the
/// time of submission, the thread that runs the body those of start and end; all readings of the
/// clock, which is user code, lie outside of locks.
namespace weir::detail {

// Distances of 1 to 127, 64 on average. Each thread draws from a stream of its own, so that threads
// which submit a single task each are sampled as well.
std::uint32_t sampling::draw() noexcept {
  static sync::atomic<std::uint64_t> streams{0};
  std::uint64_t& state = state_;
  // Knuth, MMIX.
  const auto step = [](std::uint64_t from) {
    return from * 6364136223846793005u + 1442695040888963407u;
  };
  if (state == 0) state = step(0x9e3779b97f4a7c15u * (1 + streams.fetch_add(1, sync::relaxed)));
  state = step(state);
  return static_cast<std::uint32_t>(((state >> 32) * 127) >> 32);
}

bool sampling::take() noexcept {
  std::uint32_t& left = left_;
  const bool first = static_cast<std::uint64_t&>(state_) == 0;
  if (first) left = draw();
  if (left > 0) {
    --left;
    return false;
  }
  left = draw();
  return true;
}

bool pool_core::measures_next() const noexcept {
  return timing_ != timing::off && (timing_ == timing::all || sampling::due());
}

bool pool_core::measures_this() noexcept {
  return timing_ != timing::off && (timing_ == timing::all || sampling::take());
}

WEIR_NO_SANITIZE_NULL body_report pool_core::run_measured(task_base& task) {
  task_extras* const stamps = stamps_of(task);
  if (stamps == nullptr) return run_body(task);
  const time_point started = clock().now();
  const time_point since = task.delayed ? std::max(stamps->submitted, task.due) : stamps->submitted;
  stamps->started.store(started, sync::relaxed);
  {
    const sync::lock_guard lock(measured_.mutex);
    measured_.wait.record(started - since);
  }
  struct at_end {
    pool_core& core;
    task_extras& stamps;
    time_point started;
    ~at_end() {
      const time_point ended = core.clock().now();
      stamps.ended.store(ended, sync::relaxed);
      const sync::lock_guard lock(core.measured_.mutex);
      core.measured_.run.record(ended - started);
    }
  } const finish{*this, *stamps, started};
  return run_body(task);
}

}  // namespace weir::detail
