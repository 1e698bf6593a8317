#include "child.hpp"

#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <cstring>
#include <string>
#include <system_error>

#include "output.hpp"

namespace bench {

namespace {

void write_all(int descriptor, const std::string& text) noexcept {
  std::size_t done = 0;
  while (done < text.size()) {
    const auto count = write(descriptor, text.data() + done, text.size() - done);
    if (count <= 0) return;
    done += static_cast<std::size_t>(count);
  }
}

[[noreturn]] void be_child(const experiment& what, int descriptor) noexcept {
  std::string text;
  try {
    text = to_lines(what.run(what.parameters));
  } catch (const std::exception& failure) {
    text = error_line(failure.what());
  }
  write_all(descriptor, text);
  // Libraries' own threads and destructors of globals are none of this run's business.
  _exit(0);
}

}  // namespace

samples run_in_child(const experiment& what, int limit_ms) {
  int ends[2];
  if (pipe(ends) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  const pid_t child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) {
    close(ends[0]);
    be_child(what, ends[1]);
  }
  close(ends[1]);
  run_output out;
  std::string trouble;
  try {
    read_run(ends[0], out, limit_ms);
  } catch (const wrong_result& failure) {
    trouble = failure.what();
    kill(child, SIGKILL);
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!trouble.empty()) throw wrong_result(trouble);
  if (WIFSIGNALED(status)) {
    throw wrong_result(std::string("it died: ") + strsignal(WTERMSIG(status)));
  }
  return out.take();
}

}  // namespace bench
