#include "process/child.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "process/process_group.hpp"

namespace weir::process {
namespace {

using namespace std::chrono_literals;

struct outcome {
  child_result result;
  std::string out;
  std::string err;
};

std::string bytes_of(const capture& from) {
  std::string bytes;
  EXPECT_TRUE(from.for_each_piece([&](std::string_view piece) {
    bytes += piece;
    return true;
  }));
  return bytes;
}

// What this program was started with, under nohup say, is not what these tests are about.
void forget_inherited_signals() {
  for (const int number : {SIGHUP, SIGINT, SIGQUIT, SIGTERM}) ::signal(number, SIG_DFL);
}

outcome run_with(const wake_fd& stop, std::string command, child_limits limits = {}) {
  static const bool forgotten = (forget_inherited_signals(), true);
  static_cast<void>(forgotten);
  static const spawner starter;
  char shell[] = "sh";
  char flag[] = "-c";
  char* const argv[] = {shell, flag, command.data(), nullptr};
  capture out;
  capture err;
  outcome seen;
  seen.result = run_child(starter, "/bin/sh", argv, limits, stop, out, err);
  seen.out = bytes_of(out);
  seen.err = bytes_of(err);
  return seen;
}

outcome run(std::string command, child_limits limits = {}) {
  const wake_fd never;
  return run_with(never, std::move(command), limits);
}

exit_status exited(int code) { return {exit_status::kind::exited, code}; }
exit_status signaled(int number) { return {exit_status::kind::signaled, number}; }

std::set<int> open_descriptors() {
  std::set<int> open;
  DIR* folder = ::opendir("/proc/self/fd");
  while (const dirent* entry = ::readdir(folder)) {
    const int fd = std::atoi(entry->d_name);
    if (entry->d_name[0] != '.' && fd != ::dirfd(folder)) {
      open.insert(fd);
    }
  }
  ::closedir(folder);
  return open;
}

TEST(Child, ReportsTheExitCode) {
  EXPECT_EQ(run("exit 0").result.status, exited(0));
  EXPECT_EQ(run("exit 3").result.status, exited(3));
  EXPECT_EQ(run("exit 255").result.status, exited(255));
  EXPECT_EQ(run("exit 3").result.end, child_end::finished);
}

// cases.md 166, 167: a death by signal is no exit code, 137 is not signal 9.
TEST(Child, TellsASignalFromACode) {
  for (const int number : {SIGKILL, SIGSEGV, SIGTERM, SIGINT, SIGHUP, SIGPIPE}) {
    EXPECT_EQ(run("kill -" + std::to_string(number) + " $$").result.status, signaled(number));
  }
  EXPECT_EQ(run("exit 137").result.status, exited(137));
}

TEST(Child, KeepsTheStreamsApartAndByteExact) {
  const outcome seen = run("printf '\\377\\000a'; printf 'b\\001' >&2");
  EXPECT_EQ(seen.out, std::string("\377\0a", 3));
  EXPECT_EQ(seen.err, "b\001");
}

// cases.md 161
TEST(Child, DoesNotBlockOnAFullPipe) {
  const outcome big_error = run("head -c 10000000 /dev/zero >&2");
  EXPECT_EQ(big_error.err.size(), 10'000'000u);
  const outcome bursts =
      run("for i in 1 2 3; do head -c 1000000 /dev/zero; head -c 1000000 /dev/zero >&2; done");
  EXPECT_EQ(bursts.out.size(), 3'000'000u);
  EXPECT_EQ(bursts.err.size(), 3'000'000u);
  EXPECT_EQ(run("head -c 65537 /dev/zero").out.size(), 65'537u);
}

// cases.md 160
TEST(Child, LosesNothingAtTheEnd) {
  for (int i = 0; i < 20; ++i) {
    const outcome seen = run("head -c 1000000 /dev/zero | tr '\\0' x; exit 3");
    ASSERT_EQ(seen.out.size(), 1'000'000u);
    ASSERT_EQ(seen.result.status, exited(3));
  }
}

// A pipe may be made to hold more than one read takes, and then its writer is gone before it is
// read.
TEST(Child, ReadsALargePipeToItsEnd) {
  const std::string text =
      "exec python3 -c 'import fcntl, os; fcntl.fcntl(1, 1031, 1 << 20);"
      " os.write(1, b\"x\" * 1000000); os.kill(os.getpid(), 9)'";
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 2; ++round) {
        EXPECT_EQ(run(text).out.size(), 1'000'000u);
      }
    });
  }
  for (std::thread& one : threads) {
    one.join();
  }
}

TEST(Child, HasNoInputAndDefaultSignals) {
  EXPECT_EQ(run("cat; echo $?").out, "0\n");
  const auto before = ::signal(SIGPIPE, SIG_IGN);
  const outcome seen = run("grep -E '^Sig(Blk|Ign)' /proc/self/status");
  ::signal(SIGPIPE, before);
  // posix_spawn leaves the two signals that the C library keeps for itself, 32 and 33, ignored.
  constexpr unsigned long k_of_libc = 0x180000000;
  unsigned long blocked = 1;
  unsigned long ignored = 1;
  ASSERT_EQ(std::sscanf(seen.out.c_str(), "SigBlk: %lx SigIgn: %lx", &blocked, &ignored), 2);
  EXPECT_EQ(blocked, 0u);
  EXPECT_EQ(ignored & ~k_of_libc, 0u);
}

