#pragma once

#include <optional>

#include "base/intrusive_list.hpp"
#include "sync/parker.hpp"
#include "weir/detail/task_base.hpp"
#include "weir/pool_options.hpp"

namespace weir::detail {

/// A thread that waits for room with its task in hand. Lives on that thread's stack; whoever makes
/// room admits the task and only then wakes the thread, under the pool's lock, so that nobody
/// overtakes and nobody touches the record after it is unlisted and the lock released.
struct blocked_submitter {
  explicit blocked_submitter(task_base& waiting) noexcept : task(waiting) {}

  task_base& task;  ///< not to be touched by its thread once admitted: it may be over
  std::uint64_t id = 0;
  sync::parker parker;
  list_links<blocked_submitter> links;
  bool listed = true;
  std::optional<reject_reason> refused;  ///< meaningful once unlisted
  bool no_memory = false;                ///< likewise: there was room, but no memory to admit it
};

/// A thread that waits for the pool to come to rest or to its end. Same rules.
struct rest_waiter {
  sync::parker parker;
  list_links<rest_waiter> links;
  bool listed = true;
};

}  // namespace weir::detail
