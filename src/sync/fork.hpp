#pragma once

#include "base/intrusive_list.hpp"
#include "base/thread_annotations.hpp"
#include "sync/mutex.hpp"
#include "weir/detail/sync.hpp"

namespace weir::sync {

/// In which order `fork` takes the locks of all parts: as they nest elsewhere, outermost first.
/// Proof: docs/design/fork.md.
enum class fork_rank : unsigned char {
  collector,
  clock,
  guard,
  pool,
  lane,
  memory,
  queue,
  observer,
  zones
};

/// A part of weir with locks of its own. `fork` copies them as they are, and whoever holds one on
/// another thread is not there in the child to release it. So the forking thread holds them all
/// meanwhile: the child finds what they guard whole, and releases them itself.
class fork_part {
 public:
  constexpr fork_part() noexcept = default;
  fork_part(const fork_part&) = delete;
  fork_part& operator=(const fork_part&) = delete;

  virtual void hold_for_fork() noexcept = 0;
  virtual void resume_parent() noexcept = 0;
  /// The calling thread is the child's only one.
  virtual void resume_child() noexcept = 0;

  list_links<fork_part> fork_links;

 protected:
  ~fork_part() = default;
};

#ifndef WEIR_SYNC_SEAM
/// Before the part is used, and after; the caller holds no lock of weir. `join_forks` throws
/// `std::bad_alloc`.
void join_forks(fork_part& part, fork_rank rank);
void leave_forks(fork_part& part, fork_rank rank) noexcept;

/// How many forks lie between this process and the one that loaded weir.
[[nodiscard]] unsigned fork_count() noexcept;
#else
inline void join_forks(fork_part&, fork_rank) {}
inline void leave_forks(fork_part&, fork_rank) noexcept {}
inline unsigned fork_count() noexcept { return 0; }
#endif

/// The member of a class whose one lock guards nothing that a fork would spoil: in the child it is
/// just released. Declared behind that lock.
class fork_guard final : public fork_part {
 public:
  fork_guard(mutex& guarded, fork_rank rank) : mutex_(guarded), rank_(rank) {
    join_forks(*this, rank);
  }
  ~fork_guard() { leave_forks(*this, rank_); }

  void hold_for_fork() noexcept override WEIR_NO_THREAD_SAFETY_ANALYSIS { mutex_.lock(); }
  void resume_parent() noexcept override WEIR_NO_THREAD_SAFETY_ANALYSIS { mutex_.unlock(); }
  void resume_child() noexcept override WEIR_NO_THREAD_SAFETY_ANALYSIS { mutex_.unlock(); }

 private:
  mutex& mutex_;
  const fork_rank rank_;
};

}  // namespace weir::sync
