#include <gtest/gtest.h>
#include <signal.h>

#include "process/reporter.hpp"

namespace weir::process {
namespace {

finished_command failed(std::string text, exit_status status) {
  finished_command one;
  one.what.seq = 3;
  one.what.line = 5;
  one.what.text = std::move(text);
  one.how = outcome::failed;
  one.status = status;
  one.attempts = 1;
  return one;
}

std::string describe(const finished_command& one) {
  return describe_failure(one, std::chrono::milliseconds(1500));
}

TEST(DescribeFailure, NamesCommandLineAndCause) {
  EXPECT_EQ(describe(failed("make x", {exit_status::kind::exited, 2})),
            "command 3 (line 5) failed: exit code 2: make x");
  EXPECT_EQ(describe(failed("x", {exit_status::kind::signaled, SIGKILL})),
            "command 3 (line 5) failed: signal 9 (Killed): x");
}

TEST(DescribeFailure, LeavesOutTheLineWhereThereIsNone) {
  finished_command one = failed("x", {exit_status::kind::exited, 1});
  one.what.line = 0;
  EXPECT_EQ(describe(one), "command 3 failed: exit code 1: x");
}

TEST(DescribeFailure, TellsTimeoutsStopsRetriesAndProblemsApart) {
  finished_command one = failed("x", {exit_status::kind::signaled, SIGTERM});
  one.how = outcome::timed_out;
  one.attempts = 3;
  EXPECT_EQ(describe(one), "command 3 (line 5) failed: timed out after 1.5s after 3 attempts: x");
  one.how = outcome::cancelled;
  one.attempts = 1;
  EXPECT_EQ(describe(one), "command 3 (line 5) cancelled: signal 15 (Terminated): x");
  one.problem = "no room";
  one.how = outcome::failed;
  EXPECT_EQ(describe(one), "command 3 (line 5) failed: no room: x");
}

TEST(DescribeFailure, KeepsToOneShortLine) {
  const auto said = [](std::string text) {
    return describe(failed(std::move(text), {exit_status::kind::exited, 1}));
  };
  EXPECT_EQ(said("a\nb\tc\x1b[m"), "command 3 (line 5) failed: exit code 1: a\\nb\\tc\\x1b[m");
  EXPECT_LT(said(std::string(100'000, 'x')).size(), 300u);
  // Cut between characters, not within one.
  std::string accents;
  for (int i = 0; i < 200; ++i) {
    accents += "é";
  }
  EXPECT_TRUE(said("x" + accents).ends_with("é..."));
}

}  // namespace
}  // namespace weir::process
