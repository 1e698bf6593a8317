#pragma once

#include "sync/futex.hpp"
#include "weir/detail/sync.hpp"

namespace weir::sync {

/// Puts one thread to sleep until another one leaves it a token. One thread parks, any thread
/// unparks. A token left early is kept, one at most; tokens do not add up. What the unparker did
/// before `unpark` is visible after the `park` that took the token. Protocol:
/// docs/design/parking.md.
class parker {
 public:
  parker() noexcept = default;
  parker(const parker&) = delete;
  parker& operator=(const parker&) = delete;

  /// Blocks until a token is there and takes it.
  void park() noexcept { (void)park_until({}); }

  /// The same, at most until `until`. Returns whether a token was taken.
  [[nodiscard]] bool park_until(deadline until) noexcept;

  /// Leaves a token. The parker may be destroyed as soon as its thread has taken the token, even
  /// while this call is still returning.
  void unpark() noexcept;

 private:
  static constexpr std::uint32_t k_empty = 0;
  static constexpr std::uint32_t k_token = 1;
  static constexpr std::uint32_t k_parked = 2;

  bool take_token() noexcept;

  atomic<std::uint32_t> word_{k_empty};
};

}  // namespace weir::sync
