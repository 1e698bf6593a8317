#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "pool/claims.hpp"
#include "weir/detail/sync.hpp"

namespace weir::detail {

/// How far ahead a worker claims. It starts with one task at a time, doubles while its tasks have
/// taken no longer than `k_short` each, and falls back to one at a time where they have: batches
/// pay where a task costs as much as a trip to the lock, and only there does nobody mind the order
/// in which two workers start.
class pace {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::nanoseconds k_short{2000};

  [[nodiscard]] std::size_t reach() const noexcept { return reach_; }

  /// One body is over.
  void finished() noexcept { ++finished_; }

  /// The worker sleeps: the time until its next claim tells nothing.
  void sleeps() noexcept { since_ = k_unknown; }

  /// Before a claim; `now` in real time.
  void claims_at(time_point now) noexcept {
    if (since_ != k_unknown) {
      const bool fast = now - since_ <= finished_ * k_short;
      reach_ = fast ? std::min(2 * reach_ + 1, claims::k_most) : 0;
    }
    finished_ = 0;
    since_ = now;
  }

 private:
  static constexpr time_point k_unknown = time_point::min();

  std::size_t reach_ = sync::k_first_reach;
  std::ptrdiff_t finished_ = 0;
  time_point since_ = k_unknown;
};

}  // namespace weir::detail
