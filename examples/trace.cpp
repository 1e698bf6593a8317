/// A picture of workers over time: give the file that this writes to https://ui.perfetto.dev.
///   example_trace trace.json
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <weir/thread_pool.hpp>
#include <weir/trace.hpp>

#include "check.hpp"

namespace {

unsigned long long fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

void work_under(weir::observer& watch) {
  weir::thread_pool pool(
      {.core = 2, .max = 2, .capacity = 16, .name = "numbers", .observer = &watch});
  for (int n = 20; n < 30; ++n) {
    pool.execute({.name = "fibonacci " + std::to_string(n)}, fibonacci, n);
  }
}  // the pool's destructor lets accepted work finish

}  // namespace

int main(int argc, char** argv) {
  std::ostringstream text;
  std::ofstream file;
  if (argc > 1) file.open(argv[1]);

  // [trace]
  weir::trace_writer trace(argc > 1 ? static_cast<std::ostream&>(file) : text);
  work_under(trace);
  trace.finish();
  // [trace]

  check(trace.good(), "the whole trace was written");
  if (argc > 1) return 0;
  const std::string json = text.str();
  for (int n = 20; n < 30; ++n) {
    const std::string name = "\"fibonacci " + std::to_string(n) + "\"";
    check(json.find(name) != std::string::npos, ("the trace shows " + name).c_str());
  }
}
