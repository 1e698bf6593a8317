#include "process/json_report.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <string>

namespace weir::process {
namespace {

std::string written(const finished_command& ended) {
  const unique_fd file(::memfd_create("json", MFD_CLOEXEC));
  const wake_fd never;
  output_port port(file.get(), never);
  EXPECT_TRUE(write_json(ended, port));
  std::string text(static_cast<std::size_t>(::lseek(file.get(), 0, SEEK_END)), '\0');
  EXPECT_EQ(::pread(file.get(), text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  return text;
}

finished_command sample() {
  finished_command ended;
  ended.what = {7, 9, "echo \"hi\"", "", ""};
  ended.attempts = 1;
  ended.ran = true;
  return ended;
}

TEST(JsonReport, IsOneLineWithEverything) {
  finished_command ended = sample();
  ended.out.append("a\n\"b\"\té\x01");
  ended.status = {exit_status::kind::exited, 3};
  ended.how = outcome::failed;
  const std::string text = written(ended);
  EXPECT_EQ(text.find('\n'), text.size() - 1);
  const auto object = nlohmann::json::parse(text);
  EXPECT_EQ(object["seq"], 7);
  EXPECT_EQ(object["line"], 9);
  EXPECT_EQ(object["command"], "echo \"hi\"");
  EXPECT_EQ(object["outcome"], "failed");
  EXPECT_EQ(object["exit"], 3);
  EXPECT_TRUE(object["signal"].is_null());
  EXPECT_EQ(object["stdout"], "a\n\"b\"\té\x01");
  EXPECT_EQ(object["stderr"], "");
  EXPECT_FALSE(object.contains("problem"));
}

TEST(JsonReport, TellsASignalFromACode) {
  finished_command ended = sample();
  ended.status = {exit_status::kind::signaled, 9};
  const auto object = nlohmann::json::parse(written(ended));
  EXPECT_TRUE(object["exit"].is_null());
  EXPECT_EQ(object["signal"], 9);
}

// cases.md 164
TEST(JsonReport, KeepsBytesThatAreNoText) {
  for (const auto& [bytes, encoded] : {std::pair{std::string("\xff\xfe\0ok\n", 6), "//4Ab2sK"},
                                       {std::string("\xff"), "/w=="},
                                       {std::string("\xff\xff"), "//8="}}) {
    finished_command ended = sample();
    ended.what.text = bytes;
    ended.err.append(bytes);
    const auto object = nlohmann::json::parse(written(ended));
    EXPECT_EQ(object["stderr_base64"], encoded);
    EXPECT_EQ(object["command_base64"], encoded);
    EXPECT_FALSE(object.contains("stderr"));
  }
}

// cases.md 163: pieces end within characters.
TEST(JsonReport, DoesNotSplitCharactersBetweenPieces) {
  finished_command ended = sample();
  ended.out = capture(65'535);
  ended.err = capture(1);
  std::string text;
  std::string bytes;
  for (int i = 0; i < 100'000; ++i) {
    text += "é";
    bytes += "\xff";
  }
  ended.out.append(text);
  ended.err.append(bytes);
  const auto object = nlohmann::json::parse(written(ended));
  EXPECT_EQ(object["stdout"], text);
  EXPECT_EQ(object["stderr_base64"].get<std::string>().substr(0, 8), "////////");
  EXPECT_EQ(object["stderr_base64"].get<std::string>().size(), 133'336u);
}

}  // namespace
}  // namespace weir::process
