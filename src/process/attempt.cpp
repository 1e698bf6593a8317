#include "process/attempt.hpp"

#include <system_error>

#include "process/child_surroundings.hpp"

namespace weir::process {
namespace {

outcome outcome_of(const child_result& result) {
  switch (result.end) {
    case child_end::timed_out:
      return outcome::timed_out;
    case child_end::stopped:
      return outcome::cancelled;
    case child_end::not_started:
      return outcome::failed;
    case child_end::finished:
      break;
  }
  return result.status.success() ? outcome::succeeded : outcome::failed;
}

std::string lost_output(const char* name, const capture& stream) {
  if (stream.lost_error() == 0) {
    return {};
  }
  return std::string(name) + " after " + std::to_string(stream.kept()) +
         " bytes is lost, there was no temporary file to keep it in: " +
         std::generic_category().message(stream.lost_error()) + " (see TMPDIR)";
}

void fail(finished_command& one, const std::string& problem) {
  if (problem.empty() || !one.problem.empty()) {
    return;
  }
  one.problem = problem;
  if (one.how == outcome::succeeded) {
    one.how = outcome::failed;
  }
}

}  // namespace

attempt_runner::attempt_runner(const run_options& options, const shell& program,
                               const spawner& starter, const results_folder* results,
                               const wake_fd& stop)
    : limits_{options.timeout, options.kill_after},
      shell_(program),
      starter_(starter),
      results_(results),
      stop_(stop) {}

std::string attempt_runner::run(finished_command& one,
                                const std::function<void(pid_t)>& on_start) const {
  ++one.attempts;
  one.out = capture();
  one.err = capture();
  one.problem.clear();
  std::string unwritten;
  if (results_ != nullptr) {
    unwritten = results_->begin(one);
  }
  const shell_arguments arguments(shell_, one.what.text);
  const child_surroundings around(one.what);
  const child_result result = around.error() != 0
                                  ? not_started(around.error())
                                  : run_child(starter_, shell_.path(), arguments.get(), limits_,
                                              stop_, one.out, one.err, on_start, around.given());
  one.ran = result.end != child_end::not_started;
  one.how = outcome_of(result);
  one.status = result.status;
  one.started = result.started;
  one.run_time = result.run_time;
  if (!one.ran) {
    fail(one, "could not be started: " + std::generic_category().message(result.error));
  }
  fail(one, lost_output("standard output", one.out));
  fail(one, lost_output("standard error", one.err));
  if (results_ != nullptr && unwritten.empty()) {
    unwritten = results_->end(one);
  }
  if (!unwritten.empty()) {
    fail(one, "its results could not be written");
  }
  return unwritten;
}

}  // namespace weir::process
