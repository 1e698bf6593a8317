#include "process/key_pattern.hpp"

#include <gtest/gtest.h>

#include <string>

#include "process/errors.hpp"

namespace weir::process {
namespace {

std::string complaint(const std::string& pattern) {
  try {
    const key_pattern refused(pattern);
  } catch (const usage_error& error) {
    return error.what();
  }
  return "";
}

TEST(KeyPattern, TakesTheFirstGroupOrAllOfTheMatch) {
  EXPECT_EQ(key_pattern("host-\\d+").key_of("ssh host-12 host-13"), "host-12");
  EXPECT_EQ(key_pattern("--db=(\\w+) --(\\w+)").key_of("load --db=a --fast"), "a");
  EXPECT_EQ(key_pattern("(?:x|y)(z)").key_of("yz"), "z");
}

TEST(KeyPattern, NoMatchIsNoKey) {
  EXPECT_EQ(key_pattern("^a").key_of("ba"), std::nullopt);
  EXPECT_EQ(key_pattern("a").key_of(""), std::nullopt);
}

TEST(KeyPattern, AGroupThatTookNoPartIsNoKeyAndAnEmptyOneIs) {
  EXPECT_EQ(key_pattern("a(b)?").key_of("ac"), std::nullopt);
  EXPECT_EQ(key_pattern("a(b*)").key_of("ac"), "");
}

TEST(KeyPattern, TextIsCharactersAndOtherBytesMatchNothing) {
  EXPECT_EQ(key_pattern("^.$").key_of("é"), "é");
  EXPECT_EQ(key_pattern("^.$").key_of("\xff"), std::nullopt);
  EXPECT_EQ(key_pattern("b").key_of("\xff\xfe"
                                    "b"),
            "b");
}

TEST(KeyPattern, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(
      complaint("ab[z-a]"),
      "--key 'ab[z-a]': not a regular expression: invalid character class range: z-a at byte 4");
  EXPECT_NE(complaint("(a").find("missing )"), std::string::npos);
  EXPECT_NE(complaint("\xff").find("invalid UTF-8"), std::string::npos);
  EXPECT_NE(complaint("(?=x)").find("invalid perl operator: (?= at byte 1"), std::string::npos);
}

// std::regex overflows the stack on such a text, and needs exponential time for such a pattern.
TEST(KeyPattern, HostileTextsTakeLinearTime) {
  const std::string text(1'000'000, 'a');
  EXPECT_EQ(key_pattern("(?:.|x)*b").key_of(text), std::nullopt);
  EXPECT_EQ(key_pattern("(?:a*)*c").key_of(text), std::nullopt);
  EXPECT_EQ(key_pattern("((?:a|aa)+)$").key_of(text), text);
}

}  // namespace
}  // namespace weir::process
