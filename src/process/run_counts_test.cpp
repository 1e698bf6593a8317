#include "process/run_counts.hpp"

#include <gtest/gtest.h>

namespace weir::process {
namespace {

run_counts counts(std::uint64_t succeeded, std::uint64_t failed, std::uint64_t timed_out) {
  run_counts all;
  all.succeeded = succeeded;
  all.failed = failed;
  all.timed_out = timed_out;
  return all;
}

TEST(ExitCode, TellsWhatHappened) {
  EXPECT_EQ(exit_code_of(counts(0, 0, 0), 0, false), 0);
  EXPECT_EQ(exit_code_of(counts(5, 0, 0), 0, false), 0);
  EXPECT_EQ(exit_code_of(counts(5, 0, 2), 0, false), 124);
  EXPECT_EQ(exit_code_of(counts(5, 1, 2), 0, false), 1);
  EXPECT_EQ(exit_code_of(counts(5, 0, 0), 0, true), 1);
  EXPECT_EQ(exit_code_of(counts(5, 1, 0), 2, true), 130);
  EXPECT_EQ(exit_code_of(counts(5, 0, 0), 15, false), 143);
}

// cases.md 169: the number of failures must not wrap into success or look like a signal.
TEST(ExitCode, DoesNotDependOnHowManyFailed) {
  EXPECT_EQ(exit_code_of(counts(0, 256, 0), 0, false), 1);
  EXPECT_EQ(exit_code_of(counts(0, 130, 0), 0, false), 1);
}

TEST(ExitCode, WorkThatWasStoppedIsNoSuccess) {
  run_counts all;
  all.cancelled = 1;
  EXPECT_EQ(exit_code_of(all, 0, false), 1);
  all = {};
  all.never_started = 1;
  EXPECT_EQ(exit_code_of(all, 0, false), 1);
}

TEST(Summary, LeavesOutWhatThereIsNone) {
  EXPECT_EQ(summary(counts(0, 0, 0)), "0 commands");
  EXPECT_EQ(summary(counts(1, 0, 0)), "1 command: 1 succeeded");
  run_counts all = counts(5, 2, 1);
  all.never_started = 3;
  all.first_never_started = 9;
  EXPECT_EQ(summary(all),
            "11 commands: 5 succeeded, 2 failed, 1 timed out, 3 never started (from 9 on)");
}

}  // namespace
}  // namespace weir::process
