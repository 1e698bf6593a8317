#include "process/spawner.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace weir::process {
namespace {

void check(int error, const char* what) {
  if (error != 0) {
    throw std::system_error(error, std::generic_category(), what);
  }
}

// The signals that a child gets back at their defaults: all, this process ignores SIGPIPE for one.
sigset_t signals_to_reset() {
  sigset_t set;
  sigfillset(&set);
  struct sigaction now {};
  if (::sigaction(SIGHUP, nullptr, &now) == 0 && now.sa_handler == SIG_IGN) {
    sigdelset(&set, SIGHUP);
  }
  return set;
}

class file_actions {
 public:
  file_actions() { check(::posix_spawn_file_actions_init(&actions_), "posix_spawn"); }
  ~file_actions() { ::posix_spawn_file_actions_destroy(&actions_); }
  file_actions(const file_actions&) = delete;
  file_actions& operator=(const file_actions&) = delete;

  void duplicate(int from, int to) {
    check(::posix_spawn_file_actions_adddup2(&actions_, from, to), "posix_spawn");
  }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

}  // namespace

spawner::spawner() : null_(::open("/dev/null", O_RDONLY | O_CLOEXEC)) {
  if (!null_) {
    throw std::system_error(errno, std::generic_category(), "/dev/null");
  }
  const sigset_t defaults = signals_to_reset();
  sigset_t none;
  sigemptyset(&none);
  check(::posix_spawnattr_init(&attributes_), "posix_spawnattr_init");
  check(::posix_spawnattr_setflags(
            &attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK),
        "posix_spawnattr_setflags");
  check(::posix_spawnattr_setpgroup(&attributes_, 0), "posix_spawnattr_setpgroup");
  check(::posix_spawnattr_setsigdefault(&attributes_, &defaults), "posix_spawnattr_setsigdefault");
  check(::posix_spawnattr_setsigmask(&attributes_, &none), "posix_spawnattr_setsigmask");
}

spawner::~spawner() { ::posix_spawnattr_destroy(&attributes_); }

int spawner::spawn(const char* path, char* const argv[], int out, int err, pid_t& pid,
                   const inheritance& given) const {
  file_actions actions;
  actions.duplicate(given.input < 0 ? null_.get() : given.input, STDIN_FILENO);
  actions.duplicate(out, STDOUT_FILENO);
  actions.duplicate(err, STDERR_FILENO);
  return ::posix_spawn(&pid, path, actions.get(), &attributes_, argv,
                       given.environment == nullptr ? environ : given.environment);
}

}  // namespace weir::process
