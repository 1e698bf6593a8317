#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "weir/detail/task_base.hpp"
#include "weir/pool_options.hpp"

namespace weir::detail {

/// Asks an executor for admission of a task; a friend of those that take tasks as they are.
struct executor_access;

/// Why a submission was not accepted, with a sentence for those who throw it.
struct refusal {
  reject_reason why;
  std::string text = {};
};

/// How a submission asks to be let in.
struct admission_request {
  enum class mode : std::uint8_t {
    by_policy,   ///< no room: the pool's saturation policy decides
    try_once,    ///< no room: refused
    wait_until,  ///< no room: wait until `until` or `stop`
  };

  mode how = mode::by_policy;
  bool delayed = false;
  time_point now = k_due_at_once;  ///< the pool's clock, when it has been read
  time_point due = k_due_at_once;
  bool relative = false;  ///< `due` is `now` plus a delay, not an instant
  /// The civil time that `due` stands for, by clocks read after the pool's `wall_round` was this.
  std::optional<std::chrono::system_clock::time_point> wall = {};
  std::uint32_t wall_round = 0;
  std::optional<time_point> until = {};
  std::stop_token stop = {};
  bool* accepted = nullptr;  ///< set before the body runs on the caller, whose thread it may end
  std::string name = {};     ///< for the observer, if there is one

  static admission_request without_waiting() {
    admission_request request;
    request.how = mode::try_once;
    return request;
  }
  static admission_request waiting_until(time_point until, std::stop_token stop) {
    admission_request request;
    request.how = mode::wait_until;
    if (until != time_point::max()) request.until = until;
    request.stop = std::move(stop);
    return request;
  }
};

}  // namespace weir::detail
