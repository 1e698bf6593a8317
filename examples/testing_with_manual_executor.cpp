/// How code that submits tasks is tested without threads: it takes any executor, the test gives it
/// one that runs a task when the test says so, and refuses when the test says so.
#include <chrono>
#include <cstddef>
#include <deque>
#include <string>
#include <utility>
#include <weir/executor.hpp>
#include <weir/manual_executor.hpp>

#include "check.hpp"

using namespace std::chrono_literals;

namespace {

// [mailer]
/// Sends letters in the background; keeps those for which there is no room and sends them with the
/// next. Outlives its tasks.
class mailer {
 public:
  explicit mailer(weir::executor_ref tasks) : tasks_(tasks) {}

  void send(std::string letter) {
    kept_.push_back(std::move(letter));
    while (!kept_.empty()) {
      auto task = [this, text = kept_.front()] { sent_ += text; };
      if (!tasks_.try_submit(std::move(task)).accepted()) return;
      kept_.pop_front();
    }
  }
  [[nodiscard]] std::size_t kept() const { return kept_.size(); }
  [[nodiscard]] const std::string& sent() const { return sent_; }

 private:
  weir::executor_ref tasks_;
  std::deque<std::string> kept_;
  std::string sent_;
};
// [mailer]

void refusals() {
  // [refuse]
  weir::manual_executor tasks;
  mailer letters(tasks);
  tasks.refuse_next(1);
  letters.send("a");
  check(letters.kept() == 1, "a refused letter is kept");
  letters.send("b");
  check(letters.kept() == 0 && tasks.pending() == 2, "and goes out with the next one");
  check(letters.sent().empty(), "nothing runs before the test says so");
  tasks.run_all();
  check(letters.sent() == "ab", "and then in order");
  // [refuse]
}

void delays() {
  // [delay]
  weir::manual_clock clock;
  weir::manual_executor tasks(clock);
  auto reminder = tasks.submit_after(24h, [&clock] { return clock.now(); });
  check(tasks.run_for(23h) == 0, "a day takes no time");
  check(tasks.run_for(2h) == 1, "the clock stops at every due time");
  check(reminder.get().time_since_epoch() == 24h, "so the task sees the very instant");
  // [delay]
}

}  // namespace

int main() {
  refusals();
  delays();
}
