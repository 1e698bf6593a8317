#include "process/child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "process/process_group.hpp"
#include "weir/detail/assert.hpp"
#include "weir/detail/duration.hpp"

namespace weir::process {
namespace {

using steady = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr std::size_t k_read_size = 64 * 1024;
// A group that is being ended shows no descriptor for its last member, so its end is looked for:
// often at first, for most groups end at once, then at a rate that costs nothing.
constexpr nanoseconds k_first_look = milliseconds(2);
constexpr nanoseconds k_last_look = milliseconds(50);
// After SIGKILL only the kernel can be slow. Whoever takes longer hangs in a device.
constexpr nanoseconds k_kill_patience = std::chrono::seconds(2);

struct pipe_ends {
  unique_fd read;
  unique_fd write;

  int open() {
    int fds[2];
    if (::pipe2(fds, O_CLOEXEC) != 0) {
      return errno;
    }
    read.reset(fds[0]);
    write.reset(fds[1]);
    return 0;
  }
};

exit_status status_of(const siginfo_t& info) {
  if (info.si_code == CLD_EXITED) {
    return {exit_status::kind::exited, info.si_status};
  }
  return {exit_status::kind::signaled, info.si_status};
}

timespec to_timespec(nanoseconds length) {
  const nanoseconds positive = std::max(length, nanoseconds::zero());
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(positive);
  return {static_cast<time_t>(seconds.count()), static_cast<long>((positive - seconds).count())};
}

// One running process: see docs/design/child-process.md for its states and what leads where.
class supervisor {
 public:
  supervisor(pid_t pid, int pidfd, const child_limits& limits, const wake_fd& stop, pipe_ends& out,
             pipe_ends& err, capture& out_kept, capture& err_kept)
      : pid_(pid),
        limits_(limits),
        out_(out.read),
        err_(err.read),
        out_kept_(out_kept),
        err_kept_(err_kept),
        started_(steady::now()) {
    waits_[k_leader] = {pidfd, POLLIN, 0};
    waits_[k_stop] = {stop.fd(), POLLIN, 0};
    waits_[k_out] = {out_.get(), POLLIN, 0};
    waits_[k_err] = {err_.get(), POLLIN, 0};
    if (limits_.timeout > nanoseconds::zero()) {
      deadline_ = detail::saturating_add(started_, limits_.timeout);
    }
  }

  child_result run() {
    while (!step()) {
    }
    read_rest(out_, out_kept_);
    read_rest(err_, err_kept_);
    child_result result;
    result.end = end_;
    result.status = reap();
    result.run_time = leader_ended_ - started_;
    return result;
  }

 private:
  enum class phase { running, ending, killed };
  enum { k_leader, k_stop, k_out, k_err, k_wait_count };

  // Waits for something to happen and takes it in; returns whether the process is over and read.
  bool step() {
    wait();
    read_stream(k_out, out_, out_kept_);
    read_stream(k_err, err_, err_kept_);
    if (waits_[k_leader].revents != 0) {
      leader_gone_ = true;
      leader_ended_ = steady::now();
      waits_[k_leader].fd = -1;
    }
    if (leader_gone_ && phase_ == phase::running) {
      return true;
    }
    if (waits_[k_stop].revents != 0) {
      begin_ending(child_end::stopped);
    }
    look_at_clock();
    return leader_gone_ && group_is_gone();
  }

  void wait() {
    for (pollfd& one : waits_) {
      one.revents = 0;
    }
    timespec limit{};
    const bool limited = time_limit(limit);
    while (::ppoll(waits_, k_wait_count, limited ? &limit : nullptr, nullptr) < 0) {
      WEIR_ASSERT(errno == EINTR || errno == ENOMEM);
    }
  }

  bool time_limit(timespec& limit) const {
    steady::time_point until = deadline_;
    if (leader_gone_) {
      until = std::min(until, next_look_);
    }
    if (until == steady::time_point::max()) {
      return false;
    }
    limit = to_timespec(until - steady::now());
    return true;
  }

  void read_stream(int which, unique_fd& stream, capture& kept) {
    const short events = waits_[which].revents;
    if (events == 0) {
      return;
    }
    // A pipe that only hangs up has no byte left.
    if ((events & POLLIN) == 0 || read_once(stream, kept, k_read_size) == 0) {
      stream.reset();
      waits_[which].fd = -1;
    }
  }

