#pragma once

#include <atomic>
#include <utility>

#include "weir/thread_pool.hpp"

namespace weir::testing {

/// Holds whoever waits until it is opened; may be opened more than once and from anywhere.
class gate {
 public:
  void open() noexcept {
    open_.store(true, std::memory_order_release);
    open_.notify_all();
  }
  void wait() const noexcept { open_.wait(false, std::memory_order_acquire); }
  [[nodiscard]] bool is_open() const noexcept { return open_.load(std::memory_order_acquire); }

 private:
  std::atomic<bool> open_{false};
};

/// Opens a gate when it goes out of scope, so that a failed assertion does not become a hang.
class opens_at_exit {
 public:
  explicit opens_at_exit(gate& held) noexcept : gate_(held) {}
  ~opens_at_exit() { gate_.open(); }
  opens_at_exit(const opens_at_exit&) = delete;
  opens_at_exit& operator=(const opens_at_exit&) = delete;

 private:
  gate& gate_;
};

/// A body that is held inside one worker: `hold` returns when the body runs, `release` lets it end.
/// Declare it after the pool, so that the pool's destructor finds it released.
class held_worker {
 public:
  explicit held_worker(thread_pool& pool)
      : done_(pool.submit([this] {
          entered_.open();
          release_.wait();
        })) {
    entered_.wait();
  }
  ~held_worker() { release(); }
  held_worker(const held_worker&) = delete;
  held_worker& operator=(const held_worker&) = delete;

  /// Lets the body end and waits until its task is terminal.
  void release() {
    release_.open();
    done_.wait();
  }
  [[nodiscard]] const future<void>& done() const noexcept { return done_; }

 private:
  gate entered_;
  gate release_;
  future<void> done_;
};

}  // namespace weir::testing
