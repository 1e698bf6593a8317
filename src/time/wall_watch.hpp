#pragma once

namespace weir::detail {

/// From now on `steady_clock` hears when somebody sets the system's clock, or the machine has been
/// suspended: one thread of the process sleeps until then, without a look in between. Throws
/// `std::system_error` when the system gives no thread or no descriptor. Thread-safe.
void need_wall_watch();

}  // namespace weir::detail
