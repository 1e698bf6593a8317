#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "base/thread_annotations.hpp"
#include "forkjoin/fork_thread.hpp"
#include "sync/mutex.hpp"
#include "sync/thread.hpp"
#include "weir/work_stealing_pool.hpp"

namespace weir::detail {

/// The threads of a work_stealing_pool and their sleep. Protocol: docs/design/fork-sleep.md.
class fork_crew {
 public:
  /// Starts the threads. Throws `std::system_error` when the system has none to give, and has
  /// started none then.
  explicit fork_crew(const work_stealing_options& options);
  /// Nobody may be inside.
  ~fork_crew();
  fork_crew(const fork_crew&) = delete;
  fork_crew& operator=(const fork_crew&) = delete;

  /// Runs the job, on the calling thread as a guest if there is a place, else on one of the crew's
  /// while the caller sleeps. Returns what the job returns.
  [[nodiscard]] bool bring(fork_job& job) noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return parallelism_; }
  [[nodiscard]] work_stealing_stats stats() const noexcept;

  // For its threads.
  [[nodiscard]] std::size_t threads() const noexcept { return threads_.size(); }
  [[nodiscard]] fork_thread& thread(std::size_t number) noexcept { return threads_[number]; }

  void begin_search(fork_thread& self) noexcept;
  void end_search() noexcept;
  void end_search_with_work() noexcept;
  bool run_guest_job() noexcept;
  /// Returns false when the thread shall leave.
  [[nodiscard]] bool sleep(fork_thread& self) noexcept;
  void work_appeared() noexcept;
  void seat_is_free() noexcept;
  void take_seat() noexcept;

 private:
  /// A job whose bringer sleeps until somebody has run it.
  struct brought {
    explicit brought(fork_job& what) noexcept : job(what) {}
    fork_job& job;
    bool succeeded = false;
    sync::parker parker;
    list_links<brought> links;
  };

  fork_thread* lend() noexcept;
  void take_back(fork_thread& guest) noexcept;
  [[nodiscard]] bool hand_over(fork_job& job) noexcept;
  [[nodiscard]] bool nobody_waits_outside() const noexcept;
  [[nodiscard]] bool something_to_do() const noexcept;
  void ask_all() noexcept;
  void unlist(fork_thread& sleeper) noexcept WEIR_REQUIRES(mutex_);
  void wake_one(bool needs_seat) noexcept;
  void close() noexcept;

  const std::size_t parallelism_;
  const std::string name_;
  std::deque<fork_thread> threads_;  // the crew's own, then the places for guests
  std::vector<sync::thread> handles_;

  sync::atomic<std::uint32_t> sleeping_{0};
  sync::atomic<std::uint32_t> searching_{0};
  sync::atomic<std::uint32_t> brought_count_{0};

  mutable sync::mutex mutex_;
  intrusive_list<fork_thread, &fork_thread::idle_links> idle_ WEIR_GUARDED_BY(mutex_);
  intrusive_list<brought, &brought::links> brought_ WEIR_GUARDED_BY(mutex_);
  // Threads that run or look for work, guests among them.
  std::size_t awake_ WEIR_GUARDED_BY(mutex_) = 0;
  // Those in the list that have asked for work and found none.
  std::size_t asleep_ WEIR_GUARDED_BY(mutex_) = 0;
  bool closed_ WEIR_GUARDED_BY(mutex_) = false;
};

}  // namespace weir::detail
