// The differential fuzzer: every input is a program that weir and the oracle perform in lock-step.
// A difference, a hang or a sanitizer's finding ends it with the program on stderr and the input in
// a file crash-…; give that file to the fuzzer to see it again.

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "oracle/differential.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto program = weir::testing::decode({bytes, size});
  if (const auto difference = weir::testing::weir_differs(program)) {
    std::fprintf(stderr, "%s\n", difference->c_str());
    std::abort();
  }
  return 0;
}
