#pragma once

#include <memory>
#include <ostream>
#include <string>

#include "weir/observer.hpp"

namespace weir {

/// Writes what a pool does as Chrome trace events (JSON), which Perfetto and chrome://tracing open
/// as a picture of workers over time. In the target `weir::trace`.
///
/// Each task is a slice on the line of its worker, named by `task_options::name` or "task N"; a
/// body on a caller's thread is on the line "callers". The stream outlives the writer; events are
/// written as they come, so memory stays flat and a trace cut short still opens. Shared objects:
/// safe.
class trace_writer final : public observer {
 public:
  explicit trace_writer(std::ostream& out);
  /// Finishes.
  ~trace_writer() override;

  /// Writes the end; events after it are dropped. May be repeated. Call it when the pool is gone.
  void finish();
  /// Whether the stream took everything so far; a full disk makes it false.
  [[nodiscard]] bool good() const;

  void worker_started(const worker_info& where) noexcept override;
  void worker_stopped(const worker_info& where) noexcept override;
  void task_accepted(const task_info& task) noexcept override;
  void task_started(const task_info& task, const worker_info& where) noexcept override;
  void task_finished(const task_info& task, const worker_info& where,
                     task_state outcome) noexcept override;
  void task_cancelled(const task_info& task, cancel_reason reason) noexcept override;

 private:
  class document;
  std::unique_ptr<document> document_;
};

}  // namespace weir
