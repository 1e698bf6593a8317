#include "process/process_group.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace weir::process {
namespace {

TEST(ProcessGroup, KnowsItsOwn) { EXPECT_TRUE(group_has_living(::getpgrp())); }

TEST(ProcessGroup, AZombieDoesNotLive) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::setpgid(0, 0);
    ::pause();
    ::_exit(0);
  }
  ::setpgid(child, child);
  EXPECT_TRUE(group_has_living(child));
  ::kill(child, SIGKILL);
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  EXPECT_FALSE(group_has_living(child)) << "not reaped yet, and dead";
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_FALSE(group_has_living(child));
}

}  // namespace
}  // namespace weir::process
