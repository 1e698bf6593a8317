#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "weir/detail/sync.hpp"

namespace weir::sync {

/// Real time until which a sleep may last; none = without limit.
using deadline = std::optional<std::chrono::steady_clock::time_point>;

/// Blocks while `word == expected`, at most until `until` (absolute, CLOCK_MONOTONIC). May return
/// for no reason: callers loop over their own condition. Returns false only when the deadline has
/// passed.
bool futex_wait(const atomic<std::uint32_t>& word, std::uint32_t expected, deadline until) noexcept;

/// Wakes at most `count` threads that sleep on `word`. Reads nothing there, so the word's memory
/// may already be gone: a late wake is at worst a wake for no reason, which every sleeper
/// tolerates.
void futex_wake(const atomic<std::uint32_t>* word, int count) noexcept;

/// CLOCK_MONOTONIC, the time that deadlines are measured in.
[[nodiscard]] std::chrono::steady_clock::time_point real_now() noexcept;

/// A pause for a bounded spin.
void spin_pause() noexcept;

}  // namespace weir::sync
