#pragma once

#include "weir/detail/task_base.hpp"

namespace weir::detail {

/// One body that runs on this thread right now. Bodies nest: a body may run another task in place
/// (caller_runs, a drained task), so the contexts form a stack through `outer`.
class run_context {
 public:
  run_context(task_base& task, pool_core* core) noexcept
      : task_(task), core_(core), outer_(innermost_) {
    innermost_ = this;
  }
  ~run_context() { innermost_ = outer_; }
  run_context(const run_context&) = delete;
  run_context& operator=(const run_context&) = delete;

  [[nodiscard]] static run_context* innermost() noexcept { return innermost_; }
  [[nodiscard]] static bool runs_here(const task_base& task) noexcept;

  /// Whether this thread is inside a body of that pool.
  [[nodiscard]] static bool inside(const pool_core* core) noexcept;

  [[nodiscard]] task_base& task() const noexcept { return task_; }
  [[nodiscard]] pool_core* core() const noexcept { return core_; }

 private:
  static inline constinit WEIR_THREAD_LOCAL sync::per_thread<run_context*> innermost_{};

  task_base& task_;
  pool_core* core_;
  run_context* outer_;
};

}  // namespace weir::detail
