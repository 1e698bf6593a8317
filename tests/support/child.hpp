#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

/// ThreadSanitizer does not support threads in the child of a process that has threads.
#if defined(__SANITIZE_THREAD__)
#define WEIR_NO_FORK_HERE GTEST_SKIP() << "ThreadSanitizer: no threads after a fork"
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WEIR_NO_FORK_HERE GTEST_SKIP() << "ThreadSanitizer: no threads after a fork"
#endif
#endif
#ifndef WEIR_NO_FORK_HERE
#define WEIR_NO_FORK_HERE static_cast<void>(0)
#endif

namespace weir::testing {

inline constexpr unsigned k_child_seconds = 60;  // then it hangs, and SIGALRM ends it

#if defined(__SANITIZE_ADDRESS__)
inline bool is_child = false;
/// A child has lost the threads that owned what its parent had allocated: LeakSanitizer asks.
extern "C" [[gnu::used]] inline int __lsan_is_turned_off() { return is_child ? 1 : 0; }
#endif

/// Forks. In the child, which a hang does not survive, it returns 0.
inline pid_t fork_child() {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) ::alarm(k_child_seconds);
#if defined(__SANITIZE_ADDRESS__)
  if (child == 0) is_child = true;
#endif
  return child;
}

/// Ends a child: with 0 if none of its expectations has failed.
[[noreturn]] inline void leave_child() {
  std::fflush(nullptr);
  ::_exit(::testing::Test::HasFailure() ? 1 : 0);
}

/// How a child ended, in words: "exit 0", "signal 14".
inline std::string end_of(pid_t child) {
  int status = 0;
  if (::waitpid(child, &status, 0) != child) return "lost";
  return WIFEXITED(status) ? "exit " + std::to_string(WEXITSTATUS(status))
                           : "signal " + std::to_string(WTERMSIG(status));
}

/// Runs `body` in a forked child that ends by `_exit`; its expectations count.
template <class Body>
void in_child(Body body) {
  const pid_t child = fork_child();
  ASSERT_GE(child, 0);
  if (child == 0) {
    body();
    leave_child();
  }
  EXPECT_EQ(end_of(child), "exit 0");
}

}  // namespace weir::testing
