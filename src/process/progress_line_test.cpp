#include "process/progress_line.hpp"

#include <gtest/gtest.h>

namespace weir::process {
namespace {

using namespace std::chrono_literals;

TEST(ProgressLine, ShowsShareRateAndTimeLeft) {
  run_counts counts;
  counts.succeeded = 40;
  counts.failed = 10;
  counts.running = 4;
  counts.total = 200;
  EXPECT_EQ(progress_line(counts, 10s, 100),
            "[#####...............] 25% 50/200  5.0/s  4 running  10 failed  0:30 left");
}

TEST(ProgressLine, DoesWithoutATotal) {
  run_counts counts;
  counts.succeeded = 5000;
  EXPECT_EQ(progress_line(counts, 10s, 100), "5000 done  500/s  0 running  0 failed");
}

TEST(ProgressLine, CountsWhatWasDoneBeforeButNotInTheRate) {
  run_counts counts;
  counts.succeeded = 50;
  counts.skipped = 100;
  counts.total = 200;
  EXPECT_EQ(progress_line(counts, 1s, 100),
            "[###############.....] 75% 150/200  50/s  0 running  0 failed  0:01 left");
}

TEST(ProgressLine, KeepsToTheWidthAndToSaneNumbers) {
  run_counts counts;
  counts.total = 10;
  EXPECT_EQ(progress_line(counts, 0s, 10).size(), 10u);
  counts.succeeded = 20;
  EXPECT_NE(progress_line(counts, 1s, 100).find("100% 20/10"), std::string::npos);
  counts.succeeded = 1;
  counts.total = 1'000'000;
  EXPECT_NE(progress_line(counts, 3600s, 100).find("99:59:59 left"), std::string::npos);
}

}  // namespace
}  // namespace weir::process
