#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace bench {

/// The pool that everybody writes first: one mutex, one condition variable, one deque of
/// std::function.
class naive_pool {
 public:
  static constexpr const char* k_name = "naive";
  static constexpr bool k_counts_allocations = true;
  static constexpr bool k_single_producer = false;
  static constexpr bool k_bounded = false;

  explicit naive_pool(std::size_t workers) {
    for (std::size_t i = 0; i < workers; ++i) threads_.emplace_back([this] { work(); });
  }
  naive_pool(const naive_pool&) = delete;
  naive_pool& operator=(const naive_pool&) = delete;
  /// Runs what is queued and joins.
  ~naive_pool() {
    {
      const std::lock_guard hold(mutex_);
      stopped_ = true;
    }
    changed_.notify_all();
    for (auto& thread : threads_) thread.join();
  }

  void post(std::function<void()> body) {
    {
      const std::lock_guard hold(mutex_);
      queue_.push_back(std::move(body));
    }
    changed_.notify_one();
  }

  template <class Body>
  auto submit(Body body) {
    using result = std::invoke_result_t<Body>;
    auto task = std::make_shared<std::packaged_task<result()>>(std::move(body));
    auto future = task->get_future();
    post([task] { (*task)(); });
    return future;
  }

 private:
  void work() {
    std::unique_lock hold(mutex_);
    for (;;) {
      changed_.wait(hold, [this] { return stopped_ || !queue_.empty(); });
      if (queue_.empty()) return;
      auto body = std::move(queue_.front());
      queue_.pop_front();
      hold.unlock();
      body();
      hold.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;
  bool stopped_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace bench
