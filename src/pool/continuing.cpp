#include "pool/pool_core.hpp"
#include "pool/rest_guard.hpp"
#include "task/continuations.hpp"
#include "task/task_home.hpp"

/// The end of a task that something follows. Continuations are user code on the thread that ends
/// the task: see docs/design/continuations.md.
namespace weir::detail {

// The pool does not come to rest before the continuations are over.
bool pool_core::complete_counted(task_base& task, body_end end,
                                 std::optional<std::size_t> where) noexcept {
  const bool waited = complete_here(task, end, where);
  if (waited && continued(task)) {
    count_continuations(task);
    ++continuing_;
    retain();
  }
  return waited;
}

void pool_core::continuations_over() noexcept {
  {
    const rest_guard lock(*this);
    --continuing_;
  }
  release();
}

void continuations_over(task_base& task) noexcept { task.core->continuations_over(); }

// Claims nothing while it ends the task: a continuation may wait for just what it had claimed. Its
// place is free (R6), and what it has claimed before is open to the others.
task_base* pool_core::finish_continued(worker& self, task_base& task, body_end end) noexcept {
  if (forked_) return nullptr;
  worker* wake = nullptr;
  {
    const sync::lock_guard lock(mutex_);
    --busy_;
    self.claims.running = nullptr;
    ++continuing_workers_;
    (void)complete_counted(task, end, self.index);
    admit_blocked();
    wake = whom_to_wake();
  }
  after_end(task, true, wake);
  const sync::lock_guard lock(mutex_);
  --continuing_workers_;
  if (forked_) return nullptr;
  return start_claimed(self);
}

}  // namespace weir::detail
