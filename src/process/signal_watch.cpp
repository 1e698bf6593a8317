#include "process/signal_watch.hpp"

#include <poll.h>
#include <pthread.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "process/process_group.hpp"
#include "weir/detail/assert.hpp"

namespace weir::process {
namespace {

bool is_ignored(int number) {
  struct sigaction now {};
  return ::sigaction(number, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

}  // namespace

void hold_snapshot_signal() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  WEIR_ASSERT(::pthread_sigmask(SIG_BLOCK, &set, nullptr) == 0);
}

sigset_t take_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    if (!is_ignored(number)) {
      sigaddset(&set, number);
    }
  }
  sigaddset(&set, SIGUSR1);
  if (::getpid() == 1) {
    sigaddset(&set, SIGCHLD);
  }
  ::signal(SIGPIPE, SIG_IGN);
  // A parent may leave SIGCHLD ignored, and then exit codes are lost before they can be asked for.
  ::signal(SIGCHLD, SIG_DFL);
  WEIR_ASSERT(::pthread_sigmask(SIG_BLOCK, &set, nullptr) == 0);
  return set;
}

signal_watch::signal_watch(const sigset_t& signals, std::chrono::milliseconds tick,
                           signal_listener& listener)
    : signals_(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK)),
      tick_(tick),
      listener_(listener) {
  if (!signals_) {
    throw std::system_error(errno, std::generic_category(), "signalfd");
  }
  thread_ = sync::thread([this] { loop(); });
}

signal_watch::~signal_watch() {
  quit_.set();
  thread_.join();
}

void signal_watch::take_signal() {
  signalfd_siginfo info;
  while (::read(signals_.get(), &info, sizeof info) == sizeof info) {
    if (info.ssi_signo == SIGCHLD) {
      reap_adopted();
    } else {
      listener_.signalled(static_cast<int>(info.ssi_signo));
    }
  }
}

void signal_watch::loop() {
  sync::name_this_thread("weir-signals");
  const int limit = tick_.count() == 0 ? -1 : static_cast<int>(tick_.count());
  for (;;) {
    pollfd waits[] = {{signals_.get(), POLLIN, 0}, {quit_.fd(), POLLIN, 0}};
    const int ready = ::poll(waits, 2, limit);
    if (ready == 0) {
      listener_.ticked();
    } else if (ready > 0) {
      if (waits[0].revents != 0) {
        take_signal();
      }
      if (waits[1].revents != 0) {
        return;
      }
    }
  }
}

}  // namespace weir::process
