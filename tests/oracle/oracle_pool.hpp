#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "oracle/body.hpp"
#include "weir/pool_options.hpp"
#include "weir/stats.hpp"
#include "weir/task_state.hpp"

namespace weir::testing {

/// What an oracle is built with; it has a clock of its own that stands still until `advance`.
struct oracle_options {
  std::size_t core = 0;
  std::size_t max = 1;
  std::size_t capacity = 0;
  saturation policy = saturation::reject;
};

/// A pool to compare `thread_pool` with: one mutex, one condition that wakes everybody, one deque
/// of what is due and one heap of what is not. Slow, and written to be read beside the contract,
/// whose rules its comments name. Workers never leave before the end.
class oracle_pool {
  struct task;
  struct core;

 public:
  using nanoseconds = std::chrono::nanoseconds;

  /// Handle of a task; empty where there is none. It may outlive the pool.
  class handle {
   public:
    handle() = default;
    [[nodiscard]] bool valid() const noexcept { return task_ != nullptr; }
    cancel_result cancel(bool only_if_queued);
    [[nodiscard]] task_state state() const;
    [[nodiscard]] std::optional<weir::cancellation> cancellation() const;
    [[nodiscard]] std::uint64_t id() const;
    void wait() const;
    /// Like `future::get`: value, the body's exception, or `task_cancelled`; consumes the handle.
    int get();

   private:
    friend class oracle_pool;
    explicit handle(std::shared_ptr<task> of) : task_(std::move(of)) {}
    std::shared_ptr<task> task_;
  };

  /// A queued task that `shutdown_now` gave back; dropped unrun it is cancelled.
  class drained {
   public:
    explicit drained(std::shared_ptr<task> of) : task_(std::move(of)) {}
    drained(drained&&) = default;
    drained& operator=(drained&&) = delete;
    ~drained();
    void operator()();

   private:
    std::shared_ptr<task> task_;
  };

  /// Whether there is a future, and how the submission asks.
  enum class verb { submit, execute, try_submit, try_submit_for_no_time };

  struct answer {
    std::optional<reject_reason> refused;
    handle accepted;
  };

  explicit oracle_pool(oracle_options options, std::atomic<std::size_t>& reports);
  ~oracle_pool();
  oracle_pool(const oracle_pool&) = delete;
  oracle_pool& operator=(const oracle_pool&) = delete;

  /// Takes the body only when it accepts. Throws `std::invalid_argument` for a negative delay.
  answer offer(verb how, nanoseconds delay, body& work);
  /// `submit_all`: none = accepted; under `reject` all or none (R12).
  std::optional<reject_reason> offer_all(std::vector<body>& works, std::vector<handle>& accepted);

  void set_capacity(std::size_t places);
  void pause();
  void resume();
  void close();
  std::size_t abort();
  std::vector<drained> shutdown_now();
  std::size_t cancel_pending();
  void join();
  void wait_idle();
  [[nodiscard]] bool terminated() const;
  [[nodiscard]] pool_stats stats() const;
  void advance(nanoseconds step);

  /// For a body: whether the task that runs on this thread has been asked to stop.
  static bool stop_requested();

 private:
  std::shared_ptr<core> core_;
};

}  // namespace weir::testing
