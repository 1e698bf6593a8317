#include "process/run_counts.hpp"

namespace weir::process {

int exit_code_of(const run_counts& counts, int signal, bool trouble) {
  if (signal != 0) {
    return k_signal_base + signal;
  }
  if (trouble || counts.failed + counts.cancelled + counts.never_started > 0) {
    return k_some_failed;
  }
  return counts.timed_out > 0 ? k_only_timeouts : k_all_succeeded;
}

std::string summary(const run_counts& counts) {
  const std::uint64_t all = counts.ended() + counts.never_started + counts.skipped;
  std::string text = std::to_string(all) + (all == 1 ? " command" : " commands");
  const char* separator = ": ";
  const auto add = [&](std::uint64_t count, const char* what) {
    if (count > 0) {
      text += separator + std::to_string(count) + what;
      separator = ", ";
    }
  };
  add(counts.succeeded, " succeeded");
  add(counts.failed, " failed");
  add(counts.timed_out, " timed out");
  add(counts.cancelled, " cancelled");
  add(counts.never_started, " never started");
  if (counts.never_started > 0) {
    text += " (from " + std::to_string(counts.first_never_started) + " on)";
  }
  add(counts.skipped, " done before");
  return text;
}

}  // namespace weir::process
