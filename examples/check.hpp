#pragma once

#include <cstdio>
#include <cstdlib>

/// Ends the program with exit code 1 when what an example shows did not happen.
inline void check(bool happened, const char* what) {
  std::printf("%s: %s\n", happened ? "yes" : "NO", what);
  if (happened) return;
  std::fflush(stdout);
  std::_Exit(1);
}
