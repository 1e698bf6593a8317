#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/task_arena.h>

#include <future>
#include <memory>
#include <utility>

#include "systems/all.hpp"
#include "workloads/all.hpp"

namespace bench {

namespace {

/// oneTBB fed from outside: an arena without a place for the submitting thread.
class tbb_arena {
 public:
  static constexpr const char* k_name = "oneTBB";
  // It has its own allocator.
  static constexpr bool k_counts_allocations = false;
  static constexpr bool k_single_producer = false;
  static constexpr bool k_bounded = false;

  explicit tbb_arena(std::size_t workers)
      : limit_(tbb::global_control::max_allowed_parallelism, workers + 1),
        arena_(static_cast<int>(workers), 0) {}

  template <class Body>
  void post(Body body) {
    arena_.enqueue(std::move(body));
  }

  template <class Body>
  auto submit(Body body) {
    using result = std::invoke_result_t<Body>;
    auto task = std::make_shared<std::packaged_task<result()>>(std::move(body));
    auto future = task->get_future();
    arena_.enqueue([task] { (*task)(); });
    return future;
  }

 private:
  tbb::global_control limit_;
  tbb::task_arena arena_;
};

class tbb_forks {
 public:
  static constexpr const char* k_name = "oneTBB";

  explicit tbb_forks(std::size_t workers)
      : limit_(tbb::global_control::max_allowed_parallelism, workers),
        arena_(static_cast<int>(workers)) {}

  template <class F>
  auto run(F&& f) {
    return arena_.execute(f);
  }

  template <class F, class G>
  static void join(F&& f, G&& g) {
    tbb::parallel_invoke(f, g);
  }

  template <class Body>
  static void loop(std::size_t count, Body&& body) {
    tbb::parallel_for(std::size_t{0}, count, body);
  }

 private:
  tbb::global_control limit_;
  tbb::task_arena arena_;
};

}  // namespace

void add_tbb(experiments& all, const scale& size) {
  add_pool_workloads<tbb_arena>(all, size);
  add_fork_workloads<tbb_forks>(all, size);
  add_loops<tbb_forks>(all, size);
}

}  // namespace bench
