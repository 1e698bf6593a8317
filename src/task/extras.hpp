#pragma once

#include <chrono>
#include <cstddef>
#include <stop_token>
#include <string>

#include "weir/detail/task_base.hpp"

namespace weir::detail {

/// What few tasks have: a name, a weight, a stop source. Owned by the task, made on demand, never
/// replaced.
struct task_extras {
  std::string name;
  std::string key;
  std::size_t weight = 0;
  std::chrono::nanoseconds timeout = std::chrono::nanoseconds::max();
  std::stop_source source{std::nostopstate};
  sync::atomic<bool> has_source{false};  ///< `source` may be read by others once this is true
};

/// The task's stop token; makes the source. Only the thread that runs the body may call it.
[[nodiscard]] std::stop_token make_stop_token(task_base& task);

/// Passes a stop request on to the source, if there is one.
void stop_extras(task_base& task);

[[nodiscard]] const std::string& name_of(const task_base& task) noexcept;

}  // namespace weir::detail