TEST(Child, LeadsAGroupOfItsOwn) {
  const outcome seen = run("cut -d' ' -f5 /proc/$$/stat; echo $$");
  const auto newline = seen.out.find('\n');
  ASSERT_NE(newline, std::string::npos);
  EXPECT_EQ(seen.out.substr(0, newline + 1), seen.out.substr(newline + 1));
}

TEST(Child, InheritsNoDescriptorAndLeavesNone) {
  const auto before = open_descriptors();
  const unique_fd ours(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  std::set<int> inheritable{0, 1, 2, 3};  // 3 is what ls reads the folder with
  for (const int fd : before) {
    if ((::fcntl(fd, F_GETFD) & FD_CLOEXEC) == 0) {
      inheritable.insert(fd);
    }
  }
  std::set<int> inherited;
  std::istringstream listing(run("ls /proc/self/fd").out);
  for (int fd = 0; listing >> fd;) {
    inherited.insert(fd);
  }
  EXPECT_EQ(inherited, inheritable);
  EXPECT_EQ(run("sleep 60", {100ms, 5s}).result.end, child_end::timed_out);
  EXPECT_EQ(run("head -c 3000000 /dev/zero").out.size(), 3'000'000u);
  auto after = open_descriptors();
  after.erase(ours.get());
  EXPECT_EQ(after, before);
}

TEST(Child, LeavesNoZombie) {
  run("exit 1");
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

// cases.md 158: the command is over when the shell is, whatever it left behind.
TEST(Child, EndsWithItsLeader) {
  const outcome seen = run("sleep 300 & echo $!; exit 0", {20s, 1s});
  EXPECT_EQ(seen.result.end, child_end::finished);
  EXPECT_EQ(seen.result.status, exited(0));
  EXPECT_LT(seen.result.run_time, 10s);
  EXPECT_EQ(::kill(std::atoi(seen.out.c_str()), SIGKILL), 0) << "the orphan is left alone";
}

TEST(Child, AnOrphanThatWritesForEverDoesNotHoldIt) {
  const outcome seen = run("yes & echo $! >&2; exit 4", {20s, 1s});
  EXPECT_EQ(seen.result.status, exited(4));
  ::kill(std::atoi(seen.err.c_str()), SIGKILL);
}

TEST(Child, TimesOut) {
  const outcome seen = run("echo early; sleep 60", {100ms, 5s});
  EXPECT_EQ(seen.result.end, child_end::timed_out);
  EXPECT_EQ(seen.result.status, signaled(SIGTERM));
  EXPECT_GE(seen.result.run_time, 100ms);
  EXPECT_EQ(seen.out, "early\n");
}

TEST(Child, IsKilledWhenItIgnoresTheRequest) {
  const outcome seen = run("trap '' TERM; sleep 60 & wait; sleep 60", {100ms, 100ms});
  EXPECT_EQ(seen.result.end, child_end::timed_out);
  EXPECT_EQ(seen.result.status, signaled(SIGKILL));
}

TEST(Child, SaysWhatItAnsweredToTheRequest) {
  const outcome seen = run("trap 'echo bye; exit 5' TERM; sleep 60 & wait", {100ms, 5s});
  EXPECT_EQ(seen.result.end, child_end::timed_out);
  EXPECT_EQ(seen.result.status, exited(5));
  EXPECT_EQ(seen.out, "bye\n");
}

// cases.md 157: the unit of an end is the group, also when its leader is long gone.
TEST(Child, EndsGrandchildrenThatIgnoreTheRequest) {
  const outcome seen =
      run("(trap '' TERM; while :; do sleep 0.01; done) & echo $$; wait", {100ms, 200ms});
  EXPECT_EQ(seen.result.end, child_end::timed_out);
  EXPECT_EQ(seen.result.status, signaled(SIGTERM));
  EXPECT_FALSE(group_has_living(std::atoi(seen.out.c_str())));
}

TEST(Child, EndsANestedTreeAtOnce) {
  const auto before = std::chrono::steady_clock::now();
  const outcome seen = run("echo $$; sh -c 'sleep 300 & sleep 300'; true", {100ms, 60s});
  EXPECT_FALSE(group_has_living(std::atoi(seen.out.c_str())));
  EXPECT_LT(std::chrono::steady_clock::now() - before, 30s) << "no wait for the grace time";
}

TEST(Child, HearsAStop) {
  wake_fd stop;
  std::thread stopper([&] { stop.set(); });
  const outcome seen = run_with(stop, "sleep 300");
  stopper.join();
  EXPECT_EQ(seen.result.end, child_end::stopped);
  EXPECT_EQ(seen.result.status, signaled(SIGTERM));
}

TEST(Child, AStopEndsAlsoAStoppedProcess) {
  const outcome seen = run("kill -STOP $$", {100ms, 60s});
  EXPECT_EQ(seen.result.status, signaled(SIGTERM));
}

TEST(Child, SaysWhyItDidNotStart) {
  const spawner starter;
  const wake_fd never;
  char name[] = "x";
  char* const argv[] = {name, nullptr};
  capture out;
  capture err;
  const child_result missing = run_child(starter, "/nowhere/x", argv, {}, never, out, err);
  EXPECT_EQ(missing.end, child_end::not_started);
  EXPECT_EQ(missing.error, ENOENT);
  std::string long_word(200'000, 'x');
  char* const too_long[] = {name, long_word.data(), nullptr};
  EXPECT_EQ(run_child(starter, "/bin/true", too_long, {}, never, out, err).error, E2BIG);
}

}  // namespace
}  // namespace weir::process
