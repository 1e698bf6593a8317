#pragma once

#include <chrono>
#include <limits>
#include <type_traits>

namespace weir::detail {

/// Converts any duration to nanoseconds; what does not fit becomes `max()` or `min()` instead of
/// wrapping. A fraction of a nanosecond is rounded away from zero, so that no wait ends early.
template <class Rep, class Period>
constexpr std::chrono::nanoseconds saturating_nanoseconds(
    std::chrono::duration<Rep, Period> value) noexcept {
  using std::chrono::nanoseconds;
  using wide = std::chrono::duration<long double, std::nano>;
  const auto exact = std::chrono::duration_cast<wide>(value).count();
  if (exact != exact) return nanoseconds::zero();
  if (exact >= static_cast<long double>(nanoseconds::max().count())) return nanoseconds::max();
  if (exact <= static_cast<long double>(nanoseconds::min().count())) return nanoseconds::min();
  if constexpr (std::is_integral_v<Rep> && std::ratio_less_equal_v<std::nano, Period>) {
    return std::chrono::duration_cast<nanoseconds>(value);
  } else {
    const auto whole = static_cast<nanoseconds::rep>(exact);
    const auto rest = exact - static_cast<long double>(whole);
    return nanoseconds(whole + (rest > 0 ? 1 : rest < 0 ? -1 : 0));
  }
}

/// `start + length`, stopping at the ends of the time line instead of wrapping.
constexpr std::chrono::steady_clock::time_point saturating_add(
    std::chrono::steady_clock::time_point start, std::chrono::nanoseconds length) noexcept {
  using point = std::chrono::steady_clock::time_point;
  if (length.count() > 0 && start > point::max() - length) return point::max();
  if (length.count() < 0 && start < point::min() - length) return point::min();
  return start + length;
}

/// A civil time in the unit of the system's clock, never before the given one; what does not fit
/// becomes `max()` or `min()`.
template <class Length>
constexpr std::chrono::system_clock::time_point rounded_up(
    std::chrono::time_point<std::chrono::system_clock, Length> at) noexcept {
  using unit = std::chrono::system_clock::duration;
  const auto since = saturating_nanoseconds(at.time_since_epoch());
  return std::chrono::system_clock::time_point(std::chrono::ceil<unit>(since));
}

/// `to - from` in nanoseconds, stopping at the ends instead of wrapping.
constexpr std::chrono::nanoseconds saturating_between(
    std::chrono::system_clock::time_point from, std::chrono::system_clock::time_point to) noexcept {
  using std::chrono::nanoseconds;
  const auto start = saturating_nanoseconds(from.time_since_epoch()).count();
  const auto end = saturating_nanoseconds(to.time_since_epoch()).count();
  nanoseconds::rep length = 0;
  if (!__builtin_sub_overflow(end, start, &length)) return nanoseconds(length);
  return end > start ? nanoseconds::max() : nanoseconds::min();
}

}  // namespace weir::detail
