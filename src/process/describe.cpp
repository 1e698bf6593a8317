#include <signal.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "process/excerpt.hpp"
#include "process/reporter.hpp"

namespace weir::process {
namespace {

constexpr std::size_t k_excerpt = 160;

}  // namespace

std::string describe_end(const finished_command& one, std::chrono::nanoseconds timeout) {
  if (!one.problem.empty()) {
    return one.problem;
  }
  if (one.how == outcome::timed_out) {
    char text[64];
    std::snprintf(text, sizeof text, "timed out after %gs",
                  std::chrono::duration<double>(timeout).count());
    return text;
  }
  if (one.status.how == exit_status::kind::exited) {
    return "exit code " + std::to_string(one.status.value);
  }
  const char* name = ::sigdescr_np(one.status.value);
  return "signal " + std::to_string(one.status.value) +
         (name == nullptr ? "" : std::string(" (") + name + ")");
}

std::string describe_failure(const finished_command& one, std::chrono::nanoseconds timeout) {
  std::string text = "command " + std::to_string(one.what.seq);
  if (one.what.line != 0) {
    text += " (line " + std::to_string(one.what.line) + ")";
  }
  text += one.how == outcome::cancelled ? " cancelled: " : " failed: ";
  text += describe_end(one, timeout);
  if (one.attempts > 1) {
    text += " after " + std::to_string(one.attempts) + " attempts";
  }
  if (!one.what.text.empty()) {
    text += ": " + excerpt(one.what.text, k_excerpt);
  }
  return text;
}

}  // namespace weir::process
