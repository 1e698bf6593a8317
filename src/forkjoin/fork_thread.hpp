#pragma once

#include <cstddef>
#include <cstdint>

#include "base/intrusive_list.hpp"
#include "sync/parker.hpp"
#include "weir/detail/fork_stack.hpp"

namespace weir::detail {

class fork_crew;

/// A thread that works for a crew: one of its own, or a guest that has come with work. Lives as
/// long as the crew; the guests' are lent.
class fork_thread final : public fork_worker {
 public:
  explicit fork_thread(fork_crew& crew, std::size_t number) noexcept
      : crew_(crew), number_(number) {}

  [[nodiscard]] static fork_thread* current() noexcept {
    return static_cast<fork_thread*>(fork_worker::current());
  }
  [[nodiscard]] fork_crew& crew() const noexcept { return crew_; }

  /// A crew's own thread, from its start to its end.
  void work() noexcept;
  /// Makes the calling thread this one while it lives.
  class presence;

  [[nodiscard]] bool push_slowly(fork_job& job) noexcept;
  void wait_for(fork_job& job) noexcept;

  list_links<fork_thread> idle_links;

 private:
  friend class fork_crew;
  /// A stolen job that this thread runs, and what it ran when it stole it.
  struct stolen {
    fork_job& job;
    fork_thread& owner;
    stolen* outer;
  };

  /// Null while nobody has said that it is the thief.
  static fork_thread* thief_in(std::uintptr_t state) noexcept;

  bool look_for_work() noexcept;
  bool take_from_others() noexcept;
  bool help(const fork_job& awaited) noexcept;
  void run(fork_job& job, fork_thread& owner) noexcept;
  void sleep_until_over(fork_job& job) noexcept;
  void wake_an_owner() noexcept;

  fork_crew& crew_;
  sync::parker parker_;
  stolen* running_ = nullptr;  // innermost
  const std::size_t number_;
  std::size_t victim_ = 0;  // where it looks first
  // Guarded by the crew's lock.
  bool listed_ = false;
  bool asleep_ = false;
  bool lent_ = false;
  bool searches_ = false;  // counted already by whoever woke it

  // Written by this thread alone.
  sync::atomic<std::uint64_t> steals_{0};
  sync::atomic<std::uint64_t> exposures_{0};
  sync::atomic<std::uint64_t> sleeps_{0};
};

class fork_thread::presence {
 public:
  explicit presence(fork_thread& self) noexcept : self_(self), outer_(innermost_) {
    innermost_ = this;
    current_ = &self;
  }
  ~presence() {
    innermost_ = outer_;
    current_ = outer_ == nullptr ? nullptr : &outer_->self_;
  }
  presence(const presence&) = delete;
  presence& operator=(const presence&) = delete;

  /// What the calling thread is for that crew, perhaps below its work for others; null for nothing.
  [[nodiscard]] static fork_thread* in(const fork_crew& crew) noexcept {
    for (presence* at = innermost_; at != nullptr; at = at->outer_) {
      if (&at->self_.crew_ == &crew) return &at->self_;
    }
    return nullptr;
  }

 private:
  static inline constinit WEIR_THREAD_LOCAL sync::per_thread<presence*> innermost_{};

  fork_thread& self_;
  presence* const outer_;
};

}  // namespace weir::detail
