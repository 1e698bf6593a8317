#include "process/shell.hpp"

#include <gtest/gtest.h>

#include "process/child.hpp"
#include "process/errors.hpp"

namespace weir::process {
namespace {

exit_status run(const shell& program, const std::string& text, const spawner& starter) {
  const wake_fd never;
  capture out;
  capture err;
  const shell_arguments arguments(program, text);
  return run_child(starter, program.path(), arguments.get(), {}, never, out, err).status;
}

TEST(Shell, IsFoundByPathOrInPath) {
  const spawner starter;
  EXPECT_STREQ(shell("/bin/sh", false, starter).path(), "/bin/sh");
  EXPECT_EQ(run(shell("sh", false, starter), "exit 4", starter).value, 4);
}

TEST(Shell, NamesWhatCannotBeOne) {
  const spawner starter;
  EXPECT_THROW(shell("/nowhere/sh", false, starter), usage_error);
  EXPECT_THROW(shell("no-such-shell", false, starter), usage_error);
  EXPECT_THROW(shell("/etc/passwd", false, starter), usage_error);
  EXPECT_THROW(shell("/usr", false, starter), usage_error);
}

TEST(Shell, ATextLikeAnOptionIsACommand) {
  const spawner starter;
  EXPECT_EQ(run(shell("/bin/sh", false, starter), "-x", starter).value, 127);
}

// cases.md 170
TEST(Shell, PipefailIsStrictOrAnError) {
  const spawner starter;
  EXPECT_EQ(run(shell("bash", false, starter), "false | cat", starter).value, 0);
  EXPECT_EQ(run(shell("bash", true, starter), "false | cat", starter).value, 1);
  EXPECT_THROW(shell("/bin/false", true, starter), usage_error);
}

}  // namespace
}  // namespace weir::process
