#pragma once

#include <string>
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

 private:
  std::thread handle_;
};

#endif

/// Names the calling thread for debuggers and `ps`; cut to the 15 bytes that Linux keeps.
void name_this_thread(const std::string& name) noexcept;

/// Lets the calling thread's timed sleeps end within a nanosecond of their time instead of the 50
/// µs by which Linux may round them.
void use_precise_sleep() noexcept;

}  // namespace weir::sync
