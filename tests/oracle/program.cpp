#include "oracle/program.hpp"

#include <algorithm>
#include <array>

namespace weir::testing {

namespace {

using what = step::what;

/// The first half of a step's byte pair picks from here; what stands more often comes more often.
constexpr std::array k_table = {
    what::submit,
    what::submit,
    what::submit,
    what::submit_after,
    what::submit_after,
    what::execute,
    what::try_submit,
    what::try_submit,
    what::try_submit_after,
    what::submit_all,
    what::release,
    what::release,
    what::release,
    what::advance,
    what::advance,
    what::cancel,
    what::cancel,
    what::cancel_if_queued,
    what::look,
    what::wait_beside,
    what::take,
    what::drop,
    what::drop,
    what::try_submit_for_no_time,
    what::cancel_pending,
    what::wait_idle_beside,
    what::join_beside,
    what::run_drained,
    what::drop_drained,
    what::close,
    what::abort,
    what::shutdown_now,
    what::pause,
    what::resume,
    what::resume,
    what::set_capacity,
};
static_assert(k_table.size() == 36);

constexpr std::array<const char*, 26> k_names = {"submit",
                                                 "submit_after",
                                                 "execute",
                                                 "try_submit",
                                                 "try_submit_after",
                                                 "try_submit_for_no_time",
                                                 "submit_all",
                                                 "release",
                                                 "advance",
                                                 "cancel",
                                                 "cancel_if_queued",
                                                 "look",
                                                 "wait_beside",
                                                 "take",
                                                 "drop",
                                                 "set_capacity",
                                                 "pause",
                                                 "resume",
                                                 "cancel_pending",
                                                 "wait_idle_beside",
                                                 "join_beside",
                                                 "run_drained",
                                                 "drop_drained",
                                                 "close",
                                                 "abort",
                                                 "shutdown_now"};

constexpr std::array<const char*, 5> k_policies = {"reject", "caller_runs", "discard",
                                                   "discard_oldest", "block"};

// Workers that have left are not started again for a task that becomes due, so when it starts
// depends on who has left: nobody's promise, and no step of such programs.
step undelayed(step of) {
  if (of.op == what::submit_after) of.op = what::submit;
  if (of.op == what::try_submit_after) of.op = what::try_submit;
  return of;
}

// An end comes late in most programs: only every fourth of them counts as one, the others look.
step tamed(step of) {
  const bool is_end = of.op >= what::close;
  if (is_end && of.which % 4 != 0) of.op = what::look;
  return of;
}

}  // namespace

std::chrono::nanoseconds step::delay() const {
  if (op != what::submit_after && op != what::try_submit_after) return {};
  const int length = which >> 3 & 7;
  if (length == 7) return std::chrono::nanoseconds(-1);
  return std::chrono::milliseconds(length);
}

program decode(std::span<const std::uint8_t> bytes) {
  program made;
  const auto header = [bytes](std::size_t at) -> std::size_t {
    return at < bytes.size() ? bytes[at] : 0;
  };
  made.max = 1 + header(0) % 3;
  made.core = header(0) / 3 % (made.max + 1);
  made.capacity = header(1) % 4;
  made.policy = static_cast<saturation>(header(1) / 4 % 5);
  made.workers_leave = header(2) % 4 == 1;
  made.destroyed_in_flight = header(2) / 4 % 2 == 1;
  // Which of several idle workers has waited longest is nobody's promise; where every task may
  // have a worker of its own it makes no difference.
  if (made.workers_leave) made.core = made.max;
  for (std::size_t at = k_header_bytes; at + 1 < bytes.size(); at += 2) {
    if (made.steps.size() == k_steps_max) break;
    const step next = tamed({k_table[bytes[at] % k_table.size()], bytes[at + 1]});
    made.steps.push_back(made.workers_leave && made.max > 1 ? undelayed(next) : next);
  }
  return made;
}

std::string describe(const step& of) {
  std::string text = k_names[static_cast<std::size_t>(of.op)];
  if (of.op >= what::pause) return text;
  if (of.op > what::submit_all) return text + " " + std::to_string(of.which);
  if (of.op == what::submit_after || of.op == what::try_submit_after) {
    text += " " + std::to_string(of.delay().count()) + " ns";
  }
  text += of.kind().gated ? " gated" : " quick";
  if (of.kind().throws) text += " throwing";
  if (of.in_a_burst()) text += ", at once";
  return text;
}

std::string describe(const program& of) {
  std::string text = "core " + std::to_string(of.core) + ", max " + std::to_string(of.max) +
                     ", capacity " + std::to_string(of.capacity) + ", " +
                     k_policies[static_cast<std::size_t>(of.policy)];
  if (of.workers_leave) text += ", workers leave";
  if (of.destroyed_in_flight) text += ", destroyed in flight";
  for (std::size_t at = 0; at < of.steps.size(); ++at) {
    text += "\n  " + std::to_string(at) + ": " + describe(of.steps[at]);
  }
  return text;
}

}  // namespace weir::testing
