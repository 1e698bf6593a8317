#include <weir/thread_pool.hpp>

#include <chrono>
#include <utility>

#include "systems/all.hpp"
#include "workloads/all.hpp"

namespace bench {

namespace {

/// weir as a user has it: the public interface, `block` at the bound.
class weir_base {
 public:
  static constexpr bool k_counts_allocations = true;
  static constexpr bool k_single_producer = false;
  using timer = weir::future<void>;

  weir_base(std::size_t workers, std::size_t capacity)
      : pool_({.core = workers,
               .max = workers,
               .capacity = capacity,
               .on_saturation = weir::saturation::block}) {}

  template <class Body>
  void post(Body body) {
    pool_.execute(std::move(body));
  }

  template <class Body>
  auto submit(Body body) {
    return pool_.submit(std::move(body));
  }

  template <class T>
  bool withdraw(weir::future<T> task) {
    return task.cancel() == weir::cancel_result::cancelled;
  }

  template <class Body>
  timer at(std::int64_t due_ns, Body body) {
    const weir::clock::time_point due{std::chrono::nanoseconds(due_ns)};
    return pool_.submit_at(due, std::move(body));
  }

  bool cancel(timer& task) { return withdraw(std::exchange(task, {})); }

 private:
  weir::thread_pool pool_;
};

class weir_unbounded : public weir_base {
 public:
  static constexpr const char* k_name = "weir";
  static constexpr bool k_bounded = false;

  explicit weir_unbounded(std::size_t workers) : weir_base(workers, weir::unbounded) {}
};

class weir_bounded : public weir_base {
 public:
  static constexpr const char* k_name = "weir (bound 1024, block)";
  static constexpr bool k_bounded = true;

  explicit weir_bounded(std::size_t workers) : weir_base(workers, 1024) {}
};

}  // namespace

void add_weir(experiments& all, const scale& size) {
  add_pool_workloads<weir_unbounded>(all, size);
  add_timer_workloads<weir_unbounded>(all, size);
  add_pool_workloads<weir_bounded>(all, size);
}

}  // namespace bench
