#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "oracle/body.hpp"
#include "weir/pool_options.hpp"

namespace weir::testing {

/// One step of a program. What `which` counts, and modulo what, is the session's affair.
struct step {
  enum class what : std::uint8_t {
    submit,
    submit_after,
    execute,
    try_submit,
    try_submit_after,
    try_submit_for_no_time,
    submit_all,
    release,
    advance,
    cancel,
    cancel_if_queued,
    look,
    wait_beside,
    take,
    drop,
    set_capacity,
    pause,
    resume,
    cancel_pending,
    wait_idle_beside,
    join_beside,
    run_drained,
    drop_drained,
    close,
    abort,
    shutdown_now,
  };

  what op;
  std::uint8_t which = 0;  ///< the whole argument

  [[nodiscard]] body_kind kind() const { return {(which & 1) != 0, (which & 2) != 0}; }
  /// Zero for what is due at once; once in eight times a negative one.
  [[nodiscard]] std::chrono::nanoseconds delay() const;
  /// Whether the next step may follow before the pool has come to a standstill.
  [[nodiscard]] bool in_a_burst() const { return (which & 4) != 0; }
};

/// A pool and what is done to it.
struct program {
  std::size_t core = 0;
  std::size_t max = 1;
  std::size_t capacity = 0;
  saturation policy = saturation::reject;
  bool workers_leave = false;        ///< all of them, after a keep-alive of 3 ms
  bool destroyed_in_flight = false;  ///< instead of being emptied and tried for its bound first
  std::vector<step> steps;
};

inline constexpr std::size_t k_header_bytes = 3;
inline constexpr std::size_t k_steps_max = 48;

/// Every sequence of bytes is a program; bytes after the last step are ignored.
[[nodiscard]] program decode(std::span<const std::uint8_t> bytes);

[[nodiscard]] std::string describe(const program& of);
[[nodiscard]] std::string describe(const step& of);

}  // namespace weir::testing
