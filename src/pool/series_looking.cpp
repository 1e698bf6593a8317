#include <system_error>
#include <vector>

#include "pool/pool_core.hpp"
#include "task/continuations.hpp"
#include "task/extras.hpp"

/// What can be seen of series, and waiting for their end. Protocol: docs/design/series.md.
namespace weir::detail {

bool pool_core::await_series(series_core& of, sync::deadline until) {
  require_outside("series::wait");
  run_deferred();
  rest_waiter self;
  {
    const sync::lock_guard lock(mutex_);
    if (of.over) return true;
    if (forked_)
      throw std::system_error(std::make_error_code(std::errc::owner_dead),
                              "weir: a series of a pool that was left behind by a fork");
    if (until && *until <= sync::real_now()) return false;
    of.waiters.push_back(self);
  }
  for (;;) {
    const bool woken = self.parker.park_until(until);
    const sync::lock_guard lock(mutex_);
    if (!self.listed) return true;
    if (woken) continue;
    of.waiters.remove(self);
    return false;
  }
}

// But for the name, which takes memory.
series_snapshot pool_core::series_now(const series_core& of) noexcept {
  series_snapshot shown;
  shown.id = of.id;
  shown.runs = of.runs;
  shown.failures = of.failures;
  shown.skipped = of.skipped;
  for (auto* at = of.running.front(); at != nullptr; at = of.running.next(*at)) ++shown.running;
  if (of.outcome) {
    shown.state = of.over ? of.outcome->state : series_state::stopping;
    if (of.outcome->state == series_state::cancelled) shown.reason = of.outcome->reason;
  } else if (shown.running > 0 || of.waiting == nullptr) {
    shown.state = series_state::running;
  }
  if (of.waiting != nullptr && !of.outcome) {
    shown.next_due = of.waiting->due;
    shown.next_wall_due = wall_due_of(*of.waiting);
  }
  return shown;
}

series_snapshot pool_core::show_series(series_core& of) {
  series_snapshot shown = look_at(of);
  shown.name = of.options.task.name;
  return shown;
}

// Memory first, the lock then; anew with more where the pool has more series by then.
void pool_core::show_all_series(std::vector<series_snapshot>& shown) {
  std::vector<series_core*> seen;
  const auto let_go = [&seen] {
    for (series_core* each : seen) each->release();
    seen.clear();
  };
  for (std::size_t room = 0;;) {
    shown.reserve(room);
    seen.reserve(room);
    const sync::lock_guard lock(mutex_);
    if (series_count_ > room) {
      room = series_count_ + 4;
      continue;
    }
    for (auto* at = series_.front(); at != nullptr; at = series_.next(*at)) {
      at->retain();
      seen.push_back(at);
      shown.push_back(series_now(*at));
    }
    break;
  }
  try {
    for (std::size_t at = 0; at < seen.size(); ++at) shown[at].name = seen[at]->options.task.name;
  } catch (...) {
    let_go();
    throw;
  }
  let_go();
}

series_snapshot pool_core::look_at(series_core& of) noexcept {
  const sync::lock_guard lock(mutex_);
  return series_now(of);
}

std::exception_ptr pool_core::last_error_of(series_core& of) {
  const sync::lock_guard lock(mutex_);
  return of.last_error;
}

}  // namespace weir::detail
