#pragma once

#include <pthread.h>

#include <cstddef>
#include <new>
#include <thread>
#include <utility>

namespace weir::sync {

#ifndef WEIR_SYNC_SEAM
/// A thread of weir. Starting one throws `std::system_error` when the system has none to give.
/// The owner joins it, or detaches it where it is that thread itself.
class thread {
 public:
  thread() noexcept = default;

  template <class Body>
  explicit thread(Body body) : handle_(std::move(body)) {}

  [[nodiscard]] bool joinable() const noexcept { return handle_.joinable(); }
  [[nodiscard]] bool is_current() const noexcept {
    return handle_.get_id() == std::this_thread::get_id();
  }
  void join() { handle_.join(); }
  void detach() { handle_.detach(); }
  /// For the child of a fork, where this thread does not exist, whatever the handle says. Its
  /// number may be given to another one, so nothing is asked of the system.
  void forget() noexcept { ::new (static_cast<void*>(&handle_)) std::thread; }

 private:
  std::thread handle_;
};

#endif

/// While it lives the calling thread is not ended by `pthread_cancel`: where weir calls what is a
/// cancellation point and cannot be left by force.
class cancellation_hold {
 public:
  cancellation_hold() noexcept { ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~cancellation_hold() { ::pthread_setcancelstate(before_, nullptr); }
  cancellation_hold(const cancellation_hold&) = delete;
  cancellation_hold& operator=(const cancellation_hold&) = delete;

 private:
  int before_ = 0;
};

/// Names the calling thread for debuggers and `ps`; cut to the 15 bytes that Linux keeps.
void name_this_thread(const char* name) noexcept;
/// The same, as "name-number". Needs no memory.
void name_this_thread(const char* name, std::size_t number) noexcept;

/// Lets the calling thread's timed sleeps end within a nanosecond of their time instead of the 50
/// µs by which Linux may round them.
void use_precise_sleep() noexcept;

}  // namespace weir::sync
