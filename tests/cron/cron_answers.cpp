// Answers questions about cron expressions, one a line of standard input, for tools/cron_oracle:
//   count <tab> after, in seconds since the epoch <tab> zone <tab> expression
// The answer is the next `count` instants in the same seconds, or `error COLUMN TROUBLE`.

#include <chrono>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>

#include "weir/cron.hpp"

namespace {

void answer(const std::string& line) {
  std::istringstream words(line);
  std::string count;
  std::string after;
  std::string zone;
  std::string expression;
  std::getline(words, count, '\t');
  std::getline(words, after, '\t');
  std::getline(words, zone, '\t');
  std::getline(words, expression);
  try {
    const weir::cron asked(expression, zone);
    weir::cron::time_point at{std::chrono::seconds(std::stoll(after))};
    for (int i = 0; i < std::stoi(count); ++i) {
      const std::optional<weir::cron::time_point> next = asked.next(at);
      if (!next) break;
      at = *next;
      std::cout << (i > 0 ? " " : "")
                << std::chrono::duration_cast<std::chrono::seconds>(at.time_since_epoch()).count();
    }
  } catch (const weir::cron_error& error) {
    std::cout << "error " << error.column() << " " << error.trouble();
  }
  std::cout << "\n";
}

}  // namespace

int main() {
  std::ios::sync_with_stdio(false);
  for (std::string line; std::getline(std::cin, line);) answer(line);
}
