#include "process/joblog.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "process/errors.hpp"

namespace weir::process {
namespace {

class Joblog : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = (std::filesystem::temp_directory_path() / ("joblog-" + std::to_string(::getpid())))
                .string();
    std::filesystem::remove(path_);
  }
  void TearDown() override { std::filesystem::remove(path_); }

  void put(std::string_view text) { std::ofstream(path_, std::ios::binary) << text; }
  std::string content() const {
    std::ostringstream all;
    all << std::ifstream(path_, std::ios::binary).rdbuf();
    return all.str();
  }

  std::string path_;
};

finished_command ended(std::uint64_t seq, std::string text, exit_status status = {}) {
  finished_command one;
  one.what.seq = seq;
  one.what.text = std::move(text);
  one.status = status;
  one.how = status.success() ? outcome::succeeded : outcome::failed;
  one.started = std::chrono::system_clock::time_point(std::chrono::milliseconds(1234567));
  one.run_time = std::chrono::milliseconds(1500);
  return one;
}

constexpr const char* k_header =
    "Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n";

TEST_F(Joblog, WritesTheColumnsOfGnuParallel) {
  {
    joblog_writer log(path_, false);
    finished_command first = ended(1, "echo a\tb");
    first.out.append("a b\n");
    EXPECT_EQ(log.write(first), 0);
    EXPECT_EQ(log.write(ended(2, "exit 3", {exit_status::kind::exited, 3})), 0);
    EXPECT_EQ(log.write(ended(3, "die", {exit_status::kind::signaled, 9})), 0);
  }
  EXPECT_EQ(content(), std::string(k_header) +
                           "1\t:\t1234.567\t     1.500\t0\t4\t0\t0\techo a\tb\n"
                           "2\t:\t1234.567\t     1.500\t0\t0\t3\t0\texit 3\n"
                           "3\t:\t1234.567\t     1.500\t0\t0\t0\t9\tdie\n");
}

TEST_F(Joblog, MarksWhatDidNotEndByItself) {
  finished_command one = ended(1, "x");
  one.how = outcome::timed_out;
  EXPECT_EQ(one.log_code(), 124);
  one.how = outcome::cancelled;
  EXPECT_EQ(one.log_code(), -1);
  one.problem = "disk full";
  EXPECT_EQ(one.log_code(), 125);
}

TEST_F(Joblog, KnowsWhatSucceeded) {
  {
    joblog_writer log(path_, false);
    EXPECT_EQ(log.write(ended(1, "a\nb")), 0);
    EXPECT_EQ(log.write(ended(2, "false", {exit_status::kind::exited, 1})), 0);
    EXPECT_EQ(log.write(ended(3, "die", {exit_status::kind::signaled, 9})), 0);
  }
  const auto history = joblog_history::read(path_);
  EXPECT_TRUE(history.succeeded(1, "a\nb"));
  EXPECT_FALSE(history.succeeded(2, "false"));
  EXPECT_FALSE(history.succeeded(3, "die"));
  EXPECT_FALSE(history.succeeded(4, "new"));
  EXPECT_THROW((void)history.succeeded(1, "other"), usage_error);
}

TEST_F(Joblog, TheLastRowOfACommandCounts) {
  put(std::string(k_header) + "1\t:\t0\t0\t0\t0\t1\t0\tx\n1\t:\t0\t0\t0\t0\t0\t0\tx\n");
  EXPECT_TRUE(joblog_history::read(path_).succeeded(1, "x"));
}

TEST_F(Joblog, AMissingFileIsAnEmptyHistory) {
  EXPECT_FALSE(joblog_history::read(path_).succeeded(1, "x"));
}

TEST_F(Joblog, LeavesOutARowThatWasCutOff) {
  put(std::string(k_header) + "1\t:\t0\t0\t0\t0\t0\t0\tx\n2\t:\t0\t0\t0\t0\t0\t0\ty");
  const auto history = joblog_history::read(path_);
  EXPECT_TRUE(history.succeeded(1, "x"));
  EXPECT_FALSE(history.succeeded(2, "y"));
  { joblog_writer log(path_, true); }
  EXPECT_EQ(content(), std::string(k_header) + "1\t:\t0\t0\t0\t0\t0\t0\tx\n");
}

TEST_F(Joblog, CutsALongUnfinishedRow) {
  put(std::string(k_header) + std::string(100'000, 'x'));
  { joblog_writer log(path_, true); }
  EXPECT_EQ(content(), k_header);
}

TEST_F(Joblog, NamesALineThatIsNoRow) {
  put(std::string(k_header) + "hello\n");
  try {
    (void)joblog_history::read(path_);
    FAIL();
  } catch (const usage_error& error) {
    EXPECT_NE(std::string(error.what()).find(path_ + ":2"), std::string::npos) << error.what();
  }
}

TEST_F(Joblog, StartsAnewUnlessItGoesOn) {
  put("old\n");
  { joblog_writer log(path_, false); }
  EXPECT_EQ(content(), k_header);
}

TEST_F(Joblog, SaysWhenTheDiskIsFull) {
  EXPECT_THROW(joblog_writer("/dev/full", false), run_error);
  EXPECT_THROW(joblog_writer("/nowhere/log", false), usage_error);
  EXPECT_THROW(joblog_history::read("/"), usage_error);
}

}  // namespace
}  // namespace weir::process
