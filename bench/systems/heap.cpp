#include <algorithm>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "systems/all.hpp"
#include "workloads/all.hpp"

namespace bench {

namespace {

/// The textbook's timers, done well: an indexed 4-ary heap under one mutex, one thread that sleeps
/// until the earliest with the finest timer slack and runs the bodies itself.
class heap_timers {
 public:
  static constexpr const char* k_name = "4-ary heap + mutex";

  struct entry {
    std::int64_t due;
    std::size_t place;
    std::function<void()> body;
  };
  using timer = entry*;

  explicit heap_timers(std::size_t) : thread_([this] { work(); }) {}
  heap_timers(const heap_timers&) = delete;
  heap_timers& operator=(const heap_timers&) = delete;
  ~heap_timers() {
    {
      const std::lock_guard hold(mutex_);
      stopped_ = true;
    }
    changed_.notify_one();
    thread_.join();
    for (auto* each : heap_) delete each;
  }

  timer at(std::int64_t due_ns, std::function<void()> body) {
    auto* added = new entry{due_ns, 0, std::move(body)};
    bool first = false;
    {
      const std::lock_guard hold(mutex_);
      heap_.push_back(added);
      rise(heap_.size() - 1, added);
      first = heap_.front() == added;
    }
    if (first) changed_.notify_one();
    return added;
  }

  bool cancel(timer entry) {
    {
      const std::lock_guard hold(mutex_);
      remove(entry->place);
    }
    delete entry;
    return true;
  }

 private:
  static constexpr std::size_t k_width = 4;

  void put(std::size_t place, entry* what) noexcept {
    heap_[place] = what;
    what->place = place;
  }

  void rise(std::size_t place, entry* what) noexcept {
    while (place > 0 && what->due < heap_[(place - 1) / k_width]->due) {
      put(place, heap_[(place - 1) / k_width]);
      place = (place - 1) / k_width;
    }
    put(place, what);
  }

  void sink(std::size_t place, entry* what) noexcept {
    for (;;) {
      const auto first = place * k_width + 1;
      if (first >= heap_.size()) break;
      auto least = first;
      for (auto i = first + 1; i < std::min(first + k_width, heap_.size()); ++i) {
        if (heap_[i]->due < heap_[least]->due) least = i;
      }
      if (heap_[least]->due >= what->due) break;
      put(place, heap_[least]);
      place = least;
    }
    put(place, what);
  }

  void remove(std::size_t place) noexcept {
    auto* last = heap_.back();
    heap_.pop_back();
    if (place == heap_.size()) return;
    if (place > 0 && last->due < heap_[(place - 1) / k_width]->due) {
      rise(place, last);
    } else {
      sink(place, last);
    }
  }

  void work() {
    sleep_precisely();
    std::unique_lock hold(mutex_);
    while (!stopped_) {
      if (heap_.empty()) {
        changed_.wait(hold);
        continue;
      }
      auto* first = heap_.front();
      if (now_ns() < first->due) {
        const std::chrono::steady_clock::time_point due{std::chrono::nanoseconds(first->due)};
        changed_.wait_until(hold, due);
        continue;
      }
      remove(0);
      hold.unlock();
      first->body();
      delete first;
      hold.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<entry*> heap_;
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace

void add_heap(experiments& all, const scale& size) {
  add_idle<heap_timers>(all, size);
  add_timer_workloads<heap_timers>(all, size);
}

}  // namespace bench
