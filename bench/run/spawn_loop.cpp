// The floor that `weir run` is measured against: nothing but posix_spawn and waitpid.
//
//   bench_run_spawn_loop COUNT WIDTH     runs `sh -c true` COUNT times, WIDTH at a time

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace {

bool start() {
  char shell[] = "sh";
  char flag[] = "-c";
  char text[] = "true";
  char* const arguments[] = {shell, flag, text, nullptr};
  pid_t pid = 0;
  return posix_spawn(&pid, "/bin/sh", nullptr, nullptr, arguments, environ) == 0;
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) {
    std::fputs("usage: bench_run_spawn_loop COUNT WIDTH\n", stderr);
    return 2;
  }
  long left = std::atol(words[1]);
  const long width = std::atol(words[2]);
  for (long running = 0; left > 0 || running > 0;) {
    if (left > 0 && running < width) {
      if (!start()) {
        std::perror("posix_spawn");
        return 1;
      }
      --left;
      ++running;
      continue;
    }
    int status = 0;
    if (waitpid(-1, &status, 0) < 0 || status != 0) {
      std::perror("waitpid");
      return 1;
    }
    --running;
  }
  return 0;
}
