#pragma once

#include <utility>
#include <variant>

#include "weir/future.hpp"
#include "weir/pool_options.hpp"

namespace weir {

/// What a `try_` verb answers: the future of an accepted task, or why it was refused.
template <class T>
class [[nodiscard]] submission {
 public:
  submission(future<T> accepted) noexcept : held_(std::move(accepted)) {}
  submission(reject_reason why) noexcept : held_(why) {}

  [[nodiscard]] bool accepted() const noexcept { return held_.index() == 0; }
  explicit operator bool() const noexcept { return accepted(); }

  /// The future; throws `std::bad_variant_access` when refused.
  future<T>& operator*() & { return std::get<0>(held_); }
  future<T>&& operator*() && { return std::get<0>(std::move(held_)); }
  future<T>* operator->() { return &std::get<0>(held_); }

  /// The reason; throws `std::bad_variant_access` when accepted.
  [[nodiscard]] reject_reason why() const { return std::get<1>(held_); }

 private:
  std::variant<future<T>, reject_reason> held_;
};

}  // namespace weir
