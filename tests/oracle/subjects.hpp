#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "oracle/oracle_pool.hpp"
#include "oracle/program.hpp"
#include "weir/this_task.hpp"
#include "weir/thread_pool.hpp"

namespace weir::testing {

/// The pool under test, on a manual clock, behind the face that a session plays on.
class weir_subject {
 public:
  static constexpr const char* k_name = "weir";
  using verb = oracle_pool::verb;
  using drained = drained_task;

  class handle {
   public:
    handle() = default;
    explicit handle(future<int> of) : future_(std::move(of)) {}
    [[nodiscard]] bool valid() const noexcept { return future_.valid(); }
    cancel_result cancel(bool only_if_queued) {
      return only_if_queued ? future_.cancel(if_queued) : future_.cancel();
    }
    [[nodiscard]] task_state state() const { return future_.state(); }
    [[nodiscard]] std::optional<weir::cancellation> cancellation() const {
      return future_.cancellation();
    }
    [[nodiscard]] std::uint64_t id() const { return future_.id(); }
    /// Something that another thread can wait on while this one is dropped.
    [[nodiscard]] auto waiter() const {
      return [ref = future_.ref()] { ref.wait(); };
    }
    int get() { return future_.get(); }

   private:
    future<int> future_;
  };

  struct answer {
    std::optional<reject_reason> refused;
    handle accepted;
  };

  weir_subject(const program& of, stage& on) : pool_(make(of, on)) {}
  static bool stop_requested() { return this_task::stop_requested(); }

  answer offer(verb how, std::chrono::nanoseconds delay, body& work) {
    try {
      switch (how) {
        case verb::submit:
          return {{},
                  handle(delay.count() == 0 ? pool_->submit(std::move(work))
                                            : pool_->submit_after(delay, std::move(work)))};
        case verb::execute:
          pool_->execute(std::move(work));
          return {};
        case verb::try_submit:
          return given(delay.count() == 0 ? pool_->try_submit(std::move(work))
                                          : pool_->try_submit_after(delay, std::move(work)));
        case verb::try_submit_for_no_time:
          return given(pool_->try_submit_for(std::chrono::nanoseconds(0), std::move(work)));
      }
    } catch (const rejected& refusal) {
      return {refusal.why(), {}};
    }
    return {};
  }

  std::optional<reject_reason> offer_all(std::vector<body>& works, std::vector<handle>& accepted) {
    try {
      for (auto& each : pool_->submit_all(std::move(works))) accepted.emplace_back(std::move(each));
      return std::nullopt;
    } catch (const rejected& refusal) {
      return refusal.why();
    }
  }

  void set_capacity(std::size_t places) { pool_->set_capacity(places); }
  void pause() { pool_->pause(); }
  void resume() { pool_->resume(); }
  void close() { pool_->close(); }
  std::size_t abort() { return pool_->abort(); }
  std::vector<drained> shutdown_now() { return pool_->shutdown_now(); }
  std::size_t cancel_pending() { return pool_->cancel_pending(); }
  void join() { pool_->join(); }
  void wait_idle() { pool_->wait_idle(); }
  [[nodiscard]] bool terminated() const { return pool_->terminated(); }
  [[nodiscard]] pool_stats stats() const { return pool_->stats(); }
  void advance(std::chrono::nanoseconds step) { clock_.advance(step); }
  /// The destructor of the pool.
  void destroy() { pool_.reset(); }

 private:
  std::unique_ptr<thread_pool> make(const program& of, stage& on) {
    pool_options options{.core = of.core, .max = of.max, .capacity = of.capacity};
    options.keep_alive = of.workers_leave ? std::chrono::nanoseconds(std::chrono::milliseconds(3))
                                          : std::chrono::nanoseconds(std::chrono::hours(1));
    options.core_may_time_out = of.workers_leave;
    options.on_saturation = of.policy;
    options.clock = &clock_;
    options.on_unhandled = [&on](const std::exception_ptr&, const task_info&) { ++on.reports; };
    return std::make_unique<thread_pool>(std::move(options));
  }

  static answer given(submission<int> from) {
    if (!from) return {from.why(), {}};
    return {{}, handle(*std::move(from))};
  }

  manual_clock clock_;
  std::unique_ptr<thread_pool> pool_;
};

/// The oracle behind the same face.
class oracle_subject {
 public:
  static constexpr const char* k_name = "oracle";
  using verb = oracle_pool::verb;
  using drained = oracle_pool::drained;
  using answer = oracle_pool::answer;

  class handle : public oracle_pool::handle {
   public:
    handle() = default;
    handle(oracle_pool::handle of) : oracle_pool::handle(std::move(of)) {}
    [[nodiscard]] auto waiter() const {
      return [copy = static_cast<const oracle_pool::handle&>(*this)] { copy.wait(); };
    }
  };

  oracle_subject(const program& of, stage& on)
      : pool_(std::make_unique<oracle_pool>(oracle_options{of.core, of.max, of.capacity, of.policy},
                                            on.reports)) {}
  static bool stop_requested() { return oracle_pool::stop_requested(); }

  answer offer(verb how, std::chrono::nanoseconds delay, body& work) {
    return pool_->offer(how, delay, work);
  }
  std::optional<reject_reason> offer_all(std::vector<body>& works, std::vector<handle>& accepted) {
    std::vector<oracle_pool::handle> all;
    const auto refused = pool_->offer_all(works, all);
    for (auto& each : all) accepted.emplace_back(std::move(each));
    return refused;
  }
  void set_capacity(std::size_t places) { pool_->set_capacity(places); }
  void pause() { pool_->pause(); }
  void resume() { pool_->resume(); }
  void close() { pool_->close(); }
  std::size_t abort() { return pool_->abort(); }
  std::vector<drained> shutdown_now() { return pool_->shutdown_now(); }
  std::size_t cancel_pending() { return pool_->cancel_pending(); }
  void join() { pool_->join(); }
  void wait_idle() { pool_->wait_idle(); }
  [[nodiscard]] bool terminated() const { return pool_->terminated(); }
  [[nodiscard]] pool_stats stats() const { return pool_->stats(); }
  void advance(std::chrono::nanoseconds step) { pool_->advance(step); }
  void destroy() { pool_.reset(); }

 private:
  std::unique_ptr<oracle_pool> pool_;
};

}  // namespace weir::testing
