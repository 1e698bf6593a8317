#pragma once

#include "base/intrusive_list.hpp"
#include "pool/worker.hpp"
#include "weir/observer.hpp"

namespace weir::detail {

/// A worker that waits, in the midst of a body, for a task of its own pool or for room in it. Lives
/// on that worker's stack; the pool's lock guards it. Protocol: docs/design/nested-waits.md.
struct inside_wait {
  worker& self;
  task_base* target;     ///< null: it waits for room
  bool ends_by_itself;   ///< a limit or a stop token ends the wait in any case
  bool can_end = false;  ///< the answer of the last look for deadlocks
  list_links<inside_wait> links = {};
};

/// A body that runs elsewhere than at the bottom of a worker, so that abort finds it.
struct outside_run {
  task_base& task;
  worker* host = nullptr;  ///< on whose stack; null: on a thread that is no worker
  list_links<outside_run> links = {};

  [[nodiscard]] std::size_t place() const noexcept {
    return host != nullptr ? host->index : worker_info::k_caller;
  }
};

/// Which pool and which of its workers the calling thread is.
struct own_place {
  pool_core* pool = nullptr;
  worker* self = nullptr;
};

}  // namespace weir::detail
