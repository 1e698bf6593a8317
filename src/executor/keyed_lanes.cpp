#include "weir/detail/keyed_lanes.hpp"

#include <string>
#include <vector>

#include "executor/lane.hpp"

namespace weir::detail {

/// The lane of one key. `uses` counts its unfinished tasks and whoever is at work with it.
class keyed_lane final : public lane {
 public:
  keyed_lane(executor_ref on, std::size_t capacity, std::unique_ptr<lane_key> of,
             std::shared_ptr<keyed_table> table)
      : lane(on, {"keyed_strand", 1, capacity}), key(std::move(of)), home(std::move(table)) {}

  const std::unique_ptr<lane_key> key;
  const std::shared_ptr<keyed_table> home;
  std::size_t uses = 0;             ///< guarded by the table's lock
  keyed_lane* next_lane = nullptr;  ///< the same: in the bucket

 private:
  ~keyed_lane() override = default;
  void left(task_base&) noexcept override;
};

/// Who finds a lane counts as one of its uses until it has let go; the last use takes the lane out
/// of the table. So no lane is found that is being reclaimed.
struct keyed_table : std::enable_shared_from_this<keyed_table> {
  keyed_table(executor_ref on, std::size_t capacity_per_key, std::size_t capacity)
      : executor(on), per_key(capacity_per_key), most(capacity), buckets(k_fewest) {}

  std::optional<refusal> admit(task_base& task, const admission_request& request,
                               const lane_key& key) {
    std::optional<refusal> refused;
    keyed_lane* const lane = enter(key, refused);
    if (lane == nullptr) return refused;
    try {
      refused = lane->admit(task, request);
    } catch (...) {
      leave(*lane, *request.accepted ? 1 : 2, *request.accepted ? 0 : 1);
      throw;
    }
    leave(*lane, refused ? 2 : 1, refused ? 1 : 0);
    return refused;
  }

  /// A task less, or a visitor less, or both.
  void leave(keyed_lane& lane, std::size_t uses, std::size_t tasks) noexcept {
    {
      const sync::lock_guard lock(mutex);
      held -= tasks;
      lane.uses -= uses;
      if (lane.uses > 0) return;
      unlink_locked(lane);
    }
    lane.release();
  }

  std::vector<keyed_lane*> visit_all() {
    std::vector<keyed_lane*> found;
    const sync::lock_guard lock(mutex);
    found.reserve(count);
    for (keyed_lane* lane : buckets) {
      for (; lane != nullptr; lane = lane->next_lane) {
        ++lane->uses;
        found.push_back(lane);
      }
    }
    return found;
  }

  const executor_ref executor;
  const std::size_t per_key;
  const std::size_t most;
  sync::mutex mutex;
  std::size_t held WEIR_GUARDED_BY(mutex) = 0;   ///< tasks
  std::size_t count WEIR_GUARDED_BY(mutex) = 0;  ///< lanes
  bool closed WEIR_GUARDED_BY(mutex) = false;
  std::vector<keyed_lane*> buckets WEIR_GUARDED_BY(mutex);  ///< a power of two of them
  sync::fork_guard in_fork{mutex, sync::fork_rank::lane};

 private:
  static constexpr std::size_t k_fewest = 16;

  // The lane for a new task, with one use for the task and one for the caller.
  keyed_lane* enter(const lane_key& key, std::optional<refusal>& refused) {
    {
      const sync::lock_guard lock(mutex);
      refused = refuse_locked();
      if (refused) return nullptr;
      if (keyed_lane* lane = find_locked(key)) return use_locked(*lane);
    }
    // Made outside of the lock, and in vain where another thread has made one meanwhile.
    auto* const made = new keyed_lane(executor, per_key, key.clone(), shared_from_this());
    const auto used = [&]() -> keyed_lane* {
      const sync::lock_guard lock(mutex);
      refused = refuse_locked();
      if (refused) return nullptr;
      if (keyed_lane* lane = find_locked(key)) return use_locked(*lane);
      fit_locked(count + 1);
      link_locked(*made);
      ++count;
      return use_locked(*made);
    }();
    if (used != made) made->release();
    return used;
  }

