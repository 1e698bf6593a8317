#include <algorithm>

#include "pool/pool_core.hpp"
#include "task/extras.hpp"
#include "time/wall_watch.hpp"
#include "weir/detail/duration.hpp"

/// Tasks that are due at a civil time. They wait on the pool's own clock like all others; when the
/// civil time is set they get the due time that it makes of theirs. Protocol:
/// docs/design/wall-clock.md.
namespace weir::detail {

namespace {

time_point due_by(const series_plan::reading& at, wall_point due) noexcept {
  return saturating_add(at.now, saturating_between(at.wall, due));
}

}  // namespace

// The civil time is read first: what goes by before the other clock is read makes the task late,
// never early.
admission_request pool_core::request_by_wall(wall_point due) {
  const bool real = &clock() == &steady_clock::instance();
  if (real && due > clock().wall_now()) need_wall_watch();
  admission_request request;
  // ordering: wall-round (whoever sees the new round reads the clocks as they were set)
  request.wall_round = wall_round_.load(sync::acquire);
  const wall_point wall = clock().wall_now();
  request.now = clock().now();
  request.delayed = due > wall;
  request.due = due_by({request.now, wall}, due);
  if (request.delayed) request.wall = due;
  return request;
}

// Its due time comes from clocks that were read before the lock. If they were set since then, what
// they showed at that moment counts.
time_point pool_core::due_by_wall(wall_point due, std::uint32_t round,
                                  time_point as_read) const noexcept {
  return round == wall_round_.load(sync::relaxed) ? as_read : due_by(wall_reading_, due);
}

// Needs no memory: it leaves one place in the heap and takes another.
void pool_core::move_in_queue(task_base& task, time_point due) noexcept {
  queue_.unlink(task);
  move_due(task, due);
  queue_.push_delayed(task);
}

void pool_core::wall_moved(time_point now, wall_point wall) noexcept {
  worker* wake = nullptr;
  {
    const sync::lock_guard lock(mutex_);
    wall_reading_ = {now, wall};
    // ordering: wall-round
    wall_round_.fetch_add(1, sync::release);
    task_chain moved;
    queue_.for_each_delayed([&moved](task_base& task) {
      if (wall_due_of(task)) moved.push_back(task);
    });
    while (task_base* task = moved.pop_front()) {
      move_in_queue(*task, due_by(wall_reading_, *wall_due_of(*task)));
    }
    for (auto* at = blocked_.front(); at != nullptr; at = blocked_.next(*at)) {
      const auto due = wall_due_of(at->task);
      if (due) move_due(at->task, due_by(wall_reading_, *due));
    }
    if (!inside_waits_.empty()) poke_waits();
    note_time(now);
    wake = whom_to_wake();
  }
  if (wake != nullptr) wake->parker.unpark();
}

}  // namespace weir::detail
