#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "weir/detail/sync.hpp"

namespace weir::detail {

class fork_thread;

/// One arm of a fork, in the frame of its caller until it is joined. Whoever steals it runs it on
/// its own thread; its owner, who made it, waits then.
class fork_job {
 public:
  /// Returns false when the arm has failed and keeps its exception.
  using body = bool (*)(fork_job&) noexcept;

  explicit fork_job(body run) noexcept : run_(run) {}
  fork_job(const fork_job&) = delete;
  fork_job& operator=(const fork_job&) = delete;

  bool run() noexcept { return run_(*this); }

  /// For the owner, after it has waited.
  [[nodiscard]] bool failed() const noexcept {
    return (state_.load(sync::relaxed) & k_failed) != 0;
  }

 private:
  friend class fork_thread;
  static constexpr std::uintptr_t k_open = 0;
  static constexpr std::uintptr_t k_waiting = 1;  // the owner sleeps, or is about to
  static constexpr std::uintptr_t k_done = 2;
  static constexpr std::uintptr_t k_failed = 4;
  static constexpr std::uintptr_t k_over = k_done | k_failed;
  static constexpr std::uintptr_t k_flags = k_waiting | k_over;

  body run_;
  sync::atomic<std::uintptr_t> state_{k_open};  // the thief, and the flags above
};

/// The jobs that one thread has forked and not joined: an own part, which costs no atomic
/// operation, and below it, older, a public one that thieves take from. A hungry thief raises a
/// flag; the owner meets it at its next push and makes the older half public. Protocol:
/// docs/design/split-stack.md.
class fork_stack {
 public:
  struct pushed {
    bool in = false;       ///< false: no room, the caller runs the job itself
    bool exposed = false;  ///< thieves have something to take
  };
  /// A job that a thief may take.
  struct found {
    fork_job* job = nullptr;
    std::uint64_t top = 0;
  };

  fork_stack() noexcept = default;
  fork_stack(const fork_stack&) = delete;
  fork_stack& operator=(const fork_stack&) = delete;

  /// Owner: the index of the next job.
  [[nodiscard]] std::uint64_t head() const noexcept { return head_; }

  /// Owner. Returns false, and has done nothing, when a thief is hungry or there may be no room:
  /// then `push_slowly`.
  [[nodiscard]] bool push(fork_job& job) noexcept {
    const std::uint64_t at = head_;
    if (at >= limit_.load(sync::relaxed)) [[unlikely]]
      return false;
    slots_[at % sync::k_fork_slots].store(&job, sync::relaxed);
    head_ = at + 1;
    return true;
  }
  [[nodiscard]] pushed push_slowly(fork_job& job) noexcept;

  /// Owner: takes back the job that was pushed at `at`, where everything pushed after it has been
  /// taken back. Returns false when it was stolen.
  [[nodiscard]] bool pop(std::uint64_t at) noexcept {
    if (at < split_) [[unlikely]]
      return pop_public(at);
    head_ = at;
    return true;
  }

  /// Owner: whether a thief is hungry; also true now and then when there is little room.
  [[nodiscard]] bool wanted() const noexcept { return head_ >= limit_.load(sync::relaxed); }

  /// Any thread: the oldest public job, not yet taken; its `job` is null when there is none.
  [[nodiscard]] found oldest() const noexcept;
  /// Any thread: takes it. Returns false when it is gone.
  [[nodiscard]] bool take(const found& oldest) noexcept;
  /// Any thread: asks the owner to make something public.
  void want() noexcept;
  /// The same where an earlier wish is likely to stand.
  void want_again() noexcept;

 private:
  static constexpr std::size_t k_line = 64;

  bool pop_public(std::uint64_t at) noexcept;
  void expose() noexcept;

  // The owner's.
  std::uint64_t head_ = 0;
  std::uint64_t split_ = 0;
  // As `split_`, or less: then nothing is public. Written by the owner, read by thieves.
  alignas(k_line) sync::atomic<std::uint64_t> public_end_{0};
  // Thieves write it, and the owner with the last public job.
  alignas(k_line) sync::atomic<std::uint64_t> top_{0};
  // Where the owner has to look closer: at the end of the room, and at once when a thief has set it
  // to 0.
  alignas(k_line) sync::atomic<std::uint64_t> limit_{sync::k_fork_slots};
  alignas(k_line) std::array<sync::atomic<fork_job*>, sync::k_fork_slots> slots_{};
};

/// What a fork needs of the thread it runs on: one that works for a pool, or a guest.
class fork_worker {
 public:
  /// The calling thread's; null outside of every pool.
  [[nodiscard]] static fork_worker* current() noexcept { return current_; }

  [[nodiscard]] std::uint64_t head() const noexcept { return stack_.head(); }
  /// Returns false when there is no room: the caller runs the job itself.
  [[nodiscard]] bool push(fork_job& job) noexcept { return stack_.push(job) || push_slowly(job); }
  [[nodiscard]] bool pop(std::uint64_t at) noexcept { return stack_.pop(at); }
  [[nodiscard]] bool wanted() const noexcept { return stack_.wanted(); }
  /// After `pop` has returned false: until the thief has finished, helping it meanwhile.
  void wait(fork_job& job) noexcept;

 protected:
  fork_worker() noexcept = default;
  ~fork_worker() = default;

  static inline constinit WEIR_THREAD_LOCAL sync::per_thread<fork_worker*> current_{};
  fork_stack stack_;

 private:
  bool push_slowly(fork_job& job) noexcept;
};

}  // namespace weir::detail
