#pragma once

#include <ucontext.h>
#include <csetjmp>
#include <cstddef>

namespace weir::model {

/// A flow of control with a stack of its own. Switching saves registers and the state of C++
/// exception handling, and makes no system call once the fiber runs.
class fiber_context {
 public:
  /// Readies it to run `entry`, which never returns, at the next switch.
  void prepare(char* stack, std::size_t bytes, void (*entry)());
  /// Leaves `from` where it stands and goes on with `to`.
  static void change(fiber_context& from, fiber_context& to) noexcept;
  /// The same without a way back to where this is called.
  [[noreturn]] static void leave(fiber_context& to) noexcept;

 private:
  struct exception_state {
    void* caught = nullptr;
    unsigned int uncaught = 0;
  };

  [[noreturn]] static void resume(fiber_context& to) noexcept;

  ucontext_t birth_;
  std::jmp_buf here_;
  exception_state exceptions_;
  bool born_ = true;
};

}  // namespace weir::model
