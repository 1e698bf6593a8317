#pragma once

#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/thread_annotations.hpp"
#include "process/job.hpp"
#include "sync/mutex.hpp"

namespace weir::process {

/// Which command may start next: of those with the same key one at a time, in the order in which
/// they came. Knows nothing of workers; it hands jobs back to whoever starts them. A lane exists
/// while a command holds its key, so memory is that of the commands it keeps. Never blocks. Shared
/// objects: safe.
class key_lanes {
 public:
  /// Hands `one` back if it may start now: it has no key, or holds its key from now on. Otherwise
  /// keeps it and returns nothing.
  [[nodiscard]] job_ticket enter(job_ticket one) WEIR_EXCLUDES(mutex_);

  /// The command that held `key` is over for good. Returns the next one, which holds the key now,
  /// or nothing.
  [[nodiscard]] job_ticket leave(const std::string& key) WEIR_EXCLUDES(mutex_);

  /// Hands back all that is kept, and keeps nothing from now on.
  [[nodiscard]] std::vector<job_ticket> close() WEIR_EXCLUDES(mutex_);

 private:
  using lane = std::deque<job_ticket>;

  sync::mutex mutex_;
  std::unordered_map<std::string, lane> lanes_ WEIR_GUARDED_BY(mutex_);
  bool closed_ WEIR_GUARDED_BY(mutex_) = false;
};

}  // namespace weir::process
