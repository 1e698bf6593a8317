#pragma once

namespace weir::detail {

/// Prints `expression` with its place on stderr and aborts. Never returns, in release builds
/// neither.
[[noreturn]] void assertion_failed(const char* expression, const char* file, int line) noexcept;

}  // namespace weir::detail

/// States what is impossible. Checked in every build: a broken invariant of a pool must not run on.
#define WEIR_ASSERT(expression) \
  ((expression) ? void(0) : ::weir::detail::assertion_failed(#expression, __FILE__, __LINE__))
