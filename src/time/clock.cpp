#include "weir/clock.hpp"

#include <algorithm>
#include <stdexcept>

#include "sync/fork.hpp"
#include "sync/mutex.hpp"
#include "time/clock_listener.hpp"
#include "weir/detail/duration.hpp"

namespace weir {

namespace detail {

/// Who listens to one clock. Lock order: registry before pool.
class clock_registry {
 public:
  sync::mutex mutex;
  sync::fork_guard in_fork{mutex, sync::fork_rank::clock};
  intrusive_list<clock_listener, &clock_listener::links> listeners WEIR_GUARDED_BY(mutex);
  std::uint64_t settings WEIR_GUARDED_BY(mutex) = 0;  // of the civil time
};

void clock_listener::listen(clock& source) noexcept {
  const sync::lock_guard lock(source.registry_->mutex);
  source.registry_->listeners.push_back(*this);
}

void clock_listener::stop_listening(clock& source) noexcept {
  const sync::lock_guard lock(source.registry_->mutex);
  source.registry_->listeners.remove(*this);
}

}  // namespace detail

clock::clock() : registry_(std::make_unique<detail::clock_registry>()) {}
clock::~clock() = default;

std::chrono::system_clock::time_point clock::wall_now() const noexcept {
  return std::chrono::system_clock::now();
}

std::optional<std::chrono::steady_clock::time_point> clock::real_time_of(
    time_point) const noexcept {
  return std::nullopt;
}

void clock::wake() noexcept {
  const time_point moved_to = now();
  auto& registry = *registry_;
  const sync::lock_guard lock(registry.mutex);
  for (auto* at = registry.listeners.front(); at != nullptr; at = registry.listeners.next(*at)) {
    at->clock_moved(moved_to);
  }
}

// The clocks are user code and read outside of the lock. Of two settings at once the later one is
// told: it reads last. The civil time is read first: what goes by in between makes a task late,
// never early.
void clock::wall_was_set() noexcept {
  auto& registry = *registry_;
  std::uint64_t mine = 0;
  {
    const sync::lock_guard lock(registry.mutex);
    mine = ++registry.settings;
  }
  const auto wall = wall_now();
  const time_point at = now();
  const sync::lock_guard lock(registry.mutex);
  if (registry.settings != mine) return;
  for (auto* each = registry.listeners.front(); each != nullptr;
       each = registry.listeners.next(*each)) {
    each->wall_moved(at, wall);
  }
}

std::optional<clock::time_point> clock::next_due() const noexcept {
  auto& registry = *registry_;
  const sync::lock_guard lock(registry.mutex);
  std::optional<time_point> earliest;
  for (auto* at = registry.listeners.front(); at != nullptr; at = registry.listeners.next(*at)) {
    const auto due = at->next_due();
    if (due && (!earliest || *due < *earliest)) earliest = due;
  }
  return earliest;
}

clock::time_point steady_clock::now() const noexcept { return sync::real_now(); }

std::optional<std::chrono::steady_clock::time_point> steady_clock::real_time_of(
    time_point due) const noexcept {
  return due;
}

steady_clock& steady_clock::instance() noexcept {
  // Never destroyed: pools with static storage may outlive any static clock.
  static steady_clock& k_instance = *new steady_clock;
  return k_instance;
}

#ifndef WEIR_SYNC_SEAM
namespace {
// Made before main: later no call needs memory, and no fork finds it half made.
[[maybe_unused]] const auto& made_early = steady_clock::instance();
}  // namespace
#endif

struct manual_clock::state {
  state(time_point begin, wall_point wall) noexcept
      : now(begin.time_since_epoch().count()), ahead(ahead_of(begin, wall)) {}

  static duration::rep ahead_of(time_point now, wall_point wall) noexcept {
    return detail::saturating_between(wall_point(now.time_since_epoch()), wall).count();
  }

  sync::atomic<duration::rep> now;
  sync::atomic<duration::rep> ahead;  // by how much the civil time is
};

manual_clock::manual_clock(time_point start, wall_point wall)
    : state_(std::make_unique<state>(start, wall)) {}
manual_clock::~manual_clock() = default;

clock::time_point manual_clock::now() const noexcept {
  // ordering: manual-clock
  return time_point(duration(state_->now.load(sync::acquire)));
}

std::chrono::system_clock::time_point manual_clock::wall_now() const noexcept {
  // ordering: manual-clock
  const duration ahead(state_->ahead.load(sync::acquire));
  const auto shown = detail::saturating_add(now(), ahead).time_since_epoch();
  return wall_point(std::chrono::duration_cast<wall_point::duration>(shown));
}

void manual_clock::set_wall(wall_point wall) {
  // ordering: manual-clock
  state_->ahead.store(state::ahead_of(now(), wall), sync::release);
  wall_was_set();
}

void manual_clock::advance(duration step) {
  if (step < duration::zero()) {
    throw std::invalid_argument("weir: manual_clock::advance: time does not go backwards");
  }
  duration::rep seen = state_->now.load(sync::relaxed);
  for (;;) {
    const time_point from{duration(seen)};
    const time_point to = detail::saturating_add(from, step);
    if (to - from != step) {
      throw std::invalid_argument("weir: manual_clock::advance: the step runs off the time line");
    }
    // ordering: manual-clock
    if (state_->now.compare_exchange_weak(seen, to.time_since_epoch().count(), sync::acq_rel,
                                          sync::relaxed)) {
      break;
    }
  }
  wake();
}

bool manual_clock::advance_to_next_due() {
  const auto due = next_due();
  if (!due) return false;
  advance(std::max(*due - now(), duration::zero()));
  return true;
}

}  // namespace weir
