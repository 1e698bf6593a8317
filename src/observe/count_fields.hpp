#pragma once

#include <cstddef>
#include <cstdint>

#include "weir/stats.hpp"

/// What of `pool_counts` is written down, and as what: the one list for all writers.
namespace weir::detail {

template <class T>
struct count_field {
  T pool_counts::*value;
  const char* json;
  const char* metric;
  const char* help;
};

inline constexpr count_field<std::uint64_t> k_totals[] = {
    {&pool_counts::accepted, "accepted", "weir_tasks_accepted_total", "Tasks accepted."},
    {&pool_counts::succeeded, "succeeded", "weir_tasks_succeeded_total", "Tasks that succeeded."},
    {&pool_counts::failed, "failed", "weir_tasks_failed_total", "Tasks that failed."},
    {&pool_counts::cancelled, "cancelled", "weir_tasks_cancelled_total", "Tasks cancelled."},
    {&pool_counts::drained, "drained", "weir_tasks_drained_total",
     "Tasks handed back by shutdown_now."},
    {&pool_counts::refused, "refused", "weir_tasks_refused_total", "Submissions not accepted."},
    {&pool_counts::discarded, "discarded", "weir_tasks_discarded_total",
     "Tasks discarded by the saturation policy; among the cancelled or the refused ones too."},
    {&pool_counts::caller_ran, "caller_ran", "weir_tasks_caller_ran_total",
     "Tasks run on the thread that submitted them."},
    {&pool_counts::clock_regressions, "clock_regressions", "weir_clock_regressions_total",
     "Readings of the clock that went backwards."},
    {&pool_counts::wakes, "wakes", "weir_worker_wakes_total", "Sleeping workers woken."},
    {&pool_counts::steals, "steals", "weir_worker_steals_total",
     "Times that a worker took over what another one had claimed."},
};

inline constexpr count_field<std::size_t> k_levels[] = {
    {&pool_counts::queued, "queued", "weir_tasks_queued", "Tasks that are due and not started."},
    {&pool_counts::delayed, "delayed", "weir_tasks_delayed", "Tasks that are not yet due."},
    {&pool_counts::held, "held", "weir_places_held",
     "Waiting places that series hold while they run."},
    {&pool_counts::running, "running", "weir_tasks_running", "Bodies that run."},
    {&pool_counts::weight, "weight", "weir_tasks_weight", "Weight of the tasks that wait or run."},
    {&pool_counts::workers, "workers", "weir_workers", "Workers."},
    {&pool_counts::idle, "idle", "weir_workers_idle", "Workers without a task."},
    {&pool_counts::blocked, "blocked", "weir_submitters_blocked", "Submitters that wait for room."},
    {&pool_counts::workers_max, "workers_max", "weir_workers_max", "The most workers so far."},
    {&pool_counts::waiting_max, "waiting_max", "weir_tasks_waiting_max",
     "The most waiting places in use so far."},
};

}  // namespace weir::detail
