#include "sync/fork.hpp"

#include <pthread.h>

#include <array>
#include <new>

#include "sync/mutex.hpp"

namespace weir::sync {

namespace {

constexpr std::size_t k_ranks = static_cast<std::size_t>(fork_rank::zones) + 1;
using parts_of_rank = intrusive_list<fork_part, &fork_part::fork_links>;

// Never destroyed: a process may fork in its static destructors.
struct registry {
  sync::mutex mutex;  // held from prepare to the end of the fork, outside of all others
  std::array<parts_of_rank, k_ranks> parts WEIR_GUARDED_BY(mutex);
  bool handlers WEIR_GUARDED_BY(mutex) = false;

  parts_of_rank& of(fork_rank rank) noexcept WEIR_REQUIRES(mutex) {
    return parts[static_cast<std::size_t>(rank)];
  }
  template <class Visit>
  void for_each(Visit visit) noexcept WEIR_REQUIRES(mutex) {
    for (auto& list : parts) {
      for (fork_part* at = list.front(); at != nullptr; at = list.next(*at)) visit(*at);
    }
  }
};
constinit registry all;

// Written while a child has one thread only.
constinit unsigned forks = 0;

void prepare() noexcept WEIR_NO_THREAD_SAFETY_ANALYSIS {
  all.mutex.lock();
  all.for_each([](fork_part& part) { part.hold_for_fork(); });
}

void in_parent() noexcept WEIR_NO_THREAD_SAFETY_ANALYSIS {
  all.for_each([](fork_part& part) { part.resume_parent(); });
  all.mutex.unlock();
}

void in_child() noexcept WEIR_NO_THREAD_SAFETY_ANALYSIS {
  ++forks;
  all.for_each([](fork_part& part) { part.resume_child(); });
  all.mutex.unlock();
}

}  // namespace

void join_forks(fork_part& part, fork_rank rank) {
  const lock_guard lock(all.mutex);
  if (!all.handlers) {
    if (::pthread_atfork(prepare, in_parent, in_child) != 0) throw std::bad_alloc();
    all.handlers = true;
  }
  all.of(rank).push_back(part);
}

void leave_forks(fork_part& part, fork_rank rank) noexcept {
  const lock_guard lock(all.mutex);
  all.of(rank).remove(part);
}

unsigned fork_count() noexcept { return forks; }

}  // namespace weir::sync
