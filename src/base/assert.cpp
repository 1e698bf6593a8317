#include <cstdio>
#include <cstdlib>

#include "weir/detail/assert.hpp"

namespace weir::detail {

void assertion_failed(const char* expression, const char* file, int line) noexcept {
  std::fprintf(stderr, "weir: assertion failed: %s (%s:%d)\n", expression, file, line);
  std::abort();
}

}  // namespace weir::detail
