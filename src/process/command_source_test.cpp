#include "process/command_source.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "process/errors.hpp"

namespace weir::process {
namespace {

using result = command_source::result;

class CommandSource : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = (std::filesystem::temp_directory_path() / ("source-" + std::to_string(::getpid())))
                .string();
  }
  void TearDown() override { std::filesystem::remove(path_); }
  void put(std::string_view text) { std::ofstream(path_, std::ios::binary) << text; }

  std::string path_;
};

std::vector<command> all(command_source& from) {
  std::vector<command> commands;
  command one;
  while (from.next(one) == result::command) {
    commands.push_back(one);
  }
  return commands;
}

TEST_F(CommandSource, SkipsCommentsAndBlankLinesButCountsLines) {
  put("# first\n\n  \t\necho a\n   # more\necho b # kept\n");
  command_source source({path_, {}, {}}, -1);
  EXPECT_EQ(source.count(), 2u);
  const auto commands = all(source);
  ASSERT_EQ(commands.size(), 2u);
  EXPECT_EQ(commands[0].text, "echo a");
  EXPECT_EQ(commands[0].seq, 1u);
  EXPECT_EQ(commands[0].line, 4u);
  EXPECT_EQ(commands[1].text, "echo b # kept");
  EXPECT_EQ(commands[1].seq, 2u);
  EXPECT_EQ(commands[1].line, 6u);
}

TEST_F(CommandSource, FillsATemplateWithValues) {
  command_source source({"", {"cp {} {}.bak"}, std::vector<std::string>{"a b", "c"}}, -1);
  EXPECT_EQ(source.count(), 2u);
  const auto commands = all(source);
  ASSERT_EQ(commands.size(), 2u);
  EXPECT_EQ(commands[0].text, "cp 'a b' 'a b'.bak");
  EXPECT_EQ(commands[0].tag, "a b");
  EXPECT_EQ(commands[0].line, 0u);
}

TEST_F(CommandSource, FillsATemplateWithLines) {
  put("#1\n\nx\n");
  command_source source({path_, {"echo {#} {}"}, {}}, -1);
  const auto commands = all(source);
  ASSERT_EQ(commands.size(), 2u) << "a value may begin with #";
  EXPECT_EQ(commands[0].text, "echo 1 '#1'");
  EXPECT_EQ(commands[1].text, "echo 2 x");
}

TEST_F(CommandSource, RefusesWhatCannotBeRunAndGoesOn) {
  put(std::string("true\n") + std::string(longest_argument() + 1, 'x') + "\n" +
      std::string("a\0b\n", 4) + std::string(longest_argument(), ':') + "\n");
  command_source source({path_, {}, {}}, -1);
  const auto commands = all(source);
  ASSERT_EQ(commands.size(), 4u);
  EXPECT_EQ(commands[0].refusal, "");
  EXPECT_NE(commands[1].refusal.find("131072 bytes"), std::string::npos) << commands[1].refusal;
  EXPECT_NE(commands[2].refusal.find("NUL"), std::string::npos);
  EXPECT_EQ(commands[3].refusal, "");
  EXPECT_EQ(commands[3].seq, 4u);
}

TEST_F(CommandSource, RefusesWhatBecomesTooLong) {
  command_source source({"", {"{} {}"}, std::vector<std::string>{std::string(70'000, 'x')}}, -1);
  const auto commands = all(source);
  ASSERT_EQ(commands.size(), 1u);
  EXPECT_NE(commands[0].refusal, "");
}

TEST_F(CommandSource, NamesAnInputThatIsNone) {
  EXPECT_THROW(command_source({"/nowhere/x", {}, {}}, -1), usage_error);
  EXPECT_THROW(command_source({"/", {}, {}}, -1), usage_error);
}

}  // namespace
}  // namespace weir::process
