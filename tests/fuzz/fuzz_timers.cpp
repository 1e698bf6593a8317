// The fuzzer of the timer queue: every input is a program of inserts, erases, moves and pops, which
// must do to the queue what it does to a sorted set. Give a file crash-… to the fuzzer to see it
// again.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <set>
#include <tuple>
#include <vector>

#include "time/timer_queue.hpp"

namespace {

using weir::detail::task_base;
using weir::detail::time_point;

constexpr weir::detail::task_ops k_no_ops{};

class program {
 public:
  program(const std::uint8_t* bytes, std::size_t size) : at_(bytes), end_(bytes + size) {}

  void run() {
    while (at_ != end_) {
      step(byte());
      compare();
    }
    while (!alive_.empty()) {
      erase(queue_.top());
      compare();
    }
  }

 private:
  using key = std::tuple<time_point, std::uint64_t, task_base*>;

  std::uint8_t byte() { return at_ == end_ ? std::uint8_t{0} : *at_++; }

  // Few distinct times, so that many are equal, and the ends of time.
  time_point due() {
    const std::uint8_t chosen = byte();
    if (chosen == 0xFF) return time_point::max();
    if (chosen == 0xFE) return time_point::min();
    const int shift = 8 * (chosen >> 6);
    return time_point(std::chrono::nanoseconds((chosen & 0x3F) * (std::int64_t{1} << shift)));
  }

  void step(std::uint8_t what) {
    const std::size_t times = what & 0x80 ? 1 + byte() : 1;
    for (std::size_t time = 0; time < times; ++time) {
      if (alive_.empty() || (what & 0x7F) % 4 == 0) {
        insert();
      } else if ((what & 0x7F) % 4 == 1) {
        erase(*alive_[byte() % alive_.size()]);
      } else if ((what & 0x7F) % 4 == 2) {
        move(*alive_[byte() % alive_.size()]);
      } else {
        erase(queue_.top());
      }
    }
  }

  void insert() {
    task_base& task = tasks_.emplace_back(k_no_ops, 1u);
    task.id = ++last_id_;
    task.due = due();
    queue_.reserve_one();
    put(task);
    alive_.push_back(&task);
  }
  void put(task_base& task) {
    queue_.insert(task);
    oracle_.emplace(task.due, task.id, &task);
  }
  void take(task_base& task) {
    queue_.erase(task);
    oracle_.erase({task.due, task.id, &task});
  }
  void erase(task_base& task) {
    take(task);
    std::erase(alive_, &task);
  }
  void move(task_base& task) {
    take(task);
    task.due = due();
    put(task);  // no room was made
  }

  void compare() const {
    const bool same = queue_.size() == oracle_.size() &&
                      (oracle_.empty() || &queue_.top() == std::get<2>(*oracle_.begin()));
    if (same) return;
    std::fprintf(stderr, "queue of %zu beside a set of %zu\n", queue_.size(), oracle_.size());
    std::abort();
  }

  const std::uint8_t* at_;
  const std::uint8_t* end_;
  std::deque<task_base> tasks_;
  std::vector<task_base*> alive_;
  std::set<key> oracle_;
  std::uint64_t last_id_ = 0;
  weir::detail::timer_queue queue_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  program(bytes, size).run();
  return 0;
}
