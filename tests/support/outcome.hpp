#pragma once

#include <gtest/gtest.h>

#include <optional>

#include "weir/future.hpp"

namespace weir::testing {

/// Takes the result of a cancelled task: why it was cancelled; none, and a failed test, when it was
/// not.
template <class T>
std::optional<cancel_reason> reason_of(future<T>& task) {
  try {
    (void)task.get();
  } catch (const task_cancelled& end) {
    return end.reason();
  }
  ADD_FAILURE() << "it was not cancelled";
  return std::nullopt;
}

}  // namespace weir::testing