  // Returns the count of bytes, 0 at the end of the stream.
  static std::size_t read_once(const unique_fd& stream, capture& kept, std::size_t most) {
    char piece[k_read_size];
    ssize_t count = 0;
    do {
      count = ::read(stream.get(), piece, std::min(most, sizeof piece));
    } while (count < 0 && errno == EINTR);
    WEIR_ASSERT(count >= 0);
    kept.append({piece, static_cast<std::size_t>(count)});
    return static_cast<std::size_t>(count);
  }

  // Reads what is in the pipe now and no more: a process left behind may write for ever.
  static void read_rest(const unique_fd& stream, capture& kept) {
    int left = 0;
    if (!stream || ::ioctl(stream.get(), FIONREAD, &left) != 0) {
      return;
    }
    while (left > 0) {
      const std::size_t count = read_once(stream, kept, static_cast<std::size_t>(left));
      if (count == 0) {
        return;
      }
      left -= static_cast<int>(count);
    }
  }

  void look_at_clock() {
    if (deadline_ == steady::time_point::max() || steady::now() < deadline_) {
      return;
    }
    if (phase_ == phase::running) {
      begin_ending(child_end::timed_out);
    } else if (phase_ == phase::ending) {
      ::kill(-pid_, SIGKILL);
      phase_ = phase::killed;
      deadline_ = steady::time_point::max();
      give_up_ = steady::now() + k_kill_patience;
      next_look_ = steady::now() + k_first_look;
      look_gap_ = k_first_look;
    }
  }

  void begin_ending(child_end why) {
    waits_[k_stop].fd = -1;
    waits_[k_stop].revents = 0;
    if (phase_ != phase::running) {
      return;
    }
    end_ = why;
    ::kill(-pid_, SIGTERM);
    // A stopped process would keep the signal for later.
    ::kill(-pid_, SIGCONT);
    phase_ = phase::ending;
    deadline_ = detail::saturating_add(steady::now(), limits_.kill_after);
  }

  // The leader is not reaped yet, so its number cannot name another group meanwhile.
  bool group_is_gone() {
    const auto now = steady::now();
    if (now < next_look_) {
      return false;
    }
    if (!group_has_living(pid_)) {
      return true;
    }
    look_gap_ = std::min(look_gap_ * 2, k_last_look);
    next_look_ = now + look_gap_;
    return phase_ == phase::killed && now > give_up_;
  }

  exit_status reap() {
    siginfo_t info{};
    while (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED) != 0) {
      WEIR_ASSERT(errno == EINTR);
    }
    return status_of(info);
  }

  const pid_t pid_;
  const child_limits& limits_;
  unique_fd& out_;
  unique_fd& err_;
  capture& out_kept_;
  capture& err_kept_;
  const steady::time_point started_;
  pollfd waits_[k_wait_count];
  steady::time_point deadline_ = steady::time_point::max();
  steady::time_point next_look_ = steady::time_point::min();
  steady::time_point give_up_ = steady::time_point::max();
  steady::time_point leader_ended_;
  nanoseconds look_gap_ = k_first_look;
  phase phase_ = phase::running;
  child_end end_ = child_end::finished;
  bool leader_gone_ = false;
};

}  // namespace

child_result not_started(int error) {
  child_result result;
  result.end = child_end::not_started;
  result.error = error;
  result.started = std::chrono::system_clock::now();
  return result;
}

child_result run_child(const spawner& starter, const char* path, char* const argv[],
                       const child_limits& limits, const wake_fd& stop, capture& out, capture& err,
                       const std::function<void(pid_t)>& on_start, const inheritance& given) {
  pipe_ends out_pipe;
  pipe_ends err_pipe;
  if (const int error = out_pipe.open(); error != 0) {
    return not_started(error);
  }
  if (const int error = err_pipe.open(); error != 0) {
    return not_started(error);
  }
  const auto started = std::chrono::system_clock::now();
  pid_t pid = -1;
  if (const int error =
          starter.spawn(path, argv, out_pipe.write.get(), err_pipe.write.get(), pid, given);
      error != 0) {
    return not_started(error);
  }
  out_pipe.write.reset();
  err_pipe.write.reset();
  const unique_fd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!pidfd) {
    const int error = errno;
    ::kill(-pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    return not_started(error);
  }
  if (on_start) {
    on_start(pid);
  }
  child_result result =
      supervisor(pid, pidfd.get(), limits, stop, out_pipe, err_pipe, out, err).run();
  result.started = started;
  return result;
}

}  // namespace weir::process