  [[nodiscard]] std::optional<refusal> refuse_locked() const WEIR_REQUIRES(mutex) {
    if (closed) return refusal{reject_reason::closed, "weir: keyed_strand: closed"};
    if (held < most) return std::nullopt;
    return refusal{reject_reason::saturated, "weir: keyed_strand: " + std::to_string(held) +
                                                 " tasks are unfinished, and no more may be"};
  }

  keyed_lane* use_locked(keyed_lane& lane) noexcept WEIR_REQUIRES(mutex) {
    lane.uses += 2;
    ++held;
    return &lane;
  }

  [[nodiscard]] std::size_t bucket_locked(const lane_key& key) const noexcept WEIR_REQUIRES(mutex) {
    // Fibonacci hashing: many a std::hash gives its argument back.
    constexpr std::uint64_t k_golden = 0x9E3779B97F4A7C15u;
    return ((key.hash() * k_golden) >> 32) & (buckets.size() - 1);
  }

  [[nodiscard]] keyed_lane* find_locked(const lane_key& key) const WEIR_REQUIRES(mutex) {
    for (keyed_lane* at = buckets[bucket_locked(key)]; at != nullptr; at = at->next_lane) {
      if (at->key->hash() == key.hash() && at->key->equals(key)) return at;
    }
    return nullptr;
  }

  void link_locked(keyed_lane& lane) noexcept WEIR_REQUIRES(mutex) {
    keyed_lane*& bucket = buckets[bucket_locked(*lane.key)];
    lane.next_lane = std::exchange(bucket, &lane);
  }

  void unlink_locked(keyed_lane& lane) noexcept WEIR_REQUIRES(mutex) {
    keyed_lane** at = &buckets[bucket_locked(*lane.key)];
    while (*at != &lane) at = &(*at)->next_lane;
    *at = lane.next_lane;
    --count;
    try {
      fit_locked(count);
    } catch (const std::bad_alloc&) {
      // A table too large is no harm.
    }
  }

  /// Grows when there are more lanes than buckets, shrinks at an eighth.
  void fit_locked(std::size_t lanes) WEIR_REQUIRES(mutex) {
    std::size_t wanted = buckets.size();
    if (lanes > wanted) wanted *= 2;
    if (wanted > k_fewest && lanes < wanted / 8) wanted /= 2;
    if (wanted == buckets.size()) return;
    std::vector<keyed_lane*> old(wanted);
    old.swap(buckets);
    for (keyed_lane* lane : old) {
      while (lane != nullptr) link_locked(*std::exchange(lane, lane->next_lane));
    }
  }
};

void keyed_lane::left(task_base&) noexcept { home->leave(*this, 1, 1); }

keyed_lanes::keyed_lanes(executor_ref on, std::size_t capacity_per_key, std::size_t capacity)
    : table_(std::make_shared<keyed_table>(on, capacity_per_key, capacity)) {}

keyed_lanes::~keyed_lanes() = default;

std::optional<refusal> keyed_lanes::admit(task_base& task, const admission_request& request,
                                          const lane_key& key) const {
  return table_->admit(task, request, key);
}

void keyed_lanes::close() noexcept {
  const sync::lock_guard lock(table_->mutex);
  table_->closed = true;
}

std::size_t keyed_lanes::cancel_pending() {
  std::size_t cancelled = 0;
  for (keyed_lane* lane : table_->visit_all()) {
    cancelled += lane->cancel_pending(cancel_reason::cancelled);
    table_->leave(*lane, 1, 0);
  }
  return cancelled;
}

std::size_t keyed_lanes::size() const noexcept {
  const sync::lock_guard lock(table_->mutex);
  return table_->held;
}

std::size_t keyed_lanes::lanes() const noexcept {
  const sync::lock_guard lock(table_->mutex);
  return table_->count;
}

}  // namespace weir::detail
