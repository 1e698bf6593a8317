#include "process/command_template.hpp"

#include <gtest/gtest.h>

namespace weir::process {
namespace {

std::string expand(std::vector<std::string> words, std::string_view value,
                   std::uint64_t number = 1) {
  return command_template(std::move(words)).expand(value, number);
}

TEST(ShellQuote, LeavesPlainWordsAlone) { EXPECT_EQ(shell_quote("a/b-c_d.e"), "a/b-c_d.e"); }

TEST(ShellQuote, QuotesWhatAShellWouldRead) {
  EXPECT_EQ(shell_quote(""), "''");
  EXPECT_EQ(shell_quote("a b"), "'a b'");
  EXPECT_EQ(shell_quote("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_quote("$HOME"), "'$HOME'");
  EXPECT_EQ(shell_quote("~"), "'~'");
  EXPECT_EQ(shell_quote("\xff"), "'\xff'");
}

TEST(CommandTemplate, FillsEveryHole) {
  EXPECT_EQ(expand({"x {} {.} {/} {//} {/.} {#}"}, "/d/e/f.tar.gz", 7),
            "x /d/e/f.tar.gz /d/e/f.tar f.tar.gz /d/e f.tar 7");
}

TEST(CommandTemplate, TakesPathsWithoutDirectoryOrExtension) {
  EXPECT_EQ(expand({"x {.} {/} {//}"}, "f"), "x f f .");
  EXPECT_EQ(expand({"x {.}"}, "d.e/f"), "x d.e/f");
  EXPECT_EQ(expand({"x {//}"}, "/f"), "x /");
}

TEST(CommandTemplate, AppendsTheValueWhereThereIsNoHole) {
  EXPECT_EQ(expand({"wc -l"}, "a b"), "wc -l 'a b'");
  EXPECT_EQ(expand({"wc", "-l"}, "a b"), "wc -l 'a b'");
  EXPECT_EQ(expand({"echo {x}"}, "v"), "echo {x} v");
}

TEST(CommandTemplate, OneWordIsShellText) {
  EXPECT_EQ(expand({"cat {} | wc -c"}, "a;b"), "cat 'a;b' | wc -c");
}

TEST(CommandTemplate, SeveralWordsAreAnArgumentVector) {
  EXPECT_EQ(expand({"grep", "a|b", "--in={}"}, "x y"), "grep 'a|b' '--in=x y'");
}

TEST(CommandTemplate, ValuesAreNotExpandedAgain) {
  EXPECT_EQ(expand({"echo {}"}, "{#}"), "echo '{#}'");
}

}  // namespace
}  // namespace weir::process
