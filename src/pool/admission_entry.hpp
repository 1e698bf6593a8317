#pragma once

#include <cstdint>

#include "pool/worker.hpp"
#include "weir/pool_options.hpp"

namespace weir::detail {

/// Where one more task goes: contract B1.
enum class decision : std::uint8_t { enqueue, start_worker, saturated };
/// What one look under the lock decided about a submission.
struct admission_entry {
  enum class kind : std::uint8_t { accepted, refused, full };
  kind what;
  reject_reason why = reject_reason::saturated;
  worker* wake = nullptr;
  std::uint64_t id = 0;  ///< of an accepted task, which may be over by now
};

}  // namespace weir::detail
