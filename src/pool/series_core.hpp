#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>

#include "base/intrusive_list.hpp"
#include "pool/blocked_submitter.hpp"
#include "time/series_plan.hpp"
#include "weir/detail/admission.hpp"
#include "weir/detail/series_body.hpp"
#include "weir/detail/task_base.hpp"

namespace weir::detail {

class pool_core;
struct series_core;

/// The task of one run of a series. It enters the queue as a delayed task, whenever it is due.
struct occurrence final : task_base {
  explicit occurrence(series_core& of) noexcept;
  static const task_ops k_ops;

  series_core* const series;  ///< a reference
};

/// One body of a series that runs, on the stack of its thread.
struct series_record {
  series_record(series_core& of, occurrence& task) noexcept : series(of), run(task) {}

  /// The body; what it throws is kept in `error`.
  void call();

  series_core& series;
  occurrence& run;
  list_links<series_record> links;
  std::exception_ptr error;
  std::uint64_t number = 0;
  std::uint64_t skipped = 0;
  std::optional<wall_point> wall;
  bool asked = false;  ///< to stop, by a cancel of the series; guarded by the pool's lock
  bool last = false;   ///< the body wants no further run
};

/// What `reschedule` asks for: a plan whose first time has been taken, and that time.
struct rescheduled {
  series_plan plan;
  admission_request request;
};

/// How a series has ended, or will when its bodies have returned.
struct series_outcome {
  series_state state;
  cancel_reason reason = cancel_reason::cancelled;
};

/// All that is known of one series. It lives as long as a handle, or a task of it. Protocol and
/// invariants: docs/design/series.md. Everything that has no other comment is guarded by the lock
/// of the pool.
struct series_core {
  series_core(pool_core& pool, std::unique_ptr<series_body> callable, series_plan times,
              const series_options& given);
  ~series_core();
  series_core(const series_core&) = delete;
  series_core& operator=(const series_core&) = delete;

  void retain() noexcept { refs.fetch_add(1, sync::relaxed); }
  void release() noexcept;

  pool_core& core;  ///< a reference
  const series_options options;
  sync::atomic<std::size_t> refs{1};
  /// Tasks whose captures are not destroyed yet. The last of them takes the callable with it, and
  /// until then any may call it.
  sync::atomic<std::size_t> captures{0};
  std::unique_ptr<series_body> body;
  /// Of whoever holds the lock while a task waits, else of the thread that runs the last one.
  series_plan plan;

  std::uint64_t id = 0;
  occurrence* waiting = nullptr;  ///< in the queue
  intrusive_list<series_record, &series_record::links> running;
  std::size_t live = 0;      ///< tasks that have not ended
  bool holds_place = false;  ///< for the next task; while one waits, it has the place itself
  bool entered = false;      ///< accepted by the pool
  bool over = false;
  std::optional<series_outcome> outcome;
  std::optional<rescheduled> wanted;  ///< by `reschedule` while nothing waited
  std::uint64_t runs = 0;
  std::uint64_t failures = 0;
  std::uint64_t skipped = 0;
  std::uint64_t untold = 0;  ///< of them, that no body has heard of
  std::exception_ptr last_error;
  intrusive_list<rest_waiter, &rest_waiter::links> waiters;
  list_links<series_core> links;  ///< in the pool, from acceptance to its end
};

struct series_access {
  static series handle(series_core* core) noexcept { return series(core); }
  static series_run run(series_record& record) noexcept { return series_run(record); }
};

}  // namespace weir::detail
