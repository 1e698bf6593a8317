#pragma once

#include <atomic>
#include <cstdint>

#include "clock.hpp"
#include "futex.hpp"

namespace bench {

/// A flag that threads can sleep on. Shared objects: safe.
class signal_flag {
 public:
  void set() noexcept {
    word_.store(1, std::memory_order_release);
    futex_wake_all(word_);
  }
  void wait() const noexcept {
    while (word_.load(std::memory_order_acquire) == 0) futex_wait(word_, 0);
  }
  [[nodiscard]] bool is_set() const noexcept { return word_.load(std::memory_order_acquire) != 0; }

 private:
  std::atomic<std::uint32_t> word_{0};
};

/// Counts bodies that have run and wakes whoever waits for the last one. What a body pays is one
/// relaxed increment. Outlives its bodies. Shared objects: safe.
class tally {
 public:
  explicit tally(std::uint64_t expected) : expected_(expected) {}

  void add(std::uint64_t weight) noexcept {
    if (count_.fetch_add(weight, std::memory_order_relaxed) + weight == expected_) finish();
  }

  void wait() const noexcept { done_.wait(); }
  [[nodiscard]] bool done() const noexcept { return done_.is_set(); }
  [[nodiscard]] std::uint64_t count() const noexcept {
    return count_.load(std::memory_order_relaxed);
  }
  /// When the last body ran.
  [[nodiscard]] std::int64_t finished_ns() const noexcept { return finished_ns_; }

 private:
  void finish() noexcept {
    finished_ns_ = now_ns();
    done_.set();
  }

  alignas(64) std::atomic<std::uint64_t> count_{0};
  alignas(64) const std::uint64_t expected_;
  std::int64_t finished_ns_ = 0;
  signal_flag done_;
};

/// The body of every throughput workload: a closure of 16 bytes, one relaxed increment.
struct tick {
  tally* sum;
  std::uint64_t weight;

  void operator()() const noexcept { sum->add(weight); }
};
static_assert(sizeof(tick) == 16);

/// The same with a result.
struct answer {
  tally* sum;
  std::uint64_t value;

  std::uint64_t operator()() const noexcept {
    sum->add(1);
    return value;
  }
};
static_assert(sizeof(answer) == 16);

/// Holds workers: each body that waits at it says that it is there, then sleeps until it opens.
class gate {
 public:
  explicit gate(std::uint64_t width) : inside_(width) {}

  void hold() noexcept {
    inside_.add(1);
    opened_.wait();
    left_ns_.store(now_ns(), std::memory_order_relaxed);
  }

  void wait_until_held() const noexcept { inside_.wait(); }
  void open() noexcept { opened_.set(); }
  /// When a body last left.
  [[nodiscard]] std::int64_t left_ns() const noexcept {
    return left_ns_.load(std::memory_order_relaxed);
  }

 private:
  tally inside_;
  signal_flag opened_;
  std::atomic<std::int64_t> left_ns_{0};
};

}  // namespace bench
