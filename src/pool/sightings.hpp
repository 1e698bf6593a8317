#pragma once

#include <optional>
#include <vector>

#include "weir/detail/task_base.hpp"

namespace weir::detail {

/// A task that was seen under the pool's lock, and what only the lock lets one read.
struct sighting {
  task_base* task;
  std::optional<std::size_t> worker;
  task_state state;
  std::size_t weight;
};

/// Tasks that were seen, each with a reference, so that everything else can be read after the lock.
/// The memory is there from the beginning.
class sightings {
 public:
  explicit sightings(std::size_t room) : room_(room) { seen_.reserve(room); }
  sightings(const sightings&) = delete;
  sightings& operator=(const sightings&) = delete;
  /// Not under a lock: it may be the last reference, and a result dies with it.
  ~sightings() {
    for (const sighting& each : seen_) detail::release(each.task);
  }

  [[nodiscard]] std::size_t room() const noexcept { return room_; }
  [[nodiscard]] bool full() const noexcept { return seen_.size() == room_; }
  /// How many came when it was full.
  [[nodiscard]] std::size_t missed() const noexcept { return missed_; }
  /// The caller holds the locks under which the task is found.
  void add(const sighting& seen) noexcept {
    if (full()) {
      ++missed_;
      return;
    }
    detail::retain(*seen.task);
    seen_.push_back(seen);
  }
  [[nodiscard]] const std::vector<sighting>& all() const noexcept { return seen_; }

 private:
  std::size_t room_;
  std::size_t missed_ = 0;
  std::vector<sighting> seen_;
};

}  // namespace weir::detail
