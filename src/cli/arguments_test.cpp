#include "cli/arguments.hpp"

#include <gtest/gtest.h>

#include "process/errors.hpp"

namespace weir::cli {
namespace {

using process::usage_error;
using words = std::vector<std::string>;

request parse(words arguments) { return parse_arguments(k_run_verb, std::move(arguments)); }

std::string error_of(words arguments) {
  try {
    parse(std::move(arguments));
  } catch (const usage_error& error) {
    return error.what();
  }
  return "";
}

TEST(Arguments, ReadEveryWayToGiveAValue) {
  EXPECT_EQ(parse({"-j4"}).run.jobs, 4u);
  EXPECT_EQ(parse({"-j", "4"}).run.jobs, 4u);
  EXPECT_EQ(parse({"--jobs=4"}).run.jobs, 4u);
  EXPECT_EQ(parse({"--jobs", "4", "-kq"}).run.jobs, 4u);
  EXPECT_TRUE(parse({"-kq"}).run.keep_order);
  EXPECT_EQ(parse({"-j4", "-j", "5"}).run.jobs, 5u) << "the last one counts";
}

TEST(Arguments, FlagsMayFollowTheFile) {
  const request asked = parse({"file", "-j4"});
  EXPECT_EQ(asked.words, words{"file"});
  EXPECT_EQ(asked.run.jobs, 4u);
}

TEST(Arguments, ATemplateTakesAllThatFollows) {
  const request asked = parse({"-j2", "--", "grep", "-j", "{}", ":::", "-a", "--", "b"});
  EXPECT_EQ(asked.run.jobs, 2u);
  EXPECT_EQ(asked.run.input.command, (words{"grep", "-j", "{}"}));
  EXPECT_EQ(asked.run.input.values, (words{"-a", "--", "b"}));
}

TEST(Arguments, ATemplateMayDoWithoutDashes) {
  const request asked = parse({"--tag", "-j", "3", "--halt=now", "gzip", "-9", ":::", "a"});
  EXPECT_TRUE(asked.run.tag);
  EXPECT_EQ(asked.run.jobs, 3u);
  EXPECT_EQ(asked.run.input.command, (words{"gzip", "-9"}));
}

TEST(Arguments, LaterDashesBelongToTheTemplate) {
  const request asked = parse({"-k", "git", "log", "--", "{}", ":::", "a"});
  EXPECT_TRUE(asked.run.keep_order);
  EXPECT_EQ(asked.run.input.command, (words{"git", "log", "--", "{}"}));
}

TEST(Arguments, ValuesOfAFile) {
  const request asked = parse({"--", "x", "::::", "-"});
  EXPECT_EQ(asked.run.input.file, "-");
  EXPECT_FALSE(asked.run.input.values);
}

TEST(Arguments, SayWhatIsWrong) {
  EXPECT_NE(error_of({"--jbos", "3"}).find("did you mean --jobs?"), std::string::npos);
  EXPECT_NE(error_of({"--frobnicate"}).find("'--frobnicate'"), std::string::npos);
  EXPECT_NE(error_of({"-j"}).find("jobs"), std::string::npos) << error_of({"-j"});
  EXPECT_NE(error_of({"-j", "0"}).find("-j '0'"), std::string::npos);
  EXPECT_NE(error_of({"--", ":::", "x"}).find("no command"), std::string::npos);
  EXPECT_EQ(error_of({"-"}), "");
}

TEST(CommandTable, HoldsTogether) {
  for (const verb& one : verbs()) {
    EXPECT_EQ(find_verb(one.name)->name, one.name);
    EXPECT_FALSE(one.summary.empty());
    EXPECT_FALSE(one.usage.empty());
    for (const flag& each : one.flags) {
      EXPECT_NE(each.apply, nullptr) << each.name;
      EXPECT_TRUE(each.help.ends_with('.')) << each.name;
      EXPECT_EQ(each.kind == completes::words, !each.words.empty()) << each.name;
    }
  }
  EXPECT_EQ(find_verb("nothing"), nullptr);
}

}  // namespace
}  // namespace weir::cli
