#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <asio/thread_pool.hpp>
#include <asio/use_future.hpp>

#include <chrono>
#include <memory>
#include <utility>

#include "systems/all.hpp"
#include "workloads/all.hpp"

namespace bench {

namespace {

class asio_pool {
 public:
  static constexpr const char* k_name = "Asio";
  static constexpr bool k_counts_allocations = true;
  static constexpr bool k_single_producer = false;
  static constexpr bool k_bounded = false;
  using timer = std::unique_ptr<asio::steady_timer>;

  explicit asio_pool(std::size_t workers) : pool_(workers) {}
  asio_pool(const asio_pool&) = delete;
  asio_pool& operator=(const asio_pool&) = delete;
  ~asio_pool() {
    pool_.stop();
    pool_.join();
  }

  template <class Body>
  void post(Body body) {
    asio::post(pool_, std::move(body));
  }

  template <class Body>
  auto submit(Body body) {
    return asio::post(pool_, asio::use_future(std::move(body)));
  }

  template <class Body>
  timer at(std::int64_t due_ns, Body body) {
    const std::chrono::steady_clock::time_point due{std::chrono::nanoseconds(due_ns)};
    auto added = std::make_unique<asio::steady_timer>(pool_.executor(), due);
    added->async_wait([body](const asio::error_code& error) {
      if (!error) body();
    });
    return added;
  }

  bool cancel(timer& pending) {
    const bool withdrawn = pending->cancel() == 1;
    pending.reset();
    return withdrawn;
  }

  /// The handlers of cancelled timers still have to run, for their memory is in them.
  void settle() {
    tally sum(1);
    post(tick{&sum, 1});
    sum.wait();
  }

 private:
  asio::thread_pool pool_;
};

}  // namespace

void add_asio(experiments& all, const scale& size) {
  add_pool_workloads<asio_pool>(all, size);
  add_timer_workloads<asio_pool>(all, size);
}

}  // namespace bench
