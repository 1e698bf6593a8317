// weir against the oracle: random programs by seed, and every program that the fuzzer has kept. A
// failure prints the program and the step at which the two differ.

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "oracle/differential.hpp"
#include "support/seed.hpp"
#include "support/time_box.hpp"
#include "support/watchdog.hpp"

namespace weir::testing {
namespace {

constexpr int k_programs = 300;

std::vector<std::uint8_t> random_bytes(std::mt19937_64& random) {
  std::vector<std::uint8_t> bytes(k_header_bytes + 2 * pick(random, 1, k_steps_max));
  std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<std::uint8_t>(random()); });
  return bytes;
}

/// A line for the corpus, so that a program that has found something is kept.
std::string to_hex(const std::vector<std::uint8_t>& bytes) {
  constexpr const char* digits = "0123456789abcdef";
  std::string line;
  for (const std::uint8_t each : bytes) {
    line += digits[each >> 4];
    line += digits[each & 15];
  }
  return line;
}

TEST(differential, random_programs) {
  const watchdog dog("a random program", stress_time() + std::chrono::seconds(600));
  const std::uint64_t seed = test_seed();
  SCOPED_TRACE(replay(seed));
  std::mt19937_64 random(seed);
  const time_box box;
  for (int done = 0; done < k_programs || !box.over(); ++done) {
    const auto bytes = random_bytes(random);
    const auto difference = weir_differs(decode(bytes));
    ASSERT_EQ(difference, std::nullopt)
        << "program " << done << ", to be kept as " << to_hex(bytes) << ": " << *difference;
  }
}

std::vector<std::uint8_t> from_hex(const std::string& line) {
  std::vector<std::uint8_t> bytes;
  for (std::size_t at = 0; at + 1 < line.size(); at += 2) {
    bytes.push_back(static_cast<std::uint8_t>(std::stoul(line.substr(at, 2), nullptr, 16)));
  }
  return bytes;
}

TEST(differential, kept_programs) {
  const watchdog dog("a kept program", std::chrono::seconds(600));
  std::ifstream corpus(WEIR_FUZZ_CORPUS);
  std::size_t number = 0;
  for (std::string line; std::getline(corpus, line);) {
    const auto difference = weir_differs(decode(from_hex(line)));
    ASSERT_EQ(difference, std::nullopt) << "line " << number + 1 << ": " << *difference;
    ++number;
  }
  EXPECT_GT(number, 0u) << "no program in " << WEIR_FUZZ_CORPUS;
}

}  // namespace
}  // namespace weir::testing
