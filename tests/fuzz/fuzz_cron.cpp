// The fuzzer of cron expressions: every input is an expression. It is refused with a column within
// it, or it has an occurrence that all questions agree on. Give a file crash-… to the fuzzer to see
// it again.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "weir/cron.hpp"

namespace {

void expect(bool good, const std::string& expression, const char* what) {
  if (good) return;
  std::fprintf(stderr, "'%s': %s\n", expression.c_str(), what);
  std::abort();
}

void look_at(const weir::cron& read, const std::string& expression) {
  using namespace std::chrono;
  const weir::cron::time_point start = sys_days(year(2026) / 1 / 1);
  const auto next = read.next(start);
  expect(next.has_value(), expression, "accepted, and never occurs");
  expect(*next > start && read.matches(*next), expression, "next is no occurrence");
  const auto later = read.next(*next);
  expect(!later || read.prev(*later) == next, expression, "prev does not undo next");
  expect(!read.describe().empty(), expression, "no description");
  static_cast<void>(read.remark(*next));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string expression(reinterpret_cast<const char*>(bytes), size);
  try {
    look_at(weir::cron(expression, "Europe/Berlin"), expression);
  } catch (const weir::cron_error& error) {
    expect(error.column() >= 1 && error.column() <= size + 1, expression, "column out of the text");
    expect(!error.trouble().empty(), expression, "an error without a text");
  }
  return 0;
}
