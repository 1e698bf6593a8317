#pragma once

#include <utility>
#include <variant>

#include "weir/future.hpp"
#include "weir/pool_options.hpp"

namespace weir {

class series;

/// What a `try_` verb answers: the handle of what was accepted, or why it was refused.
template <class Handle>
class [[nodiscard]] basic_submission {
 public:
  basic_submission(Handle accepted) noexcept : held_(std::move(accepted)) {}
  basic_submission(reject_reason why) noexcept : held_(why) {}

  [[nodiscard]] bool accepted() const noexcept { return held_.index() == 0; }
  explicit operator bool() const noexcept { return accepted(); }

  /// The handle; throws `std::bad_variant_access` when refused.
  Handle& operator*() & { return std::get<0>(held_); }
  Handle&& operator*() && { return std::get<0>(std::move(held_)); }
  Handle* operator->() { return &std::get<0>(held_); }

  /// The reason; throws `std::bad_variant_access` when accepted.
  [[nodiscard]] reject_reason why() const { return std::get<1>(held_); }

 private:
  std::variant<Handle, reject_reason> held_;
};

/// Of a task: its future.
template <class T>
using submission = basic_submission<future<T>>;

/// Of a task that recurs: its series.
using series_submission = basic_submission<series>;

}  // namespace weir
