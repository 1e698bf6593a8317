/// What follows a task: continuations, several at once, promises, results as they come.
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>
#include <weir/future.hpp>
#include <weir/thread_pool.hpp>

#include "check.hpp"

using namespace std::chrono_literals;

namespace {

/// A library that calls back when it is done, on a thread of its own.
void fetch_async(const std::string& address, std::function<void(std::string)> done) {
  std::thread([address, done = std::move(done)] { done("page of " + address); }).detach();
}

}  // namespace

int main() {
  weir::thread_pool pool = weir::thread_pool::fixed(2, 8);

  // [then]
  auto length = pool.submit([] { return std::string("twelve words"); })
                    .then([](std::string text) { return text.size(); })
                    .then([](std::size_t size) { return static_cast<int>(size) * 2; });
  check(length.get() == 24, "each step got what the one before returned");
  // [then]

  // [failure]
  auto mended = pool.submit([]() -> int { throw std::runtime_error("no such page"); })
                    .then([](int size) { return size + 1; })  // skipped
                    .then([](weir::future<int> outcome) {
                      try {
                        return outcome.get();
                      } catch (const std::runtime_error&) {
                        return 0;
                      }
                    });
  check(mended.get() == 0, "what takes the future sees failures, too");
  // [failure]

  // [elsewhere]
  weir::thread_pool slow = weir::thread_pool::fixed(1, 100);
  auto stored = pool.submit([] { return 42; }).then(slow, [](int value) { return value; });
  check(stored.get() == 42, "the second step ran on a pool of its own");
  // [elsewhere]

  // [several]
  auto name = pool.submit([] { return std::string("weir"); });
  auto year = pool.submit([] { return 2026; });
  auto line = weir::when_all(std::move(name), std::move(year)).then([](auto both) {
    return std::get<0>(both).get() + " " + std::to_string(std::get<1>(both).get());
  });
  check(line.get() == "weir 2026", "it ran when both were there, and no thread waited");
  // [several]

  // [promise]
  weir::promise<std::string> brings;
  auto page = brings.get_future();
  fetch_async("example.org",
              [held = std::make_shared<weir::promise<std::string>>(std::move(brings))](
                  std::string text) { held->set_value(std::move(text)); });
  check(page.get() == "page of example.org", "a callback has become a future");
  // [promise]

  // [shared]
  weir::shared_future<int> setting = pool.submit([] { return 7; }).share();
  auto twice = setting.then([](int value) { return 2 * value; });
  check(setting.get() == 7 && setting.get() == 7 && twice.get() == 14, "read as often as you like");
  // [shared]

  // [as_they_come]
  weir::completion_queue<int> results;
  for (int part = 1; part <= 4; ++part) results.submit(pool, [part] { return part * part; });
  int sum = 0;
  while (auto done = results.take()) sum += done->get();  // whichever is finished first
  check(sum == 30, "nothing is left in the queue when take gives nothing");
  // [as_they_come]
}
