#include "process/runner.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "base/unique_fd.hpp"
#include "process/errors.hpp"

namespace weir::process {
namespace {

struct seen {
  int code = 0;
  std::string out;
  std::string err;
};

std::string content(const unique_fd& file) {
  std::string text(static_cast<std::size_t>(::lseek(file.get(), 0, SEEK_END)), '\0');
  EXPECT_EQ(::pread(file.get(), text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  return text;
}

// Runs with both output descriptors of this process replaced, and puts back what a run changes.
class Runner : public ::testing::Test {
 protected:
  void SetUp() override {
    ::pthread_sigmask(SIG_SETMASK, nullptr, &mask_);
    interrupt_ = ::signal(SIGINT, SIG_DFL);
  }
  void TearDown() override {
    ::signal(SIGINT, interrupt_);
    ::signal(SIGPIPE, SIG_DFL);
    ::pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
  }

  static run_options with(std::vector<std::string> values, std::string text = "{}") {
    run_options options;
    options.input.command = {std::move(text)};
    options.input.values = std::move(values);
    options.jobs = 4;
    return options;
  }

  static seen run_captured(const run_options& options) {
    const unique_fd out(::memfd_create("out", MFD_CLOEXEC));
    const unique_fd err(::memfd_create("err", MFD_CLOEXEC));
    const unique_fd old_out(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
    const unique_fd old_err(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3));
    ::dup2(out.get(), STDOUT_FILENO);
    ::dup2(err.get(), STDERR_FILENO);
    seen result;
    result.code = run(options);
    ::dup2(old_out.get(), STDOUT_FILENO);
    ::dup2(old_err.get(), STDERR_FILENO);
    result.out = content(out);
    result.err = content(err);
    return result;
  }

  sigset_t mask_;
  sighandler_t interrupt_;
};

std::vector<std::string> numbers(int count) {
  std::vector<std::string> all;
  for (int i = 1; i <= count; ++i) {
    all.push_back(std::to_string(i));
  }
  return all;
}

TEST_F(Runner, KeepsTheOrderOfManyCommands) {
  run_options options = with(numbers(150), "echo {}; exit $(({} % 2))");
  options.jobs = 8;
  options.keep_order = true;
  options.quiet = true;
  const seen result = run_captured(options);
  EXPECT_EQ(result.code, 1);
  std::string expected;
  for (const std::string& one : numbers(150)) {
    expected += one + "\n";
  }
  EXPECT_EQ(result.out, expected);
  EXPECT_EQ(result.err, "");
}

TEST_F(Runner, EachCommandIsShownOnce) {
  run_options options = with(numbers(100), "echo {}");
  options.jobs = 3;
  options.capacity = 1;
  const seen result = run_captured(options);
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 100);
}

TEST_F(Runner, RetriesEachCommandAsOftenAsAsked) {
  run_options options = with(numbers(30), "exit 1 # ");
  options.retries = 2;
  options.backoff = std::chrono::milliseconds(1);
  options.json = true;
  options.quiet = true;
  const seen result = run_captured(options);
  EXPECT_EQ(result.code, 1);
  std::size_t tried_thrice = 0;
  for (auto at = result.out.find("\"attempts\":3"); at != std::string::npos;
       at = result.out.find("\"attempts\":3", at + 1)) {
    ++tried_thrice;
  }
  EXPECT_EQ(tried_thrice, 30u);
}

TEST_F(Runner, RunsCommandsOfOneKeyInTheirOrder) {
  std::vector<std::string> values;
  for (int i = 100; i < 220; ++i) {
    values.push_back(std::string(1, "abc"[i % 3]) + std::to_string(i));
  }
  run_options options = with(values, "echo {}");
  options.key = "([abc])\\d+";
  options.max_bytes = 100;
  const seen result = run_captured(options);
  EXPECT_EQ(result.code, 0) << result.err;
  // Without keep_order the output is in the order of the ends, which is that of the input per key.
  std::string last[3];
  std::istringstream lines(result.out);
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    std::string& before = last[line[0] - 'a'];
    EXPECT_LT(before, line);
    before = line;
  }
  EXPECT_EQ(count, 120u);
}

TEST_F(Runner, KeepsTheKeyOverRetriesAndLetsGoAtTheHalt) {
  run_options options = with(numbers(40), "echo {}; exit 1");
  options.key = "echo";
  options.retries = 1;
  options.backoff = std::chrono::milliseconds(1);
  options.halt = *parse_halt_rule("soon,fail=5");
  options.quiet = true;
  const seen result = run_captured(options);
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.out, "1\n2\n3\n4\n5\n") << "in turn, and none after the fifth failure";
}

TEST_F(Runner, AnswersWithoutBeingDisturbed) {
  run_options options = with(numbers(100), "kill -USR1 $PPID; echo {}");
  options.keep_order = true;
  const seen result = run_captured(options);
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 100);
  EXPECT_TRUE(result.err.starts_with("weir: after ")) << result.err;
  EXPECT_NE(result.err.find("weir:   runs "), std::string::npos) << result.err;
}

TEST_F(Runner, HaltsAtOnce) {
  std::vector<std::string> commands(3, "sleep 300");
  commands.push_back("exit 1");
  commands.resize(60, "echo never");
  run_options options = with(commands, "eval {}");
  options.halt = *parse_halt_rule("now");
  const seen result = run_captured(options);
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.err.find("60 commands: 1 failed, "), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("never started"), std::string::npos) << result.err;
}

TEST_F(Runner, StopsForASignalFromACommand) {
  run_options options = with(numbers(200), "kill -INT $PPID; echo {}; sleep 0.01");
  const seen result = run_captured(options);
  EXPECT_EQ(result.code, 130);
  EXPECT_NE(result.err.find("stopped by SIGINT: "), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("never started"), std::string::npos) << result.err;
}

TEST_F(Runner, RefusesWhatCannotBeDone) {
  run_options options = with({});
  options.resume = true;
  EXPECT_THROW(run(options), usage_error);
  options.resume = false;
  options.shell = "/nowhere/sh";
  EXPECT_THROW(run(options), usage_error);
  options.shell = "/bin/sh";
  options.key = "(";
  EXPECT_THROW(run(options), usage_error);
}

}  // namespace
}  // namespace weir::process
