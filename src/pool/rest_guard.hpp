#pragma once

#include <utility>

#include "pool/pool_core.hpp"

namespace weir::detail {

/// The pool's lock, held for what may be the last thing to happen; tells so where it was.
class WEIR_SCOPED_CAPABILITY pool_core::rest_guard {
 public:
  explicit rest_guard(pool_core& core) noexcept WEIR_ACQUIRE(core.mutex_) : core_(core) {
    core.mutex_.lock();
  }
  ~rest_guard() WEIR_RELEASE() {
    core_.check_rest();
    const bool tell = std::exchange(core_.end_untold_, false);
    core_.mutex_.unlock();
    if (tell) core_.tell_end();
  }
  rest_guard(const rest_guard&) = delete;
  rest_guard& operator=(const rest_guard&) = delete;

 private:
  pool_core& core_;
};

}  // namespace weir::detail
