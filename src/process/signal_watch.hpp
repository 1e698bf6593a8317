#pragma once

#include <signal.h>

#include <chrono>

#include "base/unique_fd.hpp"
#include "process/wake_fd.hpp"
#include "sync/thread.hpp"

namespace weir::process {

/// Keeps SIGUSR1, which would end this process, until a `signal_watch` takes it. Call it as early
/// as possible.
void hold_snapshot_signal();

/// Prepares this process for running others: blocks SIGINT, SIGTERM and SIGHUP (those that were not
/// ignored before, so that `nohup` and `&` in a script keep their meaning), SIGUSR1 and, in process
/// 1, SIGCHLD; ignores SIGPIPE. Call it before the first thread starts, since threads inherit the
/// mask. Returns the set that was blocked.
sigset_t take_signals();

/// Hears of what a `signal_watch` sees, on its thread.
class signal_listener {
 public:
  virtual void signalled(int number) = 0;
  virtual void ticked() = 0;

 protected:
  ~signal_listener() = default;
};

/// One thread that waits for the signals of a set, and ticks at a rate if asked to. In process 1 it
/// also reaps orphans. Without a tick it sleeps until there is a signal.
class signal_watch {
 public:
  /// `tick` zero: none. Throws `std::system_error`.
  signal_watch(const sigset_t& signals, std::chrono::milliseconds tick, signal_listener& listener);
  /// Blocks until the listener has returned from its last call.
  ~signal_watch();
  signal_watch(const signal_watch&) = delete;
  signal_watch& operator=(const signal_watch&) = delete;

 private:
  void loop();
  void take_signal();

  unique_fd signals_;
  const std::chrono::milliseconds tick_;
  signal_listener& listener_;
  wake_fd quit_;
  sync::thread thread_;
};

}  // namespace weir::process
