#pragma once

#include <cstddef>

namespace weir::detail {

/// What the task memory holds right now, in bytes of its pages; for tests and the bench.
[[nodiscard]] std::size_t task_memory_bytes() noexcept;

/// Gives the calling thread's spare blocks back; a worker does so before it sleeps.
void trim_task_memory() noexcept;

}  // namespace weir::detail
