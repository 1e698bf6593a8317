#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "support/gate.hpp"

namespace weir::testing {

/// What a submission of a program asks its body to do.
struct body_kind {
  bool gated = false;   ///< it stays inside until the session lets it go
  bool throws = false;  ///< it ends by `body_failure`
};

/// What the bodies of one session have in common.
struct stage {
  bool (*stop_requested)() = nullptr;  ///< how a body asks the pool that runs it
  /// The session's own thread: a body that runs there never waits at its gate.
  std::thread::id conductor = std::this_thread::get_id();
  std::atomic<std::chrono::nanoseconds> now{};  ///< the pool's clock, moved before the pool's
  std::atomic<std::size_t> reports{0};          ///< failures that nobody could read

  void note_start(std::size_t number) {
    const std::lock_guard lock(mutex_);
    started_.push_back(number);
  }
  [[nodiscard]] std::vector<std::size_t> started() const {
    const std::lock_guard lock(mutex_);
    return started_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::size_t> started_;
};

/// What is seen of one body from outside of every pool. It outlives the pool.
struct trail {
  trail(stage& of, std::size_t which, body_kind what, std::chrono::nanoseconds when = {})
      : on(of), number(which), kind(what), due(when) {}

  stage& on;
  const std::size_t number;
  const body_kind kind;
  const std::chrono::nanoseconds due;
  std::atomic<int> callables{0};  ///< that hold something, wherever they are
  std::atomic<int> starts{0};
  std::atomic<bool> entered{false};
  std::atomic<bool> saw_stop{false};
  std::atomic<bool> early{false};  ///< a worker started it before it was due
  gate leave;
};

struct body_failure : std::runtime_error {
  explicit body_failure(std::size_t which) : std::runtime_error("a body failed"), number(which) {}
  std::size_t number;
};

/// The callable of every task: move-only, counted while it holds something.
class body {
 public:
  explicit body(trail& of) noexcept : trail_(&of) { ++trail_->callables; }
  body(body&& other) noexcept : trail_(std::exchange(other.trail_, nullptr)) {}
  body& operator=(body&& other) noexcept {
    std::swap(trail_, other.trail_);
    return *this;
  }
  ~body() {
    if (trail_ != nullptr) --trail_->callables;
  }

  /// False once it has been moved from.
  [[nodiscard]] bool intact() const noexcept { return trail_ != nullptr; }

  static constexpr int value_of(std::size_t number) { return static_cast<int>(number) * 7 + 1; }

  int operator()() {
    trail& mine = *trail_;
    stage& on = mine.on;
    ++mine.starts;
    if (std::this_thread::get_id() != on.conductor) {
      if (on.now.load() < mine.due) mine.early = true;
      on.note_start(mine.number);
      mine.entered = true;
      if (mine.kind.gated) mine.leave.wait();
    }
    if (on.stop_requested()) mine.saw_stop = true;
    if (mine.kind.throws) throw body_failure(mine.number);
    return value_of(mine.number);
  }

 private:
  trail* trail_;
};

}  // namespace weir::testing
