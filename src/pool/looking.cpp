#include <algorithm>
#include <utility>

#include "pool/pool_core.hpp"
#include "pool/sightings.hpp"
#include "task/extras.hpp"

/// What a pool shows of itself: numbers, durations, tasks. Protocol: docs/design/looking.md.
namespace weir::detail {

namespace {

std::optional<time_point> if_stamped(time_point at) noexcept {
  if (at == k_not_stamped) return std::nullopt;
  return at;
}

task_snapshot snapshot_of(const sighting& seen) {
  const task_base& task = *seen.task;
  task_snapshot shown;
  shown.id = task.id;
  shown.name = name_of(task);
  shown.key = key_of(task);
  shown.weight = seen.weight;
  shown.state = seen.state;
  shown.worker = seen.worker;
  if (task.delayed) shown.due = shown_due(task);
  if (const task_extras* stamps = stamps_of(task)) {
    shown.submitted = stamps->submitted;
    if (seen.worker) shown.started = if_stamped(stamps->started.load(sync::relaxed));
  }
  if (seen.state == task_state::cancel_requested) shown.reason = reason_of(task);
  return shown;
}

task_snapshot snapshot_of(const ended_task& record) {
  task_snapshot shown;
  shown.id = record.id;
  shown.name.assign(record.name.data(), record.name_bytes);
  shown.state = record.state;
  if (record.started_somewhere) shown.worker = record.worker;
  if (record.delayed) shown.due = record.due;
  shown.submitted = if_stamped(record.submitted);
  shown.started = if_stamped(record.started);
  shown.ended = if_stamped(record.ended);
  if (record.state == task_state::cancelled) {
    shown.reason = record.reason;
    shown.cancellation = record.cancellation;
  }
  return shown;
}

sighting seen_now(task_base& task, std::optional<std::size_t> worker = {}) noexcept {
  return {&task, worker, state_of(task), weight_of(task)};
}

}  // namespace

pool_counts pool_core::counts() {
  const sync::lock_guard lock(mutex_);
  fold_all();
  return counts_now();
}

pool_counts pool_core::counts_now() const noexcept {
  pool_counts now = counts_;
  now.queued = ready_;
  now.delayed = delayed_;
  now.held = held_places_;
  now.running = busy_ + outside_;
  now.workers = workers_;
  now.idle = workers_ - busy_;
  now.blocked = blocked_count_;
  return now;
}

pool_timings pool_core::timings() {
  pool_timings now;
  {
    const sync::lock_guard lock(mutex_);
    now.lateness = lateness_;
  }
  const sync::lock_guard lock(measured_.mutex);
  now.wait = measured_.wait;
  now.run = measured_.run;
  return now;
}

pool_stats pool_core::stats() {
  const pool_timings measured = timings();
  return {counts(), measured.wait.summary(), measured.run.summary(), measured.lateness.summary()};
}

// What one worker runs and has claimed, and how far it is counted, under one hold of its lock: in
// between it may start the next.
template <class Visit>
void pool_core::visit_worker(worker& at, Visit visit) {
  const sync::lock_guard hold(at.claims.mutex);
  fold_held(at);
  if (at.claims.running != nullptr) visit(seen_now(*at.claims.running, at.index), true);
  at.claims.for_each([&visit](task_base& task) { visit(seen_now(task), false); });
}

// Bodies on workers and on callers' threads, and what is claimed ahead, in order.
template <class Visit>
void pool_core::visit_claimed(Visit visit) {
  for (worker* at = ahead_.front(); at != nullptr; at = ahead_.next(*at)) visit_worker(*at, visit);
  for (const auto& place : places_) {
    if (!place->ahead) visit_worker(*place, visit);
  }
  for (auto* run = outside_runs_.front(); run != nullptr; run = outside_runs_.next(*run)) {
    visit(seen_now(run->task, run->place()), true);
  }
}

void pool_core::look(sightings& running, sightings& waiting, pool_snapshot& shot) noexcept {
  std::size_t listed = queue_.ready_size() + queue_.delayed_size();
  visit_claimed([&](const sighting& seen, bool runs) {
    ++listed;
    (runs ? running : waiting).add(seen);
  });
  (void)queue_.find_ready([&](task_base& task) {
    if (!waiting.full()) waiting.add(seen_now(task));
    return waiting.full();
  });
  task_base* const earliest = queue_.first_delayed();
  if (earliest != nullptr && !waiting.full()) waiting.add(seen_now(*earliest));
  (void)queue_.find_delayed([&](task_base& task) {
    if (&task != earliest && !waiting.full()) waiting.add(seen_now(task));
    return waiting.full();
  });
  shot.counts = counts_now();
  shot.left_out = listed - running.all().size() - running.missed() - waiting.all().size();
  shot.ending = shot.counts.queued + shot.counts.delayed + shot.counts.running - listed;
  shot.closed = closed_;
  shot.paused = paused_;
  shot.terminated = terminated_;
  shot.core = limits_.core;
  shot.max = limits_.max;
  shot.capacity = limits_.capacity;
  shot.capacity_weight = limits_.capacity_weight;
}

// Memory first, the lock then; anew with more where the pool has grown meanwhile.
pool_snapshot pool_core::snapshot(std::size_t limit) {
  pool_counts expected = counts();
  for (;;) {
    pool_snapshot shot;
    const std::size_t waiting_now = expected.queued + expected.delayed;
    sightings running(expected.running + 1);
    sightings waiting(std::min(limit, waiting_now + waiting_now / 8 + 8));
    {
      const sync::lock_guard lock(mutex_);
      look(running, waiting, shot);
    }
    expected = shot.counts;
    const bool short_of_memory = shot.left_out > 0 && waiting.room() < limit;
    if (short_of_memory || running.missed() > 0) continue;
    show(running, waiting, shot);
    show_all_series(shot.series);
    return shot;
  }
}

void pool_core::show(const sightings& running, const sightings& waiting,
                     pool_snapshot& shot) const {
  shot.name = options_.name;
  shot.taken = clock().now();
  shot.running.reserve(running.all().size());
  shot.queued.reserve(std::min(waiting.all().size(), shot.counts.queued));
  shot.delayed.reserve(std::min(waiting.all().size(), shot.counts.delayed));
  for (const sighting& each : running.all()) shot.running.push_back(snapshot_of(each));
  for (const sighting& each : waiting.all()) {
    (each.task->delayed ? shot.delayed : shot.queued).push_back(snapshot_of(each));
  }
  const auto by = [](auto key) {
    return [key](const auto& left, const auto& right) { return key(left) < key(right); };
  };
  std::sort(shot.running.begin(), shot.running.end(),
            by([](const task_snapshot& at) { return std::pair(at.worker, at.id); }));
  std::sort(shot.delayed.begin(), shot.delayed.end(),
            by([](const task_snapshot& at) { return std::pair(at.due, at.id); }));
}

void pool_core::look_for(std::uint64_t id, sightings& found) noexcept {
  visit_claimed([&](const sighting& seen, bool) {
    if (seen.task->id == id) found.add(seen);
  });
  const auto add = [&](task_base& task) {
    if (task.id != id) return false;
    found.add(seen_now(task));
    return true;
  };
  if (!found.full() && !queue_.find_ready(add)) (void)queue_.find_delayed(add);
}

std::optional<task_snapshot> pool_core::find(std::uint64_t id) {
  sightings found(1);
  std::optional<ended_task> record;
  {
    const sync::lock_guard lock(mutex_);
    look_for(id, found);
    if (!found.full()) record = history_.find(id);
  }
  if (found.full()) return snapshot_of(found.all().front());
  if (record) return snapshot_of(*record);
  return std::nullopt;
}

task_base* pool_core::find_live(std::uint64_t id) {
  sightings found(1);
  {
    const sync::lock_guard lock(mutex_);
    look_for(id, found);
  }
  if (!found.full()) return nullptr;
  detail::retain(*found.all().front().task);
  return found.all().front().task;
}

}  // namespace weir::detail

namespace weir {

std::string describe(const pool_snapshot& pool) {
  const pool_counts& at = pool.counts;
  const char* const state = pool.terminated ? "terminated"
                            : pool.closed   ? "closing"
                            : pool.paused   ? "paused"
                                            : "running";
  const auto ended = at.succeeded + at.failed + at.cancelled + at.drained;
  return pool.name + ": " + state + ", " + std::to_string(at.workers) + " workers (" +
         std::to_string(at.idle) + " idle), " + std::to_string(at.running) + " running, " +
         std::to_string(at.queued) + " queued, " + std::to_string(at.delayed) + " delayed, " +
         std::to_string(ended) + " ended";
}

}  // namespace weir
