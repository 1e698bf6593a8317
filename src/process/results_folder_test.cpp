#include "process/results_folder.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "process/errors.hpp"

namespace weir::process {
namespace {

class ResultsFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = std::filesystem::temp_directory_path() / ("results-" + std::to_string(::getpid()));
    std::filesystem::remove_all(path_);
  }
  void TearDown() override { std::filesystem::remove_all(path_); }

  std::string content(const std::string& name) const {
    std::ostringstream all;
    all << std::ifstream(path_ / name, std::ios::binary).rdbuf();
    return all.str();
  }

  std::filesystem::path path_;
};

finished_command sample() {
  finished_command one;
  one.what.seq = 7;
  one.what.text = "exit 3";
  one.how = outcome::failed;
  one.status = {exit_status::kind::exited, 3};
  one.run_time = std::chrono::milliseconds(1500);
  return one;
}

TEST_F(ResultsFolder, HoldsWhatACommandWasAndDid) {
  const results_folder folder(path_ / "deep");
  finished_command one = sample();
  EXPECT_EQ(folder.begin(one), "");
  one.out.append("a\n");
  one.err.append("b\n");
  EXPECT_EQ(content("deep/7/stdout"), "a\n") << "written through, before the end";
  EXPECT_FALSE(std::filesystem::exists(path_ / "deep/7/status"));
  EXPECT_EQ(folder.end(one), "");
  EXPECT_EQ(content("deep/7/command"), "exit 3\n");
  EXPECT_EQ(content("deep/7/stderr"), "b\n");
  EXPECT_EQ(content("deep/7/status"), "exit 3\nfailed\n1.500 seconds\n");
}

TEST_F(ResultsFolder, ALaterAttemptStartsAnew) {
  const results_folder folder(path_);
  finished_command first = sample();
  EXPECT_EQ(folder.begin(first), "");
  first.out.append("long");
  EXPECT_EQ(folder.end(first), "");
  finished_command second = sample();
  EXPECT_EQ(folder.begin(second), "");
  EXPECT_EQ(content("7/stdout"), "");
  EXPECT_FALSE(std::filesystem::exists(path_ / "7/status"));
}

TEST_F(ResultsFolder, NamesTheFileThatCouldNotBeWritten) {
  const results_folder folder(path_);
  std::filesystem::create_directory(path_ / "7");
  std::filesystem::create_symlink("/dev/full", path_ / "7/stderr");
  finished_command one = sample();
  EXPECT_EQ(folder.begin(one), "");
  one.err.append("x");
  EXPECT_EQ(folder.end(one), (path_ / "7/stderr").string() + ": No space left on device");
  std::ofstream(path_ / "8") << "in the way";
  finished_command other = sample();
  other.what.seq = 8;
  EXPECT_NE(folder.begin(other).find("/8: "), std::string::npos);
}

TEST_F(ResultsFolder, RefusesAPlaceThatIsNoFolder) {
  std::ofstream(path_.string()) << "a file";
  EXPECT_THROW(results_folder(path_.string()), usage_error);
}

}  // namespace
}  // namespace weir::process
