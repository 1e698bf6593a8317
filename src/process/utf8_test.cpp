#include "process/utf8.hpp"

#include <gtest/gtest.h>

#include <string>

namespace weir::process {
namespace {

bool valid(std::string_view text) {
  utf8_check whole;
  whole.feed(text);
  utf8_check bytewise;
  for (std::size_t i = 0; i < text.size(); ++i) {
    bytewise.feed(text.substr(i, 1));
  }
  EXPECT_EQ(whole.complete(), bytewise.complete());
  return whole.complete();
}

TEST(Utf8, TakesEveryLength) {
  EXPECT_TRUE(valid(""));
  EXPECT_TRUE(valid(std::string_view("a\0b", 3)));
  EXPECT_TRUE(valid("é € 𝄞"));
  EXPECT_TRUE(valid("\xef\xbf\xbf \xf4\x8f\xbf\xbf"));
}

TEST(Utf8, RefusesWhatIsNone) {
  for (const char* text : {"\xff", "\x80", "\xc3", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80",
                           "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe2\x82", "\xc3(", "a\xc3"}) {
    EXPECT_FALSE(valid(text));
  }
}

TEST(Utf8, FindsACharacterThatIsCutOff) {
  EXPECT_EQ(unfinished_tail(""), 0u);
  EXPECT_EQ(unfinished_tail("a"), 0u);
  EXPECT_EQ(unfinished_tail("é"), 0u);
  EXPECT_EQ(unfinished_tail("a\xc3"), 1u);
  EXPECT_EQ(unfinished_tail("a\xe2\x82"), 2u);
  EXPECT_EQ(unfinished_tail("a\xf0\x9d\x84"), 3u);
  EXPECT_EQ(unfinished_tail("𝄞"), 0u);
}

}  // namespace
}  // namespace weir::process
