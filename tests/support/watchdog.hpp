#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace weir::testing {

/// Aborts the program with a message when its scope lasts too long: a hang is a failure that says
/// where.
class watchdog {
 public:
  explicit watchdog(std::string what, std::chrono::seconds limit = std::chrono::seconds(180))
      : what_(std::move(what)), limit_(limit), thread_([this] { watch(); }) {}
  ~watchdog() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  watchdog(const watchdog&) = delete;
  watchdog& operator=(const watchdog&) = delete;

 private:
  void watch() {
    std::unique_lock lock(mutex_);
    if (changed_.wait_until(lock, std::chrono::system_clock::now() + limit_,
                            [this] { return over_; })) {
      return;
    }
    std::fprintf(stderr, "watchdog: %s hangs: not over after %lld s\n", what_.c_str(),
                 static_cast<long long>(limit_.count()));
    std::abort();
  }

  const std::string what_;
  const std::chrono::seconds limit_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace weir::testing
