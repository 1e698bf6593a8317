#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

namespace weir::testing {

/// What a thread has on its stack while it runs a function. In the child of a fork that thread is
/// gone: with `close` whoever touches what it had there crashes. From then on the child starts no
/// thread, for it could be given this stack.
class lost_stack {
 public:
  template <class Body>
  void run(Body body) {
    auto* const apart = static_cast<volatile char*>(__builtin_alloca(2 * k_page));
    apart[0] = 0;
    below_ = reinterpret_cast<std::uintptr_t>(apart);
    body();
    apart[1] = 0;
  }

  void close() const {
    const std::uintptr_t end = (below_ + k_page - 1) & ~(k_page - 1);
    ::mprotect(reinterpret_cast<void*>(end - k_depth), k_depth, PROT_NONE);
  }

 private:
  static constexpr std::uintptr_t k_page = 4096;
  static constexpr std::size_t k_depth = 16 * k_page;

  std::uintptr_t below_ = 0;
};

}  // namespace weir::testing
