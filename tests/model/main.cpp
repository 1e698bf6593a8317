#include <gtest/gtest.h>

#include <charconv>
#include <cstdio>
#include <cstring>
#include <string>

#include "model/explorer.hpp"

namespace {

constexpr const char* k_usage =
    "  --replay CHOICES  one execution of the kernel chosen by --gtest_filter, with its trace\n"
    "  --seconds N       time for one kernel under one memory model (default 2)\n"
    "  --extra-bound N   adds to every kernel's own bounds (default 0)\n"
    "  --random-factor N multiplies the random executions (default 1)\n"
    "  --seed N          of the random executions (default 1)\n"
    "  --long            --seconds 600 --extra-bound 1 --random-factor 100\n";

template <class Number>
bool parse(const char* text, Number& into) {
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), into);
  return error == std::errc() && *end == '\0';
}

bool take(const std::string& flag, const char* value, weir::model::settings& into) {
  if (flag == "--replay") return !(into.replay = value).empty();
  if (flag == "--seconds") return parse(value, into.seconds);
  if (flag == "--extra-bound") return parse(value, into.extra_bound);
  if (flag == "--random-factor") return parse(value, into.random_factor);
  if (flag == "--seed") return parse(value, into.seed);
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  auto& settings = weir::model::chosen_settings();
  for (int at = 1; at < argc; ++at) {
    const std::string flag = argv[at];
    if (flag == "--long") {
      settings.seconds = 600;
      settings.extra_bound = 1;
      settings.random_factor = 100;
    } else if (at + 1 == argc || !take(flag, argv[at + 1], settings)) {
      std::fprintf(stderr, "test_model: what is %s? It takes, beside gtest's flags:\n%s",
                   flag.c_str(), k_usage);
      return 2;
    } else {
      ++at;
    }
  }
  return RUN_ALL_TESTS();
}
