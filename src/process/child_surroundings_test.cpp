#include "process/child_surroundings.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "process/child.hpp"

namespace weir::process {
namespace {

std::string said_by(const std::string& script, const command& of) {
  const spawner starter;
  const wake_fd never;
  capture out;
  capture err;
  std::string text = script;
  std::string shell = "/bin/sh";
  std::string flag = "-c";
  char* argv[] = {shell.data(), flag.data(), text.data(), nullptr};
  const child_surroundings around(of);
  EXPECT_EQ(around.error(), 0);
  const child_result seen =
      run_child(starter, "/bin/sh", argv, {}, never, out, err, {}, around.given());
  EXPECT_TRUE(seen.status.success());
  std::string all;
  out.for_each_piece([&](std::string_view piece) {
    all += piece;
    return true;
  });
  return all;
}

TEST(child_surroundings, nothing_given_is_the_environment_of_this_process_and_no_input) {
  ::setenv("WEIR_TEST_KEPT", "kept", 1);
  EXPECT_EQ(said_by("cat; echo $WEIR_TEST_KEPT", {}), "kept\n");
}

TEST(child_surroundings, variables_beat_those_of_this_process_and_the_last_one_holds) {
  ::setenv("WEIR_TEST_KEPT", "kept", 1);
  ::setenv("WEIR_TEST_BEATEN", "old", 1);
  command of;
  of.variables = {"WEIR_TEST_BEATEN=first", "WEIR_TEST_NEW= a=b ", "WEIR_TEST_BEATEN=last"};
  EXPECT_EQ(said_by("echo \"$WEIR_TEST_KEPT,$WEIR_TEST_BEATEN,$WEIR_TEST_NEW\"; env | grep -c "
                    "WEIR_TEST_BEATEN",
                    of),
            "kept,last, a=b \n1\n");
}

TEST(child_surroundings, input_is_read_to_its_end_whatever_its_size) {
  command of;
  of.input = std::string(1'000'000, 'x') + "\n";
  EXPECT_EQ(said_by("wc -c", of), "1000001\n");
  EXPECT_EQ(said_by("true", of), "") << "a command that does not read is not waited for";
}

TEST(child_surroundings, every_run_reads_its_input_from_the_beginning) {
  command of;
  of.input = "hello\n";
  EXPECT_EQ(said_by("cat", of), "hello\n");
  EXPECT_EQ(said_by("cat", of), "hello\n");
}

}  // namespace
}  // namespace weir::process
