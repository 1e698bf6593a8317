#include "model/fiber.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <cstring>

namespace weir::model {

void fiber_context::prepare(char* stack, std::size_t bytes, void (*entry)()) {
  ::getcontext(&birth_);
  birth_.uc_stack.ss_sp = stack;
  birth_.uc_stack.ss_size = bytes;
  birth_.uc_link = nullptr;
  ::makecontext(&birth_, entry, 0);
  exceptions_ = {};
  born_ = false;
}

void fiber_context::change(fiber_context& from, fiber_context& to) noexcept {
  std::memcpy(static_cast<void*>(&from.exceptions_), abi::__cxa_get_globals(),
              sizeof from.exceptions_);
  if (::_setjmp(from.here_) == 0) resume(to);
}

void fiber_context::leave(fiber_context& to) noexcept { resume(to); }

void fiber_context::resume(fiber_context& to) noexcept {
  std::memcpy(static_cast<void*>(abi::__cxa_get_globals()), &to.exceptions_, sizeof to.exceptions_);
  if (to.born_) ::_longjmp(to.here_, 1);
  to.born_ = true;
  ::setcontext(&to.birth_);
  std::abort();
}

}  // namespace weir::model
