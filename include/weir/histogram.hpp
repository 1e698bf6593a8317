#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "weir/detail/duration.hpp"

namespace weir {

/// What a histogram says in a few numbers. All zero when nothing was recorded.
struct timing_summary {
  std::uint64_t count = 0;
  std::chrono::nanoseconds total{0};
  std::chrono::nanoseconds max{0};
  std::chrono::nanoseconds p50{0};
  std::chrono::nanoseconds p90{0};
  std::chrono::nanoseconds p99{0};
  std::chrono::nanoseconds p999{0};
};

/// How often which duration came, from one nanosecond to the end of time: eight buckets for each
/// power of two, so that a quantile is within 1/16 of the exact one, below 16 ns exact. Count, sum
/// and maximum are exact. Of fixed size (4 KB), a plain value: recording allocates nothing and
/// takes a few nanoseconds. Distinct objects: safe. Shared objects: const members only.
class histogram {
 public:
  /// A duration below zero counts as zero.
  void record(std::chrono::nanoseconds value) noexcept {
    value = std::max(value, std::chrono::nanoseconds::zero());
    ++buckets_[bucket_of(static_cast<std::uint64_t>(value.count()))];
    ++count_;
    add_to_sum(value);
    max_ = std::max(max_, value);
  }

  /// As if all that `other` has recorded had been recorded here.
  void merge(const histogram& other) noexcept {
    for (std::size_t at = 0; at < k_buckets; ++at) buckets_[at] += other.buckets_[at];
    count_ += other.count_;
    add_to_sum(other.sum_);
    max_ = std::max(max_, other.max_);
  }

  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  /// Stays at `max()` rather than pass it.
  [[nodiscard]] std::chrono::nanoseconds sum() const noexcept { return sum_; }
  [[nodiscard]] std::chrono::nanoseconds max() const noexcept { return max_; }

  /// The duration that the share `p` of all did not exceed: 0.5 is the median, 1 the maximum. Zero
  /// when nothing was recorded.
  [[nodiscard]] std::chrono::nanoseconds quantile(double p) const noexcept {
    if (count_ == 0) return std::chrono::nanoseconds::zero();
    const double wanted = std::ceil(std::clamp(p, 0.0, 1.0) * static_cast<double>(count_));
    if (wanted >= static_cast<double>(count_)) return max_;
    std::uint64_t before = 0;
    std::size_t at = 0;
    while (at + 1 < k_buckets && static_cast<double>(before + buckets_[at]) < std::max(wanted, 1.0))
      before += buckets_[at++];
    return std::min(max_, std::chrono::nanoseconds(middle_of(at)));
  }

  /// How many were no longer than `bound`; exact where the bound is a power of two less 1 ns, else
  /// those of the bound's own bucket are left out.
  [[nodiscard]] std::uint64_t count_up_to(std::chrono::nanoseconds bound) const noexcept {
    std::uint64_t found = 0;
    for (std::size_t at = 0; at < k_buckets; ++at) {
      if (last_of(at) > bound.count()) break;
      found += buckets_[at];
    }
    return found;
  }

  [[nodiscard]] timing_summary summary() const noexcept {
    return {count_, sum_, max_, quantile(0.5), quantile(0.9), quantile(0.99), quantile(0.999)};
  }

 private:
  // Below 8 each value has a bucket; above, the three bits behind the first one tell it.
  static constexpr unsigned k_bits = 3;
  static constexpr std::size_t k_each = std::size_t{1} << k_bits;
  static constexpr std::size_t k_buckets = (64 - k_bits) * k_each;

  static constexpr std::size_t bucket_of(std::uint64_t value) noexcept {
    if (value < k_each) return static_cast<std::size_t>(value);
    const unsigned shift = static_cast<unsigned>(std::bit_width(value)) - 1 - k_bits;
    return shift * k_each + static_cast<std::size_t>(value >> shift);
  }
  static constexpr unsigned shift_of(std::size_t bucket) noexcept {
    return bucket < k_each ? 0 : static_cast<unsigned>(bucket / k_each) - 1;
  }
  static constexpr std::int64_t first_of(std::size_t bucket) noexcept {
    const unsigned shift = shift_of(bucket);
    return static_cast<std::int64_t>((bucket - shift * k_each) << shift);
  }
  static constexpr std::int64_t last_of(std::size_t bucket) noexcept {
    return first_of(bucket) + static_cast<std::int64_t>((std::uint64_t{1} << shift_of(bucket)) - 1);
  }
  static constexpr std::int64_t middle_of(std::size_t bucket) noexcept {
    return first_of(bucket) + (last_of(bucket) - first_of(bucket)) / 2;
  }

  void add_to_sum(std::chrono::nanoseconds value) noexcept {
    constexpr std::chrono::steady_clock::time_point k_start{};
    sum_ = detail::saturating_add(k_start + sum_, value) - k_start;
  }

  std::array<std::uint64_t, k_buckets> buckets_{};
  std::uint64_t count_ = 0;
  std::chrono::nanoseconds sum_{0};
  std::chrono::nanoseconds max_{0};
};

}  // namespace weir
