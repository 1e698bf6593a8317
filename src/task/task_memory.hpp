#pragma once

#include <cstddef>

namespace weir::detail {

/// What the task memory holds right now, in bytes of its pages; for tests and the bench.
[[nodiscard]] std::size_t task_memory_bytes() noexcept;

/// Gives all blocks that nobody uses back, those of the calling thread too, and empty pages to the
/// system.
void trim_task_memory() noexcept;

/// The calling thread will come to `take_trimming` before it sleeps or ends: what it frees may be
/// kept for the next burst until then.
void will_trim_task_memory() noexcept;

/// Whether there is something to give back and nobody else who will: the caller does, or calls
/// `leave_trimming` where it has something better to do.
[[nodiscard]] bool take_trimming() noexcept;
void leave_trimming() noexcept;

}  // namespace weir::detail
