#pragma once

#include <gtest/gtest.h>

#include "weir/stats.hpp"

namespace weir::testing {

/// Contract A1 and R21 for a pool at rest: every accepted task has exactly one end.
inline void expect_conserved(const pool_counts& now) {
  EXPECT_EQ(now.accepted, now.succeeded + now.failed + now.cancelled + now.drained);
  EXPECT_EQ(now.queued, 0u);
  EXPECT_EQ(now.delayed, 0u);
  EXPECT_EQ(now.running, 0u);
}

/// The same in the middle of things.
inline void expect_accounted(const pool_counts& now) {
  EXPECT_EQ(now.accepted, now.succeeded + now.failed + now.cancelled + now.drained + now.queued +
                              now.delayed + now.running);
}

}  // namespace weir::testing
