#pragma once

#include "base/intrusive_list.hpp"
#include "base/thread_annotations.hpp"
#include "weir/detail/sync.hpp"

namespace weir::sync {

/// In which order `fork` takes the locks of all parts: as they nest elsewhere, outermost first.
/// Proof: docs/design/fork.md.
enum class fork_rank : unsigned char { clock, pool, memory, queue, observer };

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

}  // namespace weir::sync
